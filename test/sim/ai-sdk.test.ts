import { createAnthropic } from "@ai-sdk/anthropic";
import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSim, type SimExchange, type SimServer } from "../../src/sim/index.ts";

let sim: SimServer;
let model: LanguageModelV3;
const seen: SimExchange[] = [];
beforeAll(async () => {
  sim = await startSim({}, { demoDelayMs: 0, onExchange: (exchange) => seen.push(exchange) });
  model = createAnthropic({ baseURL: `${sim.url}/v1`, apiKey: "the-key" })("sim");
});
afterAll(() => sim.close());

const options = (steps: readonly unknown[], maxOutputTokens = 1_000): LanguageModelV3CallOptions => ({
  prompt: [{ role: "user", content: [{ type: "text", text: `sim: ${JSON.stringify(steps)}` }] }],
  maxOutputTokens,
});

async function partsOf(
  steps: readonly unknown[],
  maxOutputTokens?: number,
): Promise<readonly LanguageModelV3StreamPart[]> {
  const { stream } = await model.doStream(options(steps, maxOutputTokens));
  const parts: LanguageModelV3StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

describe("the client of another maker", () => {
  const steps = [{ think: "I see." }, { say: "Hello there." }, { tool: "Read", input: { file_path: "/a/b" } }];

  test("reads a stream as it reads the whole answer", async () => {
    const { content, finishReason, usage } = await model.doGenerate(options(steps));
    const parts = await partsOf(steps);
    const text = parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : [])).join("");
    const thought = parts.flatMap((part) => (part.type === "reasoning-delta" ? [part.delta] : [])).join("");
    expect(content).toMatchObject([
      { type: "reasoning", text: thought },
      { type: "text", text },
      { type: "tool-call", toolName: "Read", input: '{"file_path":"/a/b"}' },
    ]);
    expect([thought, text]).toEqual(["I see.", "Hello there."]);
    expect(parts.find((part) => part.type === "tool-call")).toMatchObject(content.at(-1) ?? {});
    expect(parts.at(-1)).toMatchObject({
      type: "finish",
      finishReason,
      usage: { inputTokens: usage.inputTokens, outputTokens: { total: usage.outputTokens.total } },
    });
    expect(finishReason).toEqual({ unified: "tool-calls", raw: "tool_use" });
  });

  test("sees where the tokens ended", async () => {
    expect((await partsOf([{ stream: { tokens: 50 } }], 4)).at(-1)).toMatchObject({
      finishReason: { unified: "length", raw: "max_tokens" },
      usage: { outputTokens: { total: 4 } },
    });
  });

  test("shows its key", () => {
    expect(seen.at(-1)).toMatchObject({
      path: "/v1/messages",
      headers: { "x-api-key": "the-key", "anthropic-version": expect.any(String) },
      body: { model: "sim", max_tokens: 4 },
      status: 200,
    });
  });
});
