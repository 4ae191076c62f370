import { describe, expect, test } from "vitest";
import { evaluate } from "../../src/gate/index.ts";
import { ALLOW_FETCHED } from "./rule-table/allow-fetched.ts";
import { ALLOW_FILES } from "./rule-table/allow-files.ts";
import { ALLOW_GIT } from "./rule-table/allow-git.ts";
import { ALLOW_JAVASCRIPT } from "./rule-table/allow-javascript.ts";
import { ALLOW_OTHERS } from "./rule-table/allow-others.ts";
import { ATTACKS_ON_ALLOW } from "./rule-table/attacks-allow.ts";
import { ATTACKS_ON_ASK } from "./rule-table/attacks-ask.ts";
import { ATTACKS_ON_DENY } from "./rule-table/attacks-deny.ts";
import { ATTACKS_ON_STAR } from "./rule-table/attacks-star.ts";
import { ATTACKS_ON_WORDS } from "./rule-table/attacks-words.ts";
import { DENY_COMMANDS } from "./rule-table/deny-commands.ts";
import { DENY_PATHS } from "./rule-table/deny-paths.ts";
import {
  ATTACKS_BY_INPUT,
  ATTACKS_BY_PROCESS,
  ATTACKS_BY_SETTING,
  HONEST_INPUT,
} from "./rule-table/settings-and-input.ts";
import { HONEST_WORDS } from "./rule-table/honest-words.ts";
import { bash, context } from "./stand.ts";

const TABLES = [
  ...ALLOW_FETCHED,
  ...ALLOW_GIT,
  ...ALLOW_JAVASCRIPT,
  ...ALLOW_FILES,
  ...ALLOW_OTHERS,
  ...DENY_PATHS,
  ...DENY_COMMANDS,
  ...HONEST_INPUT,
  ...HONEST_WORDS,
];

describe.each(TABLES)("$name", (table) => {
  const { profile, autonomy = "supervised" } = table;
  for (const effect of ["allow", "ask", "deny"] as const) {
    test.each((table[effect] ?? []).map((line) => [line]))(`${effect}: %j`, (line) => {
      expect(evaluate(bash(line), context(profile, { autonomy })).effect).toBe(effect);
    });
  }
});

describe.each([...ATTACKS_ON_ALLOW, ...ATTACKS_ON_STAR, ...ATTACKS_ON_DENY, ...ATTACKS_ON_ASK, ...ATTACKS_ON_WORDS])(
  "attacks on $profile",
  (table) => {
    const here = context(table.profile, { autonomy: table.autonomy });
    test.each(table.lines.map((line) => [line]))("%j does not run", (line) => {
      expect(evaluate(bash(line), here).effect).not.toBe("allow");
    });
  },
);

test.each([
  ["builtins that set variables", ATTACKS_BY_SETTING],
  ["programs on standard input, or in an option", ATTACKS_BY_INPUT],
  ["places of a process, and whole folders", ATTACKS_BY_PROCESS],
])("attacks by %s do not run", (_name, tables) => {
  const run = tables.flatMap(({ profile, autonomy, lines }) =>
    lines.filter((line) => evaluate(bash(line), context(profile, { autonomy })).effect === "allow"),
  );
  expect(run).toEqual([]);
});

test("programs that run each other without an end are asked about", () => {
  const line = `${"npx ".repeat(20_000)}x`;
  expect(evaluate(bash(line), context({ allow: ["Bash(npx:*)"] })).effect).toBe("ask");
});

test("the table is as large as it should be", () => {
  const lines = TABLES.flatMap(({ allow = [], ask = [], deny = [] }) => allow.concat(ask, deny));
  const programs = new Set(lines.map((line) => /(?:^|\s)([a-z][\w.-]*)/.exec(line)?.[1]));
  expect([lines.length >= 600, programs.size >= 45]).toEqual([true, true]);
});
