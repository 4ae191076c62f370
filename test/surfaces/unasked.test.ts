import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Approval, JournalEvent } from "../../src/protocol/index.ts";
import { openTestApp, runScript, script, type TestApp } from "../support/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
  const { workspace } = app.place;
  await writeFile(join(workspace, "a.txt"), "hello\n");
  await writeFile(join(workspace, ".env"), "KEY=secret\n");
  await writeFile(join(workspace, "evil.sh"), "#!/bin/sh\ntouch ran\n", { mode: 0o755 });
  execFileSync("git", ["init", "-q"], { cwd: workspace });
});
afterAll(() => app[Symbol.asyncDispose]());

const bash = (command: string): object => ({ tool: "Bash", input: { command } });

interface Seen {
  readonly asked: readonly unknown[];
  /** Of each call: its command, status, output, and why nobody was asked. */
  readonly calls: readonly unknown[];
}

/** Runs a script; a command is approved if it is in `approved`, else refused. */
async function run(
  steps: readonly object[],
  { approved = [], ...settings }: { readonly approved?: readonly string[]; readonly [name: string]: unknown } = {},
): Promise<Seen> {
  const asked: unknown[] = [];
  const answer = ({ id, input, input_hash }: Approval): Promise<unknown> => {
    const command = String(input["command"]);
    asked.push(command);
    return app.client.decide(id, { decision: approved.includes(command) ? "approve" : "reject", input_hash });
  };
  const { events } = await runScript(
    app.client,
    { ...settings, prompt: { text: script(...steps, { say: "Done." }) } },
    answer,
  );
  return { asked, calls: events.flatMap(callOf) };
}

function callOf(event: JournalEvent): readonly unknown[] {
  if (event.type !== "item.completed" || event.item.type !== "command_execution") return [];
  const { command, status, unasked, aggregated_output } = event.item;
  return [[command, status, aggregated_output.trim(), unasked?.rule]];
}

describe("a command that only reads", () => {
  it.each(["loop", "claude-sdk", "claude-cli"])(
    "runs in %s without a question, and the journal says why",
    async (engine) => {
      const { asked, calls } = await run([bash("cat a.txt"), bash("git status --short | grep a.txt")], { engine });
      expect([asked, calls]).toEqual([
        [],
        [
          ["cat a.txt", "completed", "hello", "supervised: only reads"],
          ["git status --short | grep a.txt", "completed", "?? a.txt", "supervised: only reads"],
        ],
      ]);
    },
  );

  it("is asked about if it does more, shows a secret or reads nothing", async () => {
    const lines = ["cat .env", "cat a.txt > b.txt", "git add a.txt", "echo hi", "sort -o x a.txt", "cat .e*"];
    expect((await run(lines.map(bash))).asked).toEqual(lines);
  });

  it.each([
    [{ autonomy: "restricted" }, 1],
    [{ permission_mode: "toolApproval" }, 1],
    [{ permission_mode: "dontAsk" }, 0],
  ])("with %j", async (settings, questions) => {
    expect((await run([bash("cat a.txt")], settings)).asked).toHaveLength(questions);
  });

  it("does not use what an approved command left behind", async () => {
    const approved = [
      "cat() { ./evil.sh; }; alias ls=./evil.sh; export PATH=.:$PATH BASH_ENV=./evil.sh; export -f cat",
      "cp evil.sh cat",
    ];
    const { asked, calls } = await run([...approved.map(bash), bash("cat a.txt"), bash("ls ran")], { approved });
    expect([asked, calls.slice(2)]).toEqual([
      approved,
      [
        ["cat a.txt", "completed", "hello", "supervised: only reads"],
        [
          "ls ran",
          "failed",
          "Exit code 2\nls: cannot access 'ran': No such file or directory",
          "supervised: only reads",
        ],
      ],
    ]);
  });

  it("is asked about when a call before it in the same message changed what it would do", async () => {
    const approved = ["git config core.fsmonitor ./evil.sh"];
    const tools = [bash(approved[0] ?? ""), bash("git status")];
    const { asked, calls } = await run([{ tools }], { approved });
    expect([asked, calls]).toMatchObject([
      [...approved, "git status"],
      [
        [approved[0], "completed", "(no output)", undefined],
        ["git status", "declined", expect.any(String), undefined],
      ],
    ]);
    execFileSync("git", ["config", "--unset", "core.fsmonitor"], { cwd: app.place.workspace });
  });
});
