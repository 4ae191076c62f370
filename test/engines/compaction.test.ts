import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { EventBody } from "../../src/protocol/index.ts";
import type { EngineEvent } from "../../src/engines/index.ts";
import { journalOf, never, outline, promptEvent, readTurn, script, World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(() => {
  world.take();
});
afterAll(() => world.sim.close());

const SUMMARY_MARK = "[The earlier part of this conversation was too long and was replaced by this summary.]";

function compactions(arrays: readonly (readonly EngineEvent[])[]): readonly unknown[] {
  return arrays
    .flat()
    .flatMap((event) => (event.type !== "usage" && "item" in event && event.item.type === "compaction" ? [event] : []));
}

describe("a conversation that fills the window", () => {
  test("is summarised, keeps its newest part, and the journal gives the same conversation", async () => {
    const host = world.host();
    const options = { contextTokens: 6_000 };
    const conversation = await world.open(host, options);
    const journal: EventBody[] = [];
    const turn = async (words: string, steps: readonly unknown[]): Promise<readonly (readonly EngineEvent[])[]> => {
      const prompt = script(steps, words);
      const { arrays } = await readTurn(conversation.turn(prompt, never()));
      journal.push(promptEvent(prompt), ...journalOf(arrays));
      return arrays;
    };
    await turn("One.", [{ stream: { tokens: 2_300 } }]);
    await turn("Two.", [{ tool: "Bash" }, { stream: { tokens: 2_300 } }]);
    world.take();
    const arrays = await turn("Three.", [{ tool: "Bash" }, { say: "short" }]);
    expect(compactions(arrays)).toEqual([
      {
        type: "item.started",
        item: {
          id: expect.any(String),
          type: "compaction",
          status: "in_progress",
          summary: "",
          through: expect.any(String),
          tokens_before: expect.any(Number),
        },
      },
      {
        type: "item.completed",
        item: {
          id: expect.any(String),
          type: "compaction",
          status: "completed",
          summary: expect.stringContaining(`${SUMMARY_MARK}\n\nThis is Sallyport's demo model`),
          through: expect.any(String),
          tokens_before: expect.any(Number),
        },
      },
    ]);
    expect(arrays[0]?.map((event) => event.type)).toEqual(["item.started", "item.completed", "usage"]);
    expect(arrays.at(-1)?.at(-1)).toEqual({ type: "turn.completed", stop_reason: "end_turn" });
    const [summary, ...rest] = world.sent();
    expect(summary?.tools).toBeUndefined();
    expect(summary?.messages[0]?.content[0]?.text).toContain("> user: One.\n> sim:");
    expect(rest.map(outline)).toEqual([
      [["user", SUMMARY_MARK, "Three."]],
      [
        ["user", SUMMARY_MARK, "Three."],
        ["assistant", "tool_use"],
        ["user", "tool_result"],
      ],
    ]);
    const again = await world.open(world.host(), { ...options, journal });
    await readTurn(conversation.turn(script([{ say: "more" }]), never()));
    await readTurn(again.turn(script([{ say: "more" }]), never()));
    const [left, right] = world.sent();
    expect(right).toEqual(left);
  });

  test("a model that finds it too long gets a summary, once", async () => {
    const conversation = await world.open(world.host());
    await readTurn(conversation.turn(script([{ say: "old" }], "One."), never()));
    world.take();
    const told = await readTurn(
      conversation.turn(
        script(
          [{ error: { status: 400, message: "prompt is too long: 9 tokens > 8 maximum" } }, { say: "fits now" }],
          "Two.",
        ),
        never(),
      ),
    );
    expect(compactions(told.arrays)).toHaveLength(2);
    // The conversation is another one now, so the script fails once more: that is the end of it.
    expect(told.arrays.at(-1)?.at(-1)).toMatchObject({ type: "turn.failed", error: { code: "context_exceeded" } });
    expect(world.take().map((exchange) => exchange.status)).toEqual([400, 200, 400]);
  });

  test("is used whole when it cannot be summarised", async () => {
    const asked: boolean[] = [];
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const withTools = (JSON.parse(body) as { tools?: unknown }).tools !== undefined;
        asked.push(withTools);
        if (!withTools)
          response.writeHead(400).end('{"type":"error","error":{"type":"invalid_request_error","message":"no"}}');
        else
          response.end(
            'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{}}\n\ndata: {"type":"message_stop"}\n\n',
          );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const prompt = script([{ stream: { tokens: 2_300 } }]);
    const first = await readTurn((await world.open(world.host())).turn(prompt, never()));
    const journal = [promptEvent(prompt), ...journalOf(first.arrays)];
    const host = world.host();
    host.model = { ...host.model, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    const conversation = await world.open(host, { contextTokens: 2_000, journal });
    const told = await readTurn(conversation.turn({ text: "hello" }, never()));
    expect(told.arrays.flat().map((event) => (event.type === "notice" ? event.message : event.type))).toEqual([
      "the conversation is long and could not be summarised; going on with all of it",
      "usage",
      "turn.completed",
    ]);
    expect(asked).toEqual([false, true]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test("a call and its result stay together", async () => {
    const conversation = await world.open(world.host(), { contextTokens: 3_000 });
    const calls = Array.from({ length: 12 }, (_, index) => ({
      tool: "Write",
      input: { file_path: `f${index}`, content: "x".repeat(2_000) },
    }));
    const told = await readTurn(conversation.turn(script([...calls, { say: "Done." }]), never()));
    expect(compactions(told.arrays).length).toBeGreaterThan(0);
    expect(
      told.arrays.flat().filter((event) => event.type === "turn.completed" || event.type === "turn.failed"),
    ).toHaveLength(1);
    expect(world.take().filter((exchange) => exchange.status === 400)).toEqual([]);
  });
});
