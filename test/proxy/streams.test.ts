import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ACCOUNTS, costOf } from "../../src/ledger/index.ts";
import { ANTHROPIC_STREAMS } from "./streams/anthropic.ts";
import { OPENAI_STREAMS } from "./streams/openai.ts";
import type { RecordedStream } from "./streams/stream.ts";
import { EVENT_STREAM, PRICE, SESSION, World } from "./world.ts";

const PATHS = { messages: "/v1/messages", responses: "/v1/responses", chat: "/v1/chat/completions" } as const;
const STREAMS = [...ANTHROPIC_STREAMS, ...OPENAI_STREAMS];
const SIZES = [1, 2, 3, 5, 7, 16, 61, 256, 1_024, 65_536];

/** Each body is another one: what a provider broke off is charged once for the same bytes. */
function bodyOf({ route, hidden }: RecordedStream, text: string): object {
  const messages = [{ role: "user", content: text }];
  switch (route) {
    case "messages":
      return { model: "claude-test", max_tokens: 5_000, stream: true, messages };
    case "responses":
      return { model: "gpt-test", max_output_tokens: 5_000, stream: true, input: text };
    case "chat":
      return {
        model: "gpt-test",
        max_completion_tokens: 5_000,
        stream: true,
        messages,
        ...(hidden === undefined ? { stream_options: { include_usage: true } } : {}),
      };
  }
}

function borders(bytes: Buffer, size: number): readonly number[] {
  return Array.from({ length: Math.ceil(bytes.length / size) - 1 }, (_, index) => (index + 1) * size);
}

let world: World;
let asked = 0;
beforeAll(async () => {
  world = await World.open({
    context: { spendingLimits: [{ kind: "session", account: ACCOUNTS.session(SESSION), limit: 1e12 }] },
  });
});
afterAll(() => world[Symbol.asyncDispose]());

/** Sends the stream in these pieces, each in a chunk of its own, and answers what came of it. */
async function pass(stream: RecordedStream, cuts: readonly number[]) {
  const bytes = Buffer.from(stream.text);
  world.behaviour = (_, response) => {
    response.writeHead(200, EVENT_STREAM);
    let from = 0;
    for (const cut of [...cuts, bytes.length]) {
      if (cut > from) response.write(bytes.subarray(from, cut));
      from = cut;
    }
    response.end();
  };
  // Streams that break off on purpose stop no further ones here.
  world.breaker.reset("test");
  let settledFirst: boolean | undefined;
  const answer = await world.ask({
    path: PATHS[stream.route],
    body: bodyOf(stream, `hi ${(asked += 1)}`),
    onBytes: (body) => {
      if (body.length >= bytes.length - (stream.hidden?.length ?? 0)) settledFirst = world.exchanges.length === 1;
    },
  });
  const exchange = await world.exchange();
  return { answer, exchange, settledFirst };
}

describe.each(STREAMS)("$name", (stream) => {
  const outcome = stream.end ?? "completed";

  test("passes unchanged and is paid for as it says", async () => {
    const bytes = Buffer.from(stream.text);
    for (const size of SIZES) {
      const { answer, exchange, settledFirst } = await pass(stream, borders(bytes, size));
      expect(answer.body).toBe(stream.text.replace(stream.hidden ?? "\0", ""));
      expect({
        status: answer.status,
        cut: answer.cut,
        settledFirst,
        outcome: exchange.outcome,
        tokens: exchange.tokens,
      }).toEqual({ status: 200, cut: false, settledFirst: true, outcome, tokens: stream.tokens });
      if (stream.partial === undefined) {
        expect(exchange).toMatchObject({ cost_microusd: costOf(PRICE, stream.tokens), bound_microusd: 0 });
      }
      expect(exchange.cost_microusd === 0).toBe(stream.released === true);
      expect((await world.balance()).reserved).toBe(0);
    }
  });

  test("with random borders", async () => {
    const { length } = Buffer.from(stream.text);
    const cuts = fc.array(fc.nat(length), { maxLength: 12 }).map((list) => list.toSorted((a, b) => a - b));
    await fc.assert(
      fc.asyncProperty(cuts, async (list) => {
        const { answer, exchange } = await pass(stream, list);
        expect(answer.body).toBe(stream.text.replace(stream.hidden ?? "\0", ""));
        expect(exchange.tokens).toEqual(stream.tokens);
      }),
      { seed: 7, numRuns: 5 },
    );
  });
});
