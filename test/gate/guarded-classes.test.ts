import { describe, expect, test } from "vitest";
import { evaluate } from "../../src/gate/index.ts";
import { GUARDED_CLASSES } from "./guarded-classes.ts";
import { HONEST } from "./guarded-lines/honest.ts";
import { REFUSED_FILES } from "./guarded-lines/refused-files.ts";
import { REFUSED_GIT } from "./guarded-lines/refused-git.ts";
import { REFUSED_NPM } from "./guarded-lines/refused-npm.ts";
import { bash, context, WORKSPACE } from "./stand.ts";

const guarded = context({ hooks: ["guarded"] }, { autonomy: "full" });

const TABLES = { ...GUARDED_CLASSES, git: REFUSED_GIT, npm: REFUSED_NPM, files: REFUSED_FILES };

test.each(HONEST.map((command) => [command]))("%s passes", (command) => {
  expect(evaluate(bash(command), guarded).effect).toBe("allow");
});

describe.each(Object.entries(TABLES))("%s", (_name, commands) => {
  test.each(commands.map((command) => [command]))("%s is refused", (command) => {
    const { effect, step } = evaluate(bash(command), guarded);
    expect({ effect, step }).toEqual({ effect: "deny", step: "hooks" });
  });
});

describe("what is on the disk counts", () => {
  /** `out` leads out of the workspace; `evil` is a bare repository; `plain` is a folder. */
  const disk = (path: string) => {
    const real = path.replace(`${WORKSPACE}/out`, "/elsewhere").replace(/\/[^/]+\/\.\.(?=\/|$)/, "");
    return { real, exists: path === `${WORKSPACE}/evil/HEAD` || path === `${WORKSPACE}/held/HEAD` };
  };
  test.each<[string, string]>([
    ["cp a.txt out/escaped.txt", "deny"],
    ["cp a.txt out", "deny"],
    ["cat out/secret", "deny"],
    ["cat out/../secret", "deny"],
    ["cat a > out/x", "deny"],
    ["mkdir out/x", "deny"],
    ["chmod +x out/x", "deny"],
    ["head -5 out/x", "deny"],
    ["grep x out/y", "deny"],
    ["cat < out/x", "deny"],
    ["out/init.sh", "deny"],
    ["git add out", "deny"],
    ["git -C evil status", "deny"],
    ["cp -r held/. sub", "deny"],
    ["cp held/* sub", "deny"],
    ["git -C plain status", "allow"],
    ["cp a.txt plain/b.txt", "allow"],
    ["cp -r plain/. sub", "allow"],
    ["cat plain/x", "allow"],
    ["./init.sh", "allow"],
    ["plain/init.sh", "allow"],
  ])("%s: %s", (command, effect) => {
    expect(evaluate({ ...bash(command), disk }, guarded).effect).toBe(effect);
  });
});

test.each(["HEAD", "evil/HEAD", "evil.git/config", "x/evil.git/hooks/post-checkout", ".git", "sub/.git"])(
  "writing %s asks, whatever the autonomy",
  (path) => {
    const write = {
      ...bash(""),
      tool: "Write",
      tier: "write" as const,
      input: {},
      paths: [{ given: path, real: `${WORKSPACE}/${path}`, access: "write" as const }],
    };
    expect(evaluate(write, context({}, { autonomy: "full" }))).toEqual({
      effect: "ask",
      step: "policy",
      rule: "protected files",
      why: `${path} decides what programs run or what an agent may do.`,
    });
  },
);
