import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { allHelp } from "./help.ts";
import { Place, type Ended } from "./place.ts";

const place = new Place();
const { folder } = place;
afterAll(() => place[Symbol.asyncDispose]());

const run = (words: readonly string[]): Promise<Ended> => place.run(words);

describe("usage", () => {
  test("each command explains itself with an example", async () => {
    const all = await allHelp(place);
    expect(all.length).toBeGreaterThan(100);
    const without = all.filter(({ text }) => !/Examples?(?:, [^:\n]+)?:\n {2}[$"]/.test(text));
    expect(without.map(({ words }) => words.join(" "))).toEqual(["hook", "hook guarded"]);
  });

  test("run --help names the exit codes", async () => {
    expect((await run(["run", "--help"])).stdout).toContain("3    a person rejected a call and stopped the turn");
  });

  test("--version", async () => {
    expect(await run(["--version"])).toEqual({ code: 0, stdout: "0.0.0\n", stderr: "" });
  });

  test.each([
    [["rum", "x"], "error: unknown command 'rum'\n(Did you mean run?)"],
    [["run"], "error: missing required argument 'task'"],
    [["run", " "], "error: the task is empty"],
    [["run", "x", "--autonomie", "full"], "error: unknown option '--autonomie'\n(Did you mean --autonomy?)"],
    [
      ["run", "x", "--autonomy", "total"],
      "error: option '--autonomy <level>' argument 'total' is invalid. It must be one of:",
    ],
    [
      ["run", "x", "--max-turns", "0"],
      "error: option '--max-turns <n>' argument '0' is invalid. It must be a whole number",
    ],
    [["run", "x", "y"], "error: too many arguments for 'run'. Expected 1 argument but got 2."],
    [["run", "x", "--unattended", "allow"], "It must be one of: deny, park."],
    [["serve", "--port", "99999"], "It must be a whole number from 0 to 65535."],
    [["serve", "--log-level", "loud"], "error: option '--log-level <level>' argument 'loud' is invalid."],
    [["serve", "--provider", "elsewhere"], "error: there is no provider elsewhere; there are: cloud, sim"],
    [["sessions", "destroy", "x"], "error: unknown command 'destroy'"],
    [["sessions", "--status", "asleep"], "It must be one of: creating, ready"],
    [["approve", "--reject"], "error: an approval's id is missing"],
    [["approve", "apr_1", "--stop"], "error: --feedback and --stop need --reject"],
    [["approve", "apr_1", "--reject", "--session"], "error: --session and --input do not go with --reject"],
    [["token", "create", "--name", "x"], "error: required option '--role <role>' not specified"],
    [
      ["token", "create", "--name", "x", "--role", "king"],
      "It must be one of: admin, operator, agent, viewer, visitor, issuer.",
    ],
    [["policy", "set", "none.yaml"], "none.yaml does not exist"],
    [["policy", "test", "--tool", "Bash", "--input", "{"], "error: --input is not valid JSON"],
    [["tools", "--openai", "--anthropic"], "error: --anthropic and --openai do not go together"],
    [["sessions", "show", ""], "error: the session is empty; --help says what it is"],
    [["sessions", "delete", " ", "ses_1"], "error: the session is empty; --help says what it is"],
    [["token", "delete", ""], "error: the id is empty; --help says what it is"],
    [["mount", ""], "error: the folder is empty; --help says what it is"],
    [["connection", "add", "s", "--sqlite", ""], "error: --sqlite is empty: name the file of the database"],
    [
      ["schedule", "create", "--template", "t", "n"],
      "error: say when it starts sessions: --cron <fields> or --at <time>",
    ],
    [["token", "delete", "tok_1"], "error: there is no token tok_1\n  `sallyport token list` lists them\n"],
    [["schedule", "pause", "sch_1"], "error: there is no schedule sch_1\n  `sallyport schedule list` lists them\n"],
    [["long-run", "show", "run_1"], "error: there is no long run run_1\n  `sallyport long-run list` lists them\n"],
    [["notify", "delete", "ntf_1"], "`sallyport notify list` lists them\n"],
    [["phone"], "error: no server runs on this home, so the link would lead nowhere: start one with `sallyport serve`"],
    [["share", "create", "ses_1"], "error: no server runs on this home, so the link would lead nowhere"],
    [["hook", "guarded", "help"], "error: too many arguments for 'guarded'"],
    [["hook", "help"], "error: unknown command 'help'"],
  ])("%j is refused", async (words, message) => {
    const { code, stdout, stderr } = await run(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

test("tools in both forms", async () => {
  const anthropic = JSON.parse((await run(["tools"])).stdout) as { name: string; input_schema: unknown }[];
  const openai = JSON.parse((await run(["tools", "--openai"])).stdout) as {
    type: string;
    function: { name: string; parameters: unknown };
  }[];
  expect(anthropic.map(({ name }) => name)).toContain("Bash");
  expect(openai).toEqual(
    anthropic.map((tool) => ({
      type: "function",
      function: expect.objectContaining({ name: tool.name, parameters: tool.input_schema }),
    })),
  );
});

describe("without a server", () => {
  test("the policy is shown, set, tried, and kept", async () => {
    const home = ["--home", "policy-home"];
    const trying = (command: string): readonly string[] => [
      "policy",
      "test",
      "--tool",
      "Bash",
      "--input",
      JSON.stringify({ command }),
    ];
    const ask = [...trying("make"), "--json"];
    expect(JSON.parse((await run([...home, ...ask])).stdout)).toMatchObject({ effect: "ask" });
    expect((await run([...home, ...trying("ls -la | head -3")])).stdout).toBe(
      "allow: It only reads, inside of the workspace (ls, head). (autonomy, supervised: only reads)\n",
    );
    writeFileSync(join(folder, "policy.yaml"), "default_profile: mine\nprofiles:\n  mine:\n    allow: [Bash(make)]\n");
    const set = await run([...home, "policy", "set", "policy.yaml"]);
    expect([set.code, set.stdout]).toEqual([0, expect.stringMatching(/mine.*; default mine\n$/)]);
    expect(JSON.parse((await run([...home, ...ask])).stdout)).toMatchObject({ effect: "allow", step: "policy" });
    const shown = await run([...home, "policy", "show"]);
    expect(shown.stdout).toContain("default_profile: mine\n");
    writeFileSync(join(folder, "wrong.yaml"), "default_profile: none\nprofiles: {}\n");
    const wrong = await run([...home, "policy", "set", "wrong.yaml"]);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringMatching(/^error: wrong\.yaml, line 1: default_profile none names no profile; there are: /),
    ]);
    const broken = join(folder, "broken-home");
    mkdirSync(broken, { mode: 0o700 });
    writeFileSync(join(broken, "policy.yaml"), "profiles: 3\n", { mode: 0o600 });
    expect(await run(["--home", broken, "sessions"])).toEqual({
      code: 2,
      stdout: "",
      stderr: `error: ${join(broken, "policy.yaml")}, line 1: profiles must be a map of names to profiles\n`,
    });
  });

  test("an empty home has no sessions and no approvals", async () => {
    const home = ["--home", "empty-home"];
    expect(await run([...home, "sessions"])).toEqual({
      code: 0,
      stdout: 'no sessions; start one with: sallyport run "…"\n',
      stderr: "",
    });
    expect(await run([...home, "approve"])).toEqual({ code: 0, stdout: "nothing waits for an answer\n", stderr: "" });
  });

  test("the demo model is offered where a key is missing", async () => {
    const { code, stderr } = await run(["--home", "key-home", "run", "hello", "--provider", "cloud"]);
    expect(code).toBe(2);
    expect(stderr).toContain("error: ANTHROPIC_API_KEY not set");
    expect(stderr).toContain("--provider sim");
  });

  test("a broken settings file is named", async () => {
    writeFileSync(join(folder, "sallyport.yaml"), "port: soon\n");
    const { code, stderr } = await run(["--home", ".", "sessions"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`^error: ${join(folder, "sallyport.yaml")}, line 1: port `));
    rmSync(join(folder, "sallyport.yaml"));
  });
});

describe("a home that cannot be used", () => {
  test.each([
    ["/proc/nowhere", "no folder can be made at /proc/nowhere: choose another place with --home"],
    ["a-file", "sallyport.yaml cannot be used: a part of it is a file and no folder"],
    ["a-file/home", "cannot be used: a part of it is a file and no folder"],
    [`/tmp/${"n".repeat(300)}`, "cannot be used: its name is too long"],
  ])("%s is refused in words", async (home, words) => {
    writeFileSync(join(folder, "a-file"), "");
    const { code, stdout, stderr } = await run(["--home", home, "sessions"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(/\n\s+at |E[A-Z]{4,}/);
  });

  test("of another machine: its files are not those of this one", async () => {
    const words = "error: this is about a home folder of this machine: run it where the server runs";
    for (const command of [
      ["backup", "b"],
      ["restore", "b"],
      ["identity", "show"],
      ["identity", "new", "--yes"],
    ]) {
      const { code, stdout, stderr } = await run(["--server", "http://127.0.0.1:9", ...command]);
      expect({ command, code, stdout }).toEqual({ command, code: 2, stdout: "" });
      expect(stderr).toContain(words);
    }
  });
});

test("a folder that was deleted under the terminal is named without a stack", () => {
  const script = 'cd "$(mktemp -d)" && rmdir "$PWD" && exec "$0" "$@"';
  const { status, stdout, stderr } = spawnSync(
    "sh",
    ["-c", script, process.execPath, resolve("dist/cli/main.js"), "home"],
    {
      encoding: "utf8",
    },
  );
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: "",
    stderr: "error: the folder that this terminal is in was deleted: go to another one with cd\n",
  });
});
