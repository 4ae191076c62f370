import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { analyseCommand, bashSecurityHook } from "../../src/gate/index.ts";
import { isFullRun } from "../support/sample.ts";
import { CONSTRUCTS, nested } from "./nesting.ts";
import { FOLDER, WORKSPACE } from "./stand.ts";

const guard = (command: string) => bashSecurityHook({ tool_name: "Bash", tool_input: { command }, cwd: WORKSPACE });
const settings = { seed: 20_240, numRuns: isFullRun ? 1_500 : 250 } as const;
/** Of noise. */
const NOISES = isFullRun ? 4_000 : 600;

/** Each is refused by itself, for another reason. */
const FORBIDDEN = [
  "rm x",
  "r\\m x",
  "'rm' x",
  "$'\\x72m' x",
  "/bin/rm x",
  "{rm,x}",
  "$R x",
  "$(pwd) x",
  "env rm x",
  "sudo ls",
  "sh -c 'rm x'",
  "eval rm x",
  "command ls",
  "xargs cat",
  "echo x",
  "cd src",
  "PATH=. ls",
  "ls > ../x",
  "ls > $R",
  "cat /etc/passwd",
  "cat ~/x",
  "./ls",
  "git -c core.pager='rm x' log",
  "git zzz",
  "npm exec rm",
  "pkill bash",
  "chmod 777 x",
  "./setup.sh",
  "cp x .git/config",
  "A='a[$(pwd)]'; ((A))",
];

const HONEST = [
  "ls -la",
  "cat README.md",
  "grep -rn '/api' src",
  "npm test",
  "node -e 'console.log(1)'",
  "git commit -m 'rm -rf /; $(x)'",
  "head -5 'a b.txt'",
  "mkdir -p a/b",
  "cp a b",
  "FOO=1 node a.js",
  "wc -l < a.txt",
  "pkill -f 'node server.js'",
  "chmod +x a.sh",
  "./init.sh",
  "ls > out.txt",
];

describe("a forbidden command is caught", () => {
  test.each(FORBIDDEN.map((command) => [command]))("%s, in each construct", (command) => {
    const missed = CONSTRUCTS.filter(({ wrap }) => !("decision" in guard(wrap(command)))).map(({ name }) => name);
    expect(missed).toEqual([]);
  });

  test("in constructs inside constructs", () => {
    fc.assert(
      fc.property(nested(fc.constantFrom(...FORBIDDEN), CONSTRUCTS, 5), (command) => "decision" in guard(command)),
      settings,
    );
  });
});

describe("an honest command passes", () => {
  const honest = CONSTRUCTS.filter((construct) => construct.honest);
  test.each(HONEST.map((command) => [command]))("%s, in each construct", (command) => {
    const blocked = honest
      .map(({ name, wrap }) => [name, guard(wrap(command))])
      .filter(([, answer]) => JSON.stringify(answer) !== "{}");
    expect(blocked).toEqual([]);
  });

  test("in constructs inside constructs", () => {
    fc.assert(
      fc.property(nested(fc.constantFrom(...HONEST), honest, 5), (command) => {
        expect([command, guard(command)]).toEqual([command, {}]);
      }),
      settings,
    );
  });

  test("however its words are quoted", () => {
    const quoted = (word: string): fc.Arbitrary<string> =>
      fc.constantFrom(
        `'${word.replaceAll("'", `'\\''`)}'`,
        `"${word.replaceAll(/["\\$`]/g, "\\$&")}"`,
        word.replaceAll(/[^\w./-]/g, "\\$&"),
        `$'${word.replaceAll(/['\\]/g, "\\$&")}'`,
      );
    const name = fc.stringMatching(/^[\w;&|()$`"'* -]{1,12}$/).map((text) => `x${text}`);
    const line = fc
      .tuple(
        fc.constantFrom("ls", "cat", "wc"),
        fc.array(name, { maxLength: 4 }),
        fc.constantFrom(" ", "  ", "\t", " \\\n "),
      )
      .chain(([program, names, space]) =>
        fc.tuple(...[program, ...names].map(quoted)).map((words) => words.join(space)),
      );
    fc.assert(
      fc.property(line, (command) => {
        expect([command, guard(command)]).toEqual([command, {}]);
      }),
      settings,
    );
  });
});

describe("whatever is given", () => {
  const marks = fc.constantFrom(
    "$(",
    ")",
    "`",
    "'",
    '"',
    "\\",
    "${",
    "}",
    "((",
    "))",
    "[[",
    "]]",
    "<<E\n",
    "E\n",
    "|",
    "&",
    ";",
    ">",
    "<",
    "#",
    "{",
    "(",
    " ",
    "\n",
    "rm",
    "ls",
    "if",
    "then",
    "fi",
    "case",
    "in",
    "esac",
    "$'",
    "=",
    "*",
    "\0",
    "\u{1f600}",
    "\ud800",
  );
  const noise = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.array(marks, { maxLength: 40 }).map((parts) => parts.join("")),
  );

  test("the analysis answers, with parts or with an error", () => {
    fc.assert(
      fc.property(noise, (command) => {
        const { parts, parseError, warnings } = analyseCommand(command, FOLDER);
        if (parseError !== undefined) expect([parts, warnings.at(-1)?.kind]).toEqual([[], "unparseable"]);
      }),
      { seed: 7, numRuns: NOISES },
    );
  });

  test("the guard answers, and lets `rm` pass nowhere", () => {
    fc.assert(
      fc.property(noise, (command) => {
        const passed = !("decision" in guard(command));
        if (passed) expect(analyseCommand(command, FOLDER).parts.map((part) => part.program)).not.toContain("rm");
      }),
      { seed: 8, numRuns: NOISES },
    );
  });
});

/** The constructs are no inventions: a real bash runs what stands in them, and the analysis sees all that it ran. */
describe("against a real bash", () => {
  const folder = { path: "" };
  beforeAll(() => {
    folder.path = mkdtempSync(join(tmpdir(), "gate-"));
    writeFileSync(join(folder.path, "in.txt"), "text\n");
    for (const name of ["canary", "second"]) {
      writeFileSync(join(folder.path, name), `#!/bin/sh\necho ${name} >> "$LOG"\n`, { mode: 0o755 });
    }
  });
  afterAll(() => rmSync(folder.path, { recursive: true, force: true }));

  function ran(command: string): readonly string[] {
    const log = join(folder.path, "log");
    writeFileSync(log, "");
    spawnSync("bash", ["--norc", "-O", "extglob", "-c", command], {
      cwd: folder.path,
      env: { PATH: `${folder.path}:/usr/bin:/bin`, LOG: log },
      input: "",
      timeout: 10_000,
    });
    return readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  }
  const seen = (command: string) => analyseCommand(command, FOLDER).parts.map((part) => part.program);

  test.each(CONSTRUCTS.filter((construct) => construct.runs).map(({ name, wrap }) => [name, wrap("canary")]))(
    "%s",
    (_name, command) => {
      expect([ran(command).includes("canary"), seen(command).includes("canary")]).toEqual([true, true]);
    },
  );

  test("and in constructs inside constructs", () => {
    const inner = fc.constantFrom(
      "canary",
      "'canary'",
      "can''ary",
      "\\canary",
      "$'\\x63anary'",
      "{canary,x}",
      "A=1 canary",
      "2>&1 canary",
      "second; canary",
    );
    const runs = CONSTRUCTS.filter((construct) => construct.runs);
    for (const command of fc.sample(nested(inner, runs, 3), { seed: 3, numRuns: isFullRun ? 60 : 15 })) {
      // What is refused cannot be missed: `$((` and nested quotes can be read in two ways.
      if (analyseCommand(command, FOLDER).parseError !== undefined) continue;
      const programs = seen(command);
      expect([command, ran(command).filter((name) => !programs.includes(name))]).toEqual([command, []]);
    }
  });
});
