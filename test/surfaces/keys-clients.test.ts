import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { APICallError, generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NO_TOKENS } from "../../src/protocol/index.ts";
import { openPricedApp, type PricedApp } from "../support/priced-app.ts";
import { script } from "../support/app.ts";

let app: PricedApp;
beforeAll(async () => {
  app = await openPricedApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const weather = { name: "weather", description: "The weather", schema: { type: "object" as const, properties: {} } };
const TOOL = script({ tool: "weather", input: { city: "Bonn" } }, { say: "It rains." });
const TALK = script({ say: "one two three four five" });
/** It would go on for longer than any test. */
const ENDLESS = script({ stream: { tokens: 100_000, per_second: 50 } });

/** How each official client is used, in the words of this test. */
interface Client {
  /** The text of a streamed answer. */
  talk(prompt: string): Promise<string>;
  /** Streams, and stops after the first piece. */
  leave(prompt: string): Promise<string>;
  /** A tool call and what is said after its result. */
  call(prompt: string): Promise<readonly [call: unknown, text: string]>;
  /** The status and the words of a refusal, as the client shows them. */
  refused(prompt: string): Promise<{ readonly status: number | undefined; readonly message: string }>;
}

type Key = { readonly key: string; readonly base_url: string };

const anthropicSdk = ({ key: apiKey, base_url: baseURL }: Key): Client => {
  const client = new Anthropic({ apiKey, baseURL });
  const base = { model: "sim", max_tokens: 1_000 };
  const user = (content: string) => [{ role: "user" as const, content }];
  return {
    talk: (prompt) => client.messages.stream({ ...base, messages: user(prompt) }).finalText(),
    leave: async (prompt) => {
      const stream = client.messages.stream({ ...base, max_tokens: 2_000, messages: user(prompt) });
      stream.on("text", () => stream.abort());
      return stream.finalText().then(
        () => "ended",
        (error: unknown) => (error as Error).constructor.name,
      );
    },
    call: async (prompt) => {
      const tools = [{ name: weather.name, description: weather.description, input_schema: weather.schema }];
      const first = await client.messages.create({ ...base, tools, messages: user(prompt) });
      const call = first.content.find((part) => part.type === "tool_use");
      const result = { type: "tool_result" as const, tool_use_id: call?.id ?? "", content: "rain" };
      const messages = [
        ...user(prompt),
        { role: "assistant" as const, content: first.content },
        { role: "user" as const, content: [result] },
      ];
      return [call?.input, await client.messages.stream({ ...base, tools, messages }).finalText()];
    },
    refused: (prompt) =>
      client.messages.create({ ...base, messages: user(prompt) }).then(
        () => ({ status: 200, message: "" }),
        (error: unknown) => {
          if (!(error instanceof Anthropic.APIError)) throw error;
          return { status: error.status as number | undefined, message: error.message };
        },
      ),
  };
};

const openaiSdk = ({ key: apiKey, base_url }: Key): Client => {
  const client = new OpenAI({ apiKey, baseURL: `${base_url}/v1` });
  const base = { model: "sim", max_output_tokens: 1_000 };
  return {
    talk: async (input) => {
      let text = "";
      for await (const event of await client.responses.create({ ...base, input, stream: true }))
        if (event.type === "response.output_text.delta") text += event.delta;
      return text;
    },
    leave: async (input) => {
      const stream = await client.responses.create({ ...base, max_output_tokens: 2_000, input, stream: true });
      for await (const event of stream) if (event.type === "response.output_text.delta") break;
      return stream.controller.signal.aborted ? "APIUserAbortError" : "ended";
    },
    call: async (prompt) => {
      const { name, description, schema } = weather;
      const tools = [{ type: "function" as const, name, description, parameters: schema, strict: false }];
      const input = [{ role: "user" as const, content: prompt }];
      const first = await client.responses.create({ ...base, tools, input });
      const call = first.output.find((item) => item.type === "function_call");
      if (call === undefined) return [undefined, first.output_text];
      const result = { type: "function_call_output" as const, call_id: call.call_id, output: "rain" };
      const second = await client.responses.create({ ...base, tools, input: [...input, call, result] });
      return [JSON.parse(call.arguments), second.output_text];
    },
    refused: (input) => refusedBy(client.responses.create({ ...base, input })),
  };
};

const openaiChat = ({ key: apiKey, base_url }: Key): Client => {
  const client = new OpenAI({ apiKey, baseURL: `${base_url}/v1` });
  const base = { model: "sim", max_completion_tokens: 1_000 };
  const user = (content: string) => [{ role: "user" as const, content }];
  return {
    talk: async (prompt) =>
      (await client.chat.completions.stream({ ...base, messages: user(prompt) }).finalContent()) ?? "",
    leave: async (prompt) => {
      const messages = user(prompt);
      const stream = await client.chat.completions.create({
        ...base,
        max_completion_tokens: 2_000,
        messages,
        stream: true,
      });
      for await (const chunk of stream) if ((chunk.choices[0]?.delta.content ?? "") !== "") break;
      return stream.controller.signal.aborted ? "APIUserAbortError" : "ended";
    },
    call: async (prompt) => {
      const { name, description, schema } = weather;
      const tools = [{ type: "function" as const, function: { name, description, parameters: schema } }];
      const first = await client.chat.completions.create({ ...base, tools, messages: user(prompt) });
      const message = first.choices[0]?.message;
      const call = message?.tool_calls?.[0];
      if (message === undefined || call?.type !== "function") return [undefined, ""];
      const messages = [...user(prompt), message, { role: "tool" as const, tool_call_id: call.id, content: "rain" }];
      const second = await client.chat.completions.create({ ...base, tools, messages });
      return [JSON.parse(call.function.arguments), second.choices[0]?.message.content ?? ""];
    },
    refused: (prompt) => refusedBy(client.chat.completions.create({ ...base, messages: user(prompt) })),
  };
};

function refusedBy(answer: PromiseLike<unknown>): ReturnType<Client["refused"]> {
  return Promise.resolve(answer).then(
    () => ({ status: 200, message: "" }),
    (error: unknown) => {
      if (!(error instanceof OpenAI.APIError)) throw error;
      return { status: error.status as number | undefined, message: error.message };
    },
  );
}

const aiSdk =
  (wire: "anthropic" | "openai") =>
  ({ key: apiKey, base_url }: Key): Client => {
    const make = wire === "anthropic" ? createAnthropic : createOpenAI;
    const model = make({ apiKey, baseURL: `${base_url}/v1` })("sim");
    const base = { model, maxOutputTokens: 1_000 };
    return {
      talk: async (prompt) => streamText({ ...base, prompt }).text,
      leave: async (prompt) => {
        const stop = new AbortController();
        const { fullStream } = streamText({ ...base, maxOutputTokens: 2_000, prompt, abortSignal: stop.signal });
        let last = "";
        for await (const part of fullStream) {
          last = part.type;
          if (part.type === "text-delta") stop.abort();
        }
        return last === "abort" ? "APIUserAbortError" : last;
      },
      call: async (prompt) => {
        const calls: unknown[] = [];
        const inputSchema = jsonSchema(weather.schema);
        const { text } = await generateText({
          ...base,
          prompt,
          stopWhen: stepCountIs(3),
          tools: {
            weather: tool({
              description: weather.description,
              inputSchema,
              execute: (input) => {
                calls.push(input);
                return "rain";
              },
            }),
          },
        });
        return [calls[0], text];
      },
      refused: (prompt) =>
        generateText({ ...base, prompt }).then(
          () => ({ status: 200, message: "" }),
          (error: unknown) => {
            if (!APICallError.isInstance(error)) throw error;
            return { status: error.statusCode, message: error.message };
          },
        ),
    };
  };

const CLIENTS: readonly { readonly name: string; readonly open: (key: Key) => Client }[] = [
  { name: "@anthropic-ai/sdk", open: anthropicSdk },
  { name: "openai, Responses", open: openaiSdk },
  { name: "openai, Chat Completions", open: openaiChat },
  { name: "ai on Anthropic's wire", open: aiSdk("anthropic") },
  { name: "ai on OpenAI's wire", open: aiSdk("openai") },
];

describe.each(CLIENTS)("$name", ({ open }) => {
  test("streams, calls tools, and each token is counted", async () => {
    const key = await app.client.createKey({ name: "client" });
    const client = open(key);
    expect(await client.talk(TALK)).toBe("one two three four five");
    expect(await client.call(TOOL)).toEqual([{ city: "Bonn" }, "It rains."]);
    const { lines } = await app.client.usage({ by: ["key"], key: key.id });
    const [line] = lines;
    expect(lines).toMatchObject([{ key: key.id, requests: 3, bound_microusd: 0 }]);
    const { input, output, cache_read } = line?.tokens ?? NO_TOKENS;
    expect(line?.cost_microusd).toBe(input + output + cache_read);
    const { keys } = await app.client.keys();
    expect(keys.find(({ id }) => id === key.id)).toMatchObject({
      spent_microusd: line?.cost_microusd,
      reserved_microusd: 0,
    });
  });

  test("stops without a retry when the key's money is spent, and shows the words", async () => {
    const key = await app.client.createKey({ name: "poor", max_cost_microusd: 20 });
    const generated = () => app.asked.filter(({ path }) => !path.includes("count_tokens")).length;
    const before = generated();
    const refused = await open(key).refused(TALK);
    expect(refused.status).toBe(402);
    expect(refused.message).toContain("this key's limit");
    expect(generated()).toBe(before);
    expect((await app.client.usage({ by: ["key"], key: key.id })).total.requests).toBe(0);
  });

  test("understands a key that was deleted, and models that the key is not for", async () => {
    const key = await app.client.createKey({ name: "narrow", models: ["other-*"] });
    const client = open(key);
    expect(await client.refused(TALK)).toMatchObject({
      status: 403,
      message: expect.stringContaining("only for: other-*") as string,
    });
    await app.client.deleteKey(key.id);
    expect(await client.refused(TALK)).toMatchObject({
      status: 401,
      message: expect.stringContaining("this API key is not valid") as string,
    });
  });

  test("sees an error of the provider, and an abort of its own settles the request", async () => {
    const key = await app.client.createKey({ name: "broken" });
    const client = open(key);
    expect(await client.refused(script({ error: { status: 400, message: "no such thing" } }))).toMatchObject({
      status: 400,
      message: expect.stringContaining("no such thing") as string,
    });
    expect(await client.leave(ENDLESS)).toBe("APIUserAbortError");
    await expect
      .poll(async () => (await app.client.keys()).keys.find(({ id }) => id === key.id)?.reserved_microusd)
      .toBe(0);
    // What the model might still write is charged at its bound.
    const { total } = await app.client.usage({ by: ["key"], key: key.id });
    expect(total.bound_microusd).toBeGreaterThan(1_000);
  });
});
