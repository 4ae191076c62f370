import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Approval, Policy } from "../../src/protocol/index.ts";
import { openTestApp, runScript, script, type TestApp } from "../support/app.ts";

let app: TestApp;
let outside: string;
beforeAll(async () => {
  app = await openTestApp();
  outside = await mkdtemp(join(tmpdir(), "outside-"));
  await mkdir(inWorkspace("docs"));
  await mkdir(inWorkspace("secret"));
  await writeFile(inWorkspace("secret/a"), "S3CRET\n");
  await writeFile(inWorkspace("docs/ls"), `#!/bin/sh\nid > ${outside}/pwned\n`, { mode: 0o755 });
  await symlink("/proc/self/cwd", inWorkspace("here"));
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await rm(outside, { recursive: true });
});

const inWorkspace = (path: string): string => join(app.place.workspace, path);

/** Runs the steps under one profile; every question is declined. Answers what was asked and everything that came out. */
async function declined(
  profile: Policy["profiles"][string],
  steps: readonly object[],
): Promise<{ readonly questions: readonly Approval[]; readonly events: string }> {
  await app.client.setPolicy({ default_profile: "tested", profiles: { tested: profile } });
  const agent = await app.as("agent");
  const questions: Approval[] = [];
  const { events } = await runScript(agent, { prompt: { text: script(...steps, { say: "done" }) } }, (approval) => {
    questions.push(approval);
    return app.client.decide(approval.id, { decision: "reject", input_hash: approval.input_hash });
  });
  return { questions, events: JSON.stringify(events) };
}

const commands = (lines: readonly string[]): readonly object[] =>
  lines.map((command) => ({ tool: "Bash", input: { command } }));
const asked = (questions: readonly Approval[]): readonly unknown[] =>
  questions.map(({ input }) => input["command"] ?? input["file_path"]);

describe("what only the running command knows", () => {
  it("a builtin that sets a variable is an assignment, and settings of a home folder are protected", async () => {
    const lines = ["printf -v PATH %s docs; ls", "printf -v HOME %s docs; git status", "read PATH <<< docs; ls"];
    const { questions } = await declined(
      { allow: ["Bash(printf:*)", "Bash(read:*)", "Bash(ls:*)", "Bash(git status:*)", "Edit(docs/**)"] },
      [{ tool: "Write", input: { file_path: "docs/.gitconfig", content: "[core]\n" } }, ...commands(lines)],
    );
    expect(asked(questions)).toEqual(["docs/.gitconfig", ...lines]);
    expect(existsSync(join(outside, "pwned"))).toBe(false);
  });

  it("a program on standard input is asked about where something is denied, and said to be one", async () => {
    const lines = [
      "node <<< 'console.log(1)'",
      "node - <<'E'\nconsole.log(1)\nE",
      "echo 'console.log(1)' | node",
      "{ node; } <<< 'console.log(1)'",
    ];
    const { questions } = await declined({ autonomy: "full", deny: ["Read(secret/**)"] }, commands(lines));
    const said = questions.map(({ warnings }) =>
      warnings.filter(({ kind }) => kind === "dynamic_command").map(({ message }) => message),
    );
    expect([asked(questions), said]).toEqual([
      lines,
      [
        ["node runs a program that is given inline."],
        ["node runs a program that is given inline."],
        ["node runs what is piped into it."],
        ["node runs what it reads from its input."],
      ],
    ]);
  });

  it("a rule that spells the words does not cover what comes by standard input", async () => {
    const lines = ["cat <<< '.shell touch x' | node", "node <<< 'process.exit()'"];
    const { questions } = await declined({ allow: ["Bash(node)", "Bash(cat:*)"] }, commands([...lines, "node"]));
    expect(asked(questions)).toEqual(lines);
  });

  it("the places of a process are not looked up in the server's stead, also behind a link", async () => {
    const lines = [
      "cat /proc/self/cwd/secret/a",
      "cat /proc/thread-self/cwd/secret/a",
      "cat here/secret/a",
      "echo x > /proc/self/cwd/secret/b",
      "echo x > here/secret/b",
    ];
    const { questions, events } = await declined(
      { autonomy: "full", deny: ["Read(secret/**)", "Edit(secret/**)"] },
      commands(lines),
    );
    expect(asked(questions)).toEqual(lines);
    expect([events.includes("S3CRET"), existsSync(inWorkspace("secret/b"))]).toEqual([false, false]);
  });
});
