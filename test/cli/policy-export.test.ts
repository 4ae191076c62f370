import { afterAll, describe, expect, test } from "vitest";
import { claudeSettings, DEFAULT_POLICY } from "../../src/gate/index.ts";
import { Place } from "./place.ts";

const place = new Place();
afterAll(() => place[Symbol.asyncDispose]());
const run = (...words: readonly string[]) => place.run(["policy", "export", ...words]);
const profile = (name: string): object => claudeSettings(DEFAULT_POLICY.profiles[name] ?? {});

describe("policy export", () => {
  test("writes a profile as Claude Code's settings file, once", async () => {
    const words = ["--claude", "--profile", "guarded", "--output", ".claude_settings.json"];
    const first = await run(...words);
    expect([first.code, first.stderr]).toEqual([0, ""]);
    const text = place.read(".claude_settings.json") ?? "";
    expect(JSON.parse(text)).toEqual(profile("guarded"));
    // Files only below the project's folder, and the shell.
    expect(JSON.parse(text)).toMatchObject({
      permissions: {
        defaultMode: "acceptEdits",
        allow: expect.arrayContaining([
          "Read(./**)",
          "Write(./**)",
          "Edit(./**)",
          "Glob(./**)",
          "Grep(./**)",
          "Bash(*)",
        ]),
      },
    });
    place.write(".claude_settings.json", "mine");
    const second = await run(...words);
    expect([second.code, place.read(".claude_settings.json")]).toEqual([2, "mine"]);
    expect(second.stderr).toContain("exists already: delete it first, or name another file");
  });

  test("prints the default profile, and follows a policy that was set", async () => {
    expect(JSON.parse((await run("--claude")).stdout)).toEqual(profile("full"));
    place.write("policy.yaml", "default_profile: small\nprofiles:\n  small: { tools: [Read], deny: ['Read(.env)'] }\n");
    expect((await place.run(["policy", "set", "policy.yaml"])).code).toBe(0);
    expect(JSON.parse((await run("--claude")).stdout)).toEqual({
      sandbox: { enabled: true, autoAllowBashIfSandboxed: true },
      permissions: { defaultMode: "acceptEdits", allow: ["Read(./**)"], deny: ["Read(.env)"] },
    });
  });

  test.each([
    [["--claude", "--profile", "nobody"], "there is no profile nobody; there are: "],
    [["--claude", "--output", "missing/settings.json"], "cannot be written: ENOENT"],
    [[], "--claude"],
  ])("%j is refused", async (words, message) => {
    const { code, stderr } = await run(...words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
