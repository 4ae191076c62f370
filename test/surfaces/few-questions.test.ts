import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTestApp, runScript, script } from "../support/app.ts";

const bash = (command: string): object => ({ tool: "Bash", input: { command } });

/** What a careful person would want to see: judged before the test was written. The lines that only look are below. */
const CHANGES: readonly object[] = [
  bash("npm install left-pad"),
  bash("rm -rf build"),
  bash("git add -A"),
  bash("git commit -m fix"),
  bash("cat .env"),
  bash("node scripts/migrate.mjs"),
  bash("curl https://example.org/x"),
  bash("cat a.txt > b.txt"),
  { tool: "Write", input: { file_path: "new.txt", content: "x\n" } },
  { tool: "Edit", input: { file_path: "a.txt", old_string: "hello", new_string: "bye" } },
];

/** `test/gate/reading-lines` holds several hundred more, each judged by what its program really does. */
const LOOKS: readonly object[] = [
  ...[
    "ls",
    "ls -la src",
    "cat a.txt",
    "head -n 5 a.txt",
    "tail -n 5 a.txt",
    "wc -l a.txt",
    "grep -rn hello src",
    "grep -c hello a.txt",
    "git status",
    "git status --short",
    "git diff",
    "git log --oneline",
    "git show --stat",
    "git diff --stat",
    "stat a.txt",
    "file a.txt",
    "du -sh src",
    "cat a.txt | sort | uniq -c",
    "git log --oneline | head -3",
    "sort a.txt",
  ].map(bash),
  ...["a.txt", "src/a.ts", "package.json"].map((file_path) => ({ tool: "Read", input: { file_path } })),
  ...["hello", "export", "name"].map((pattern) => ({ tool: "Grep", input: { pattern } })),
  ...["**/*.ts", "*.txt", "src/*", "*.json"].map((pattern) => ({ tool: "Glob", input: { pattern } })),
];

it("a task of 40 calls of which 30 only look asks about the other 10, and about all of them", async () => {
  await using app = await openTestApp();
  const { workspace } = app.place;
  execFileSync("mkdir", ["-p", join(workspace, "src"), join(workspace, "build")]);
  for (const [name, text] of [
    ["a.txt", "hello\n"],
    ["src/a.ts", "export const a = 1;\n"],
    ["package.json", '{"name":"x"}\n'],
    [".env", "KEY=secret\n"],
  ] as const)
    await writeFile(join(workspace, name), text);
  const git = (...words: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...words], { cwd: workspace });
  git("init", "-q");
  git("add", "a.txt", "src", "package.json");
  git("commit", "-qm", "first");
  expect([LOOKS.length, CHANGES.length]).toEqual([30, 10]);
  // Three looks, then one that changes something, as agents work.
  const steps = CHANGES.flatMap((change, index) => [...LOOKS.slice(index * 3, index * 3 + 3), change]);
  const asked: unknown[] = [];
  await runScript(
    app.client,
    { max_turns: 100, prompt: { text: script(...steps, { say: "Done." }) } },
    ({ id, tool, input, input_hash }) => {
      asked.push(tool === "Bash" ? input["command"] : tool);
      return app.client.decide(id, { decision: "reject", input_hash });
    },
  );
  const wanted = CHANGES.map((change) => {
    const { tool, input } = change as { readonly tool: string; readonly input: { readonly command?: string } };
    return input.command ?? tool;
  });
  expect(asked).toEqual(wanted);
});
