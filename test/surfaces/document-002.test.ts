import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CompatRow, LIMITS } from "../../src/protocol/index.ts";
import { openTestApp, script, type TestApp } from "../support/app.ts";
import { approveNext, BridgeClient, mapped, threadOf, type Row } from "./bridge-client.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
  await writeFile(join(app.place.workspace, "notes.txt"), "milk\nbread\n");
});
afterAll(() => app[Symbol.asyncDispose]());

async function withClient<Result>(use: (client: BridgeClient) => Promise<Result>, mapping = "compat"): Promise<Result> {
  const client = new BridgeClient(app, { query: `replay=off&mapping=${mapping}` });
  try {
    return await use(client);
  } finally {
    client.close();
  }
}

const shortened = (rows: readonly Row[]): unknown =>
  rows.map((row) => (row.type === "turn.completed" ? { ...row, usage: "…" } : row));

describe("document 002's bridge", () => {
  it("plays the example: text, a tool, text, in the documented rows", async () => {
    await withClient(async (client) => {
      await client.submit(
        script(
          { say: "I'll search." },
          { tool: "Grep", input: { pattern: "milk", path: ".", output_mode: "files_with_matches" } },
          { say: "Perfect! I found it." },
          {
            usage: {
              input_tokens: 11,
              output_tokens: 22,
              cache_read_input_tokens: 33,
              cache_creation_input_tokens: 44,
            },
          },
        ),
      );
      const rows = await client.turn();
      const thread_id = threadOf(rows);
      const command = rows[3]?.["item"] as { id: string };
      expect(shortened(rows)).toEqual([
        { type: "thread.started", thread_id },
        { type: "turn.started" },
        { type: "item.completed", item: { id: "item_0", type: "agent_message", text: "I'll search." } },
        {
          type: "item.started",
          item: {
            id: command.id,
            type: "command_execution",
            command: "Grep",
            aggregated_output: "",
            status: "in_progress",
          },
        },
        {
          type: "item.completed",
          item: {
            id: command.id,
            type: "command_execution",
            command: "Grep",
            aggregated_output: join(app.place.workspace, "notes.txt"),
            exit_code: 0,
            status: "completed",
          },
        },
        { type: "item.completed", item: { id: "item_1", type: "agent_message", text: "Perfect! I found it." } },
        { type: "turn.completed", usage: "…" },
      ]);
      expect(command.id).toMatch(/^toolu_/);
      const { usage } = await app.client.session(thread_id);
      expect(rows.at(-1)).toEqual({
        type: "turn.completed",
        usage: {
          input_tokens: usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
          cached_input_tokens: usage.cache_read_tokens,
          output_tokens: usage.output_tokens,
        },
      });
      expect(usage.cache_read_tokens).toBeGreaterThanOrEqual(33);
      for (const row of rows) expect(CompatRow.parse(row)).toEqual(row);
    });
  });

  it("shows the common tools with start, end and output, several to a run", async () => {
    await withClient(async (client) => {
      await client.submit(
        script(
          {
            tools: [
              { tool: "Read", input: { file_path: "notes.txt" } },
              { tool: "Glob", input: { pattern: "*.txt" } },
            ],
          },
          { tool: "Bash", input: { command: "echo from bash" } },
          { tool: "Read", input: { file_path: "missing.txt" } },
          { say: "ok" },
        ),
      );
      const thread_id = threadOf(await client.until("turn.started"));
      await approveNext(app, thread_id);
      const rows = await client.turn();
      expect(
        rows.flatMap(({ type, item }) => {
          const { command, exit_code, status } = (item ?? {}) as { [field: string]: string | undefined };
          return command === undefined ? [] : [`${type} ${command} ${status} ${exit_code}`];
        }),
      ).toEqual([
        "item.started Read in_progress undefined",
        "item.started Glob in_progress undefined",
        expect.stringMatching(/^item.completed (Read|Glob) completed 0$/),
        expect.stringMatching(/^item.completed (Read|Glob) completed 0$/),
        "item.started Bash in_progress undefined",
        "item.completed Bash completed 0",
        "item.started Read in_progress undefined",
        "item.completed Read failed 1",
      ]);
      expect(JSON.stringify(rows)).toContain("from bash");
      // The question and its answer are rows that the document does not have; all others have its form.
      const others = rows.filter(({ type }) => !type.startsWith("approval."));
      expect(rows.length - others.length).toBe(2);
      expect(others.every(({ type }) => /^(item|turn)\./.test(type))).toBe(true);
    });
  });

  it("sums up a large output with its length", async () => {
    await writeFile(join(app.place.workspace, "large.txt"), `${"x".repeat(99)}\n`.repeat(1_000));
    await withClient(async (client) => {
      await client.submit(script({ tool: "Read", input: { file_path: "large.txt" } }, { say: "long" }));
      const rows = await client.turn();
      const item = rows.find(({ type }) => type === "item.completed")?.["item"] as { aggregated_output: string };
      expect(item.aggregated_output).toMatch(/\n\[… 1\d{5} bytes in all, the middle is left out …\]\n/);
      expect(item.aggregated_output.length).toBeLessThan(LIMITS.bridgeHeadChars + LIMITS.bridgeTailChars + 100);
    });
  });

  it("aborts in the middle of a text: what was said stays, the turn failed, the next prompt is clean", async () => {
    await withClient(async (client) => {
      await withClient(async (watcher) => {
        await watcher.status();
        await client.submit(script({ stream: { tokens: 100_000, per_second: 2_000 } }));
        await watcher.until((row) => row.type === "item.started" && (row["item"] as Row).type === "agent_message");
        await client.say({ control: "run.abort" });
        const rows = await client.turn();
        expect(rows.map(({ type }) => type)).toEqual([
          "thread.started",
          "turn.started",
          "item.completed",
          "turn.failed",
        ]);
        expect(rows[2]?.["item"]).toEqual({
          id: "item_0",
          type: "agent_message",
          text: expect.stringMatching(/(\w+ ){10}/),
        });
        expect(JSON.stringify(rows[3])).toBe('{"type":"turn.failed","error":{"message":"aborted"}}');
        expect((await app.client.session(threadOf(rows))).status).toBe("idle");
        await client.submit(script({ say: "again" }));
        const next = await client.turn();
        expect(next[2]).toEqual({
          type: "item.completed",
          item: { id: "item_0", type: "agent_message", text: "again" },
        });
      }, "rich");
    });
  });

  it("aborts in the middle of a tool, and while a person is asked", async () => {
    await withClient(async (client) => {
      await withClient(async (watcher) => {
        await watcher.status();
        const command = "printf 'x%.0s' $(seq 300); sleep 60";
        await client.submit(script({ tool: "Bash", input: { command } }));
        const thread_id = threadOf(await client.until("turn.started"));
        await approveNext(app, thread_id);
        await watcher.until("item.updated");
        await client.say({ control: "run.abort" });
        const rows = await client.turn();
        expect(rows.slice(-2)).toEqual([
          {
            type: "item.completed",
            item: {
              id: expect.stringMatching(/^toolu_/),
              type: "command_execution",
              command: "Bash",
              aggregated_output: expect.stringContaining("xxx"),
              exit_code: 1,
              status: "failed",
            },
          },
          { type: "turn.failed", error: { message: "aborted" } },
        ]);
        await client.submit(script({ tool: "Bash", input: { command: "true" } }));
        await watcher.until("approval.requested");
        await client.say({ control: "run.abort" });
        expect((await client.turn()).slice(-2)).toMatchObject([
          { type: "item.completed", item: { status: "failed", exit_code: 1 } },
          { type: "turn.failed", error: { message: "aborted" } },
        ]);
        expect((await watcher.until("approval.resolved")).at(-1)).toMatchObject({ outcome: "cancelled" });
      }, "rich");
    });
  });

  it("says what went wrong, and goes on with the next prompt", async () => {
    await withClient(async (client) => {
      await client.submit(script({ say: "a" }, { error: { status: 401, times: 10 } }));
      const rows = await client.turn();
      const message = (rows.at(-1) as { error: { message: string } } | undefined)?.error.message;
      expect(rows.slice(-2)).toEqual([
        { type: "error", message },
        { type: "turn.failed", error: { message } },
      ]);
      expect(message).toMatch(/\w{5,}/);
      await client.submit(script({ say: "fine" }), { resumeId: threadOf(rows) });
      expect((await client.turn()).at(-1)?.type).toBe("turn.completed");
    });
  });

  it("is the journal in other words, in both mappings", async () => {
    const rich = new BridgeClient(app, { query: "replay=off&mapping=rich" });
    await rich.status();
    await withClient(async (client) => {
      await client.submit(
        script(
          { think: "hm" },
          { say: "one" },
          { tool: "TodoWrite", input: { todos: [{ content: "a", status: "pending", activeForm: "x" }] } },
          { say: "two" },
          { tool: "Write", input: { file_path: "new.txt", content: "hi\n" } },
          { say: "end" },
        ),
      );
      const begun = await client.until("turn.started");
      const id = threadOf(begun);
      await approveNext(app, id);
      expect([...begun.slice(-2), ...(await client.turn())]).toEqual(await mapped(app, id));
      const rows = await rich.until(
        (row) => row.type === "turn.completed" && rich.rows.some((r) => r["thread_id"] === id),
      );
      const own = rows.slice(rows.findIndex((row) => row["thread_id"] === id));
      expect(own).toEqual(await mapped(app, id, "rich"));
      expect(own.map(({ type, item }) => (item === undefined ? type : `${type} ${(item as Row).type}`))).toEqual([
        "thread.started",
        "turn.started",
        "item.completed reasoning",
        "item.completed agent_message",
        "item.started todo_list",
        "item.completed agent_message",
        "item.started file_change",
        "approval.requested",
        "approval.resolved",
        "item.completed file_change",
        "item.completed agent_message",
        "item.completed todo_list",
        "turn.completed",
      ]);
    });
    rich.close();
  });
});
