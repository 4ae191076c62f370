import { chmod, link, mkdir, readFile, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Approval, JournalEvent } from "../../../src/protocol/index.ts";
import { later } from "../../client/page-world.ts";
import { openTestApp, runScript, script, untilTurnEnds, type TestApp } from "../../support/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const at = (name: string): string => join(app.place.workspace, name);
const put = async (name: string, content: string): Promise<void> => {
  await mkdir(join(at(name), ".."), { recursive: true });
  await writeFile(at(name), content);
};
const relink = async (target: string, name: string): Promise<void> => {
  await rm(at(name), { force: true });
  await symlink(target, at(name));
};
const read = (name: string): Promise<string> => readFile(at(name), "utf8").catch(() => "(absent)");
const ended = (events: readonly JournalEvent[]): readonly unknown[] =>
  events.flatMap((event) =>
    event.type === "item.completed" && "tool_use_id" in event.item ? [[event.item.status, event.item.output?.[0]]] : [],
  );
const approve = ({ id, input_hash }: Approval): Promise<unknown> =>
  app.client.decide(id, { decision: "approve", input_hash }).catch((error: unknown) => error);
const notebook = (source: string): string =>
  JSON.stringify({
    cells: [{ cell_type: "code", id: "c", metadata: {}, execution_count: null, outputs: [], source: [source] }],
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5,
  });

interface Case {
  readonly name: string;
  readonly before: () => Promise<unknown>;
  readonly call: () => object;
  readonly swap: () => Promise<unknown>;
  /** Files that must be as the swap left them. */
  readonly untouched: Readonly<Record<string, string>>;
  /** What the second question shows; absent: there is none, because it cannot be done any more. */
  readonly shows?: string;
}

const write = (name: string, content = "PWNED\n"): object => ({ tool: "Write", input: { file_path: name, content } });

const CASES: readonly Case[] = [
  {
    name: "a link that leads elsewhere",
    before: async () => {
      await put("a/one", "one\n");
      await put("a/two", "two\n");
      await relink("one", "a/lnk");
    },
    call: () => write("a/lnk"),
    swap: () => relink("two", "a/lnk"),
    untouched: { "a/one": "one\n", "a/two": "two\n" },
    shows: "-two",
  },
  {
    name: "a folder's link that leads to a protected folder",
    before: async () => {
      await put("b/d1/x", "");
      await put("b/.git/hooks/x", "");
      await relink("d1", "b/dl");
    },
    call: () => write("b/dl/pre-commit"),
    swap: () => relink(".git/hooks", "b/dl"),
    untouched: { "b/d1/pre-commit": "(absent)", "b/.git/hooks/pre-commit": "(absent)" },
    shows: "+PWNED",
  },
  {
    name: "a new file that is there by now",
    before: () => put("c/x", ""),
    call: () => write("c/nf.txt"),
    swap: () => put("c/nf.txt", "precious\n"),
    untouched: { "c/nf.txt": "precious\n" },
    shows: "-precious",
  },
  {
    name: "a file with other content",
    before: () => put("d/f", "safe=1\n"),
    call: () => write("d/f", "safe=1\nextra=2\n"),
    swap: () => put("d/f", "PRECIOUS\nPRECIOUS\n"),
    untouched: { "d/f": "PRECIOUS\nPRECIOUS\n" },
    shows: "-PRECIOUS",
  },
  {
    name: "a parent folder that became a link",
    before: () => put("e/d1/f", "old\n").then(() => put("e/d2/f", "other\n")),
    call: () => write("e/d1/f"),
    swap: async () => {
      await rename(at("e/d1"), at("e/away"));
      await symlink("d2", at("e/d1"));
    },
    untouched: { "e/d2/f": "other\n", "e/away/f": "old\n" },
    shows: "-other",
  },
  {
    name: "another mode",
    before: () => put("f/run.sh", "echo\n").then(() => chmod(at("f/run.sh"), 0o644)),
    call: () => write("f/run.sh", "echo PWNED\n"),
    swap: () => chmod(at("f/run.sh"), 0o755),
    untouched: { "f/run.sh": "echo\n" },
    shows: "+echo PWNED",
  },
  {
    name: "one more name of the file",
    before: () => put("g/f", "old\n"),
    call: () => write("g/f"),
    swap: () => link(at("g/f"), at("g/other")),
    untouched: { "g/f": "old\n", "g/other": "old\n" },
    shows: "-old",
  },
  {
    name: "a deleted file",
    before: () => put("h/f", "old\n"),
    call: () => write("h/f"),
    swap: () => unlink(at("h/f")),
    untouched: { "h/f": "(absent)" },
    shows: "+PWNED",
  },
  {
    name: "a file that became a folder",
    before: () => put("i/f", "old\n"),
    call: () => write("i/f"),
    swap: async () => {
      await unlink(at("i/f"));
      await put("i/f/inside", "kept\n");
    },
    untouched: { "i/f/inside": "kept\n" },
  },
  {
    name: "a file that became a pipe",
    before: () => put("j/f", "old\n"),
    call: () => write("j/f"),
    swap: async () => {
      await unlink(at("j/f"));
      execFileSync("mkfifo", [at("j/f")]);
    },
    untouched: {},
  },
  {
    name: "an Edit whose text is elsewhere by now",
    before: () => put("k/f", "a\nsecret = 0\nb\n"),
    call: () => ({ tool: "Edit", input: { file_path: "k/f", old_string: "secret = 0", new_string: "secret = 1" } }),
    swap: () => put("k/f", "admin:\n  secret = 0\n"),
    untouched: { "k/f": "admin:\n  secret = 0\n" },
    shows: "-  secret = 0",
  },
  {
    name: "a MultiEdit on other content",
    before: () => put("l/f", "x\ny\n"),
    call: () => ({
      tool: "MultiEdit",
      input: { file_path: "l/f", edits: [{ old_string: "x", new_string: "X" }] },
    }),
    swap: () => put("l/f", "keep x here\n"),
    untouched: { "l/f": "keep x here\n" },
    shows: "-keep x here",
  },
  {
    name: "a notebook with another cell",
    before: () => put("m/n.ipynb", notebook("one")),
    call: () => ({ tool: "NotebookEdit", input: { notebook_path: "m/n.ipynb", cell_id: "c", new_source: "PWNED" } }),
    swap: () => put("m/n.ipynb", notebook("two")),
    untouched: { "m/n.ipynb": notebook("two") },
    shows: "two",
  },
];

describe("a file change runs as it was shown, or is asked about again", () => {
  it.each(CASES)("$name", async (the) => {
    await the.before();
    const asked: Approval[] = [];
    const answers: unknown[] = [];
    const { events } = await runScript(
      app.client,
      { prompt: { text: script(the.call(), { say: "Done." }) } },
      async (approval) => {
        asked.push(approval);
        if (asked.length > 1) {
          answers.push(await app.client.decide(approval.id, { decision: "reject", input_hash: approval.input_hash }));
          return;
        }
        await the.swap();
        answers.push(await approve(approval));
      },
    );
    for (const [name, content] of Object.entries(the.untouched))
      expect([name, await read(name)]).toEqual([name, content]);
    expect(answers[0]).toMatchObject({ code: "input_changed" });
    const [first, second] = asked;
    expect(await app.client.approval(first?.id ?? "")).toMatchObject({
      status: "cancelled",
      feedback: "Changed since it was shown.",
      resolved_by: { role: "system" },
    });
    if (the.shows === undefined) {
      expect(second).toBeUndefined();
      expect(ended(events)).toMatchObject([["failed", {}]]);
      return;
    }
    expect(second).toMatchObject({ replaces: first?.id, tool_use_id: first?.tool_use_id, input: first?.input });
    expect(second?.reason).toContain("Changed since it was shown.");
    expect(JSON.stringify(second?.preview)).toContain(the.shows);
    expect(ended(events)).toMatchObject([["declined", { text: "User rejected: No reason provided" }]]);
  });

  it("runs once it is approved as it is now", async () => {
    await put("n/f", "one\n");
    let questions = 0;
    const { events } = await runScript(
      app.client,
      { prompt: { text: script(write("n/f", "last\n"), { say: "Done." }) } },
      async (approval) => {
        questions += 1;
        if (questions === 1) await put("n/f", "two\n");
        await approve(approval);
      },
    );
    expect([questions, await read("n/f")]).toEqual([2, "last\n"]);
    expect(ended(events)).toMatchObject([["completed", {}]]);
  });

  it("asks again when the change comes from another call of the same message, after the yes", async () => {
    await put("o/d1/x", "");
    await put("o/.git/hooks/x", "");
    await relink("d1", "o/dl");
    const move = { tool: "Bash", input: { command: "ln -sfn .git/hooks o/dl" } };
    const asked: Approval[] = [];
    const first = later<Approval>();
    const { events } = await runScript(
      app.client,
      { prompt: { text: script({ tools: [move, write("o/dl/pre-commit")] }, { say: "Done." }) } },
      async (approval) => {
        asked.push(approval);
        if (approval.tool === "Bash") {
          first.resolve(approval);
          return;
        }
        if (approval.replaces !== undefined) {
          await app.client.decide(approval.id, { decision: "reject", input_hash: approval.input_hash });
          return;
        }
        await approve(approval);
        await approve(await first.promise);
      },
    );
    // The two of one message are asked about together, in any order.
    expect(
      asked.map(({ tool, replaces }) => `${tool} ${replaces === undefined ? "first" : "again"}`).toSorted(),
    ).toEqual(["Bash first", "Write again", "Write first"]);
    expect(asked[2]?.reason).toContain("decides what programs run");
    expect([await read("o/d1/pre-commit"), await read("o/.git/hooks/pre-commit")]).toEqual(["(absent)", "(absent)"]);
    expect(ended(events)).toMatchObject([
      ["completed", {}],
      ["declined", { text: "User rejected: No reason provided" }],
    ]);
  });

  it("does not write to an unapproved place when the link moved before the call ran", async () => {
    await put("p/d1/x", "");
    await put("p/.git/hooks/x", "");
    await relink("d1", "p/dl");
    const move = { tool: "Bash", input: { command: "ln -sfn .git/hooks p/dl" } };
    const asked: Approval[] = [];
    await runScript(
      app.client,
      { autonomy: "full", prompt: { text: script({ tools: [move, write("p/dl/pre-commit")] }, { say: "Done." }) } },
      async (approval) => {
        asked.push(approval);
        await app.client.decide(approval.id, { decision: "reject", input_hash: approval.input_hash });
      },
    );
    expect([await read("p/d1/pre-commit"), await read("p/.git/hooks/pre-commit")]).toEqual(["(absent)", "(absent)"]);
    expect(asked).toMatchObject([{ tool: "Write", reason: expect.stringContaining("decides what programs run") }]);
  });

  it("binds an edit to the file that was shown", async () => {
    await put("q/f", "one\n");
    const answers: unknown[] = [];
    let questions = 0;
    const { events } = await runScript(
      app.client,
      { prompt: { text: script(write("q/f", "draft\n"), { say: "Done." }) } },
      async ({ id, input_hash, input }) => {
        questions += 1;
        if (questions === 1) await put("q/f", "two\n");
        const updated_input = { ...input, content: "edited\n" };
        answers.push(
          await app.client
            .decide(id, { decision: "approve", input_hash, updated_input })
            .catch((error: unknown) => error),
        );
      },
    );
    expect(answers).toMatchObject([{ code: "input_changed" }, { status: "approved" }]);
    expect(await read("q/f")).toBe("edited\n");
    expect(ended(events)).toMatchObject([["completed", {}]]);
  });

  it("holds between two sessions and two yeses", async () => {
    await put("r/d1/x", "");
    await put("r/.git/hooks/x", "");
    await relink("d1", "r/dl");
    const one = await app.client.createSession({ prompt: { text: script(write("r/dl/pre-commit"), { say: "A" }) } });
    const shown = later<Approval>();
    const replies: unknown[] = [];
    const following = untilTurnEnds(app.client, one.id, {
      answer: async (approval) => {
        if (approval.replaces === undefined) shown.resolve(approval);
        else await app.client.decide(approval.id, { decision: "reject", input_hash: approval.input_hash });
      },
    });
    const question = await shown.promise;
    await runScript(
      app.client,
      { prompt: { text: script({ tool: "Bash", input: { command: "ln -sfn .git/hooks r/dl" } }, { say: "B" }) } },
      approve,
    );
    replies.push(await approve(question));
    await following;
    expect(replies).toMatchObject([{ code: "input_changed" }]);
    expect([await read("r/d1/pre-commit"), await read("r/.git/hooks/pre-commit")]).toEqual(["(absent)", "(absent)"]);
  });
});
