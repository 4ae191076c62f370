import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp, untilTurnEnds } from "../support/app.ts";

const MOST = Number.MAX_SAFE_INTEGER;
const PRICE = { input: 1_000_000, output: 1_000_000, output_tokens: 8_000, context_tokens: 1_000_000 };
const USAGE = {
  input_tokens: MOST,
  output_tokens: MOST,
  cache_read_input_tokens: MOST,
  cache_creation_input_tokens: MOST,
};

const event = (data: object): string => `event: ${(data as { type: string }).type}\ndata: ${JSON.stringify(data)}\n\n`;
const STREAM = [
  event({
    type: "message_start",
    message: { id: "m", type: "message", role: "assistant", model: "sim", content: [], usage: USAGE },
  }),
  event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
  event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } }),
  event({ type: "content_block_stop", index: 0 }),
  event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: USAGE }),
  event({ type: "message_stop" }),
].join("");

let app: TestApp;
beforeAll(async () => {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200, { "content-type": "text/event-stream" }).end(STREAM));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base_url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  app = await openTestApp(
    {},
    {
      prepare: async ({ home }) => {
        await mkdir(home, { recursive: true });
        const providers = { liar: { base_url, auth: "none", wires: ["anthropic"], default_model: "sim" } };
        await writeFile(
          join(home, "sallyport.yaml"),
          JSON.stringify({ provider: "liar", providers, prices: { "liar/*": PRICE } }),
        );
        return async () => {
          server.closeAllConnections();
          await new Promise<void>((resolve) => server.close(() => resolve()));
        };
      },
    },
  );
});
afterAll(() => app[Symbol.asyncDispose]());

test("a provider that reports more tokens than there are numbers leaves every figure readable, also after a restart", async () => {
  const { base_url, key } = await app.client.createKey({ name: "k" });
  for (let turn = 0; turn < 3; turn += 1) {
    const session = await app.client.createSession({ prompt: { text: "hi" } });
    expect((await untilTurnEnds(app.client, session.id)).at(-1)?.type).toMatch(/^turn\./);
    await fetch(`${base_url}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": key },
      body: JSON.stringify({ model: "sim", max_tokens: 10, stream: true, messages: [{ role: "user", content: "x" }] }),
    }).then((answer) => answer.text());
  }
  const figures = async (): Promise<readonly unknown[]> => {
    const { keys } = await app.client.keys();
    const { total } = await app.client.usage();
    return [keys.length, total.requests, total.cost_microusd, total.tokens.input, total.tokens.output];
  };
  expect(await figures()).toEqual([1, 6, MOST, MOST, MOST]);
  await app.restart();
  expect(await figures()).toEqual([1, 6, MOST, MOST, MOST]);
});
