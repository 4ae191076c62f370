import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { expect, onTestFinished, test } from "vitest";
import { startSim } from "../../src/sim/index.ts";
import { World } from "../proxy/world.ts";
import { script } from "../support/app.ts";

const prompt = script(
  { say: "I look." },
  { tool: "lookup", input: { word: "first" } },
  { tool: "lookup", input: { word: "second" } },
  { say: "Done." },
);

function lookup(seen: unknown[]) {
  return betaTool({
    name: "lookup",
    description: "Looks a word up.",
    inputSchema: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
    run: ({ word }) => {
      seen.push(word);
      return `found ${word}`;
    },
  });
}

test.each([false, true])(
  "the official tool runner works through the proxy against sim (stream: %s)",
  async (stream) => {
    const exchanges: unknown[] = [];
    const sim = await startSim({}, { demoDelayMs: 0, onExchange: ({ body }) => exchanges.push(body) });
    onTestFinished(() => sim.close());
    await using world = await World.open({ baseUrl: sim.url });
    const client = new Anthropic({ apiKey: world.lease.key, baseURL: world.proxy.tcpUrl, maxRetries: 0 });
    const seen: unknown[] = [];
    const last = await client.beta.messages
      .toolRunner({
        model: "claude-test",
        max_tokens: 1_000,
        messages: [{ role: "user", content: prompt }],
        tools: [lookup(seen)],
        stream,
      })
      .runUntilDone();
    expect([seen, last.stop_reason, last.content]).toEqual([
      ["first", "second"],
      "end_turn",
      [expect.objectContaining({ type: "text", text: "Done." })],
    ]);
    // It does use what this test is about.
    expect(exchanges.map((body) => (body as { thread?: { type: string } }).thread?.type)).toEqual([
      "create",
      "continue",
      "continue",
    ]);
    // Each one was held to what a whole window costs, and then paid for as told.
    expect(world.exchanges.map(({ outcome, bound_microusd }) => [outcome, bound_microusd])).toEqual(
      Array.from({ length: 3 }, () => ["completed", 0]),
    );
    expect(new Set(world.exchanges.map(({ reserved_microusd }) => reserved_microusd)).size).toBe(1);
  },
);
