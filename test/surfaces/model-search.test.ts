import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSimModel } from "../../src/sim/index.ts";
import { approveWith, runScript, script, type TestApp } from "../support/app.ts";
import { openWith } from "./mcp-client/world.ts";

/** The search's own request, as the provider gets it. */
interface SearchBody {
  readonly model: string;
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  readonly max_tool_calls?: number;
}

const MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "sim",
  content: [
    { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "owls" } },
    {
      type: "web_search_tool_result",
      tool_use_id: "srv_1",
      content: [
        { type: "web_search_result", url: "https://owls.example.org/a", title: "Owls", encrypted_content: "x" },
        { type: "web_search_result", url: "javascript:alert(1)", title: "Bad", encrypted_content: "x" },
      ],
    },
    {
      type: "text",
      text: "Owls sleep by day.",
      citations: [
        { type: "web_search_result_location", url: "https://owls.example.org/a", title: "Owls", cited_text: "by day" },
      ],
    },
  ],
  stop_reason: "end_turn",
  usage: { input_tokens: 1_000, output_tokens: 100, server_tool_use: { web_search_requests: 2 } },
};
const RESPONSE = {
  id: "resp_1",
  object: "response",
  model: "sim",
  status: "completed",
  output: [
    {
      type: "web_search_call",
      id: "ws_1",
      status: "completed",
      action: { type: "search", query: "owls", sources: [{ type: "url", url: "https://owls.example.org/b" }] },
    },
    {
      type: "message",
      role: "assistant",
      content: [
        {
          type: "output_text",
          text: "Owls fly at night.",
          annotations: [{ type: "url_citation", url: "https://owls.example.org/a", title: "Owls" }],
        },
      ],
    },
  ],
  usage: { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 },
};

const searches: SearchBody[] = [];
const sim = createSimModel({ demoDelayMs: 0 });
const provider = createServer((request, response) => void answer(request, response));

/** Searches are answered as the vendors document it, all else by the scripted model. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  if (/"type":"web_search/.test(text)) {
    searches.push(JSON.parse(text) as SearchBody);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(request.url?.endsWith("/responses") === true ? RESPONSE : MESSAGE));
    return;
  }
  const again = await fetch(`${simUrl}${request.url ?? ""}`, {
    method: request.method ?? "POST",
    headers: { "content-type": "application/json" },
    ...(text === "" ? {} : { body: text }),
  });
  response.writeHead(again.status, { "content-type": again.headers.get("content-type") ?? "application/json" });
  response.end(Buffer.from(await again.arrayBuffer()));
}

const scripted = createServer((request, response) => void sim.handle(request, response));
let simUrl = "";
let app: TestApp;
const PRICE = { input: 3_000_000, output: 7_000_000, context_tokens: 200_000, output_tokens: 8_192 };

beforeAll(async () => {
  for (const server of [scripted, provider]) {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  }
  simUrl = `http://127.0.0.1:${(scripted.address() as AddressInfo).port}`;
  const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const common = { base_url, auth: "none", default_model: "sim" };
  app = await openWith({
    settings: {
      provider: "vendor",
      providers: {
        vendor: { ...common, wire: "anthropic" },
        other: { ...common, wire: "openai", openai_api: "responses" },
        chatty: { ...common, wire: "openai", openai_api: "chat" },
      },
      prices: { sim: { ...PRICE, web_search: 10_000 }, bare: PRICE },
      web_search: { provider: "model" },
    },
  });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  for (const server of [scripted, provider]) {
    server.closeAllConnections();
    server.close();
  }
});

async function searched(settings: object, input: object): Promise<{ readonly text: string; readonly spent: number }> {
  const steps = script({ tool: "WebSearch", input: { query: "owls", ...input } }, { say: "Done." });
  const { session, events } = await runScript(
    app.client,
    { ...settings, prompt: { text: steps } },
    approveWith(app.client),
  );
  const outputs = events.flatMap((event) =>
    event.type === "item.completed" && "output" in event.item ? [JSON.stringify(event.item.output)] : [],
  );
  const usage = await app.client.session(session.id);
  return { text: outputs.join(), spent: usage.cost_microusd };
}

describe("the search of the model's own provider", () => {
  it("is asked by Messages, and its searches are paid", async () => {
    const { text, spent } = await searched({}, { blocked_domains: ["bad.example"] });
    expect(text).toContain("https://owls.example.org/a");
    expect(text).toContain("by day");
    expect(text).toContain("Owls sleep by day.");
    expect(text).not.toContain("javascript:");
    expect(searches.at(-1)).toMatchObject({
      model: "sim",
      tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 3, blocked_domains: ["bad.example"] }],
    });
    // Two searches, and the tokens of the request.
    expect(spent).toBeGreaterThanOrEqual(2 * 10_000 + 3_000 + 700);
  });

  it("is asked by Responses", async () => {
    const { text, spent } = await searched({ provider: "other" }, { allowed_domains: ["owls.example.org"] });
    expect(text).toContain("https://owls.example.org/b");
    expect(text).toContain("Owls fly at night.");
    expect(searches.at(-1)).toMatchObject({
      max_tool_calls: 3,
      tools: [{ type: "web_search", filters: { allowed_domains: ["owls.example.org"] } }],
    });
    expect(spent).toBeGreaterThanOrEqual(10_000 + 3_000 + 700);
  });

  it("is refused where it has no price, and by Chat Completions", async () => {
    const before = searches.length;
    expect((await searched({ model: "bare" }, {})).text).toContain("this model's web search has no price");
    expect((await searched({ provider: "chatty" }, {})).text).toContain("Chat Completions, which have no search");
    expect(searches).toHaveLength(before);
  });
});
