import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSimModel } from "../../../src/sim/index.ts";
import { openTestApp, script, untilTurnEnds, type TestApp } from "../../support/app.ts";
import { worldOf, type Files } from "./world.ts";

/** A local server of models: answers as the scripted model, and lists its models in its own way. */
class LocalServer {
  readonly #server: Server;
  /** Path and answer; absent: the scripted model answers. */
  answers: Readonly<Record<string, { readonly status: number; readonly body?: unknown }>> = {};

  constructor() {
    const sim = createSimModel();
    this.#server = createServer((request, response) => {
      const answer = this.answers[request.url ?? ""];
      if (answer === undefined) return void sim.handle(request, response);
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(JSON.stringify(answer.body ?? {}));
    });
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** As llama.cpp's server lists them. */
const LLAMA = { object: "list", data: [{ id: "qwen3-coder", object: "model", owned_by: "llamacpp" }] };
/** As Ollama's own API does. */
const TAGS = { models: [{ name: "gpt-oss:20b", model: "gpt-oss:20b", size: 1 }] };

const [llama, ollama] = [new LocalServer(), new LocalServer()];
let app: TestApp;
let agent: Files;
beforeAll(async () => {
  const [llamaUrl, ollamaUrl] = [await llama.open(), await ollama.open()];
  llama.answers = { "/v1/models": { status: 200, body: LLAMA } };
  ollama.answers = { "/v1/models": { status: 404 }, "/api/tags": { status: 200, body: TAGS } };
  app = await openTestApp(
    {
      ANTHROPIC_API_KEY: "sk-ant-api03-test-0123456789abcdef",
      ANTHROPIC_BASE_URL: llamaUrl,
      SALLYPORT_PROVIDER: "sim",
    },
    {
      prepare: async ({ home }) => {
        await mkdir(home, { recursive: true });
        const providers = {
          local: { base_url: llamaUrl, wire: "anthropic" },
          ollama: { kind: "local", base_url: ollamaUrl, wire: "openai", default_model: "gpt-oss:20b" },
          gone: { kind: "local", base_url: "http://127.0.0.1:9", wire: "anthropic" },
          broken: { kind: "local", base_url: `${ollamaUrl}/broken`, wire: "anthropic" },
        };
        await writeFile(join(home, "sallyport.yaml"), JSON.stringify({ providers }));
        return () => Promise.resolve();
      },
    },
  );
  ollama.answers = {
    ...ollama.answers,
    "/broken/v1/models": { status: 500 },
  };
  agent = await worldOf(app).as("agent");
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await Promise.all([llama.close(), ollama.close()]);
});

const FREE = {
  input_per_1k_microusd: 0,
  output_per_1k_microusd: 0,
  cache_read_per_1k_microusd: 0,
  cache_write_per_1k_microusd: 0,
};

describe("a local provider", () => {
  it("lists the models that its server has, as llama.cpp and Ollama tell them", async () => {
    const model = (id: string): object => ({ id, name: id, context_length: null, output_limit: null, pricing: FREE });
    expect(await agent.json("/claude/providers/local/models")).toEqual([model("qwen3-coder")]);
    expect(await agent.json("/claude/providers/ollama/models")).toEqual([model("gpt-oss:20b")]);
    expect(await agent.json("/claude/providers/local/info")).toEqual({
      id: "local",
      name: "Local Claude Proxy",
      models: [model("qwen3-coder")],
      capabilities: { streaming: true, resume: true, fork: true, tools: true, vision: true },
      pricing: FREE,
      status: "available",
      is_default: false,
      default_model: "",
    });
  });

  it("is available, degraded or unavailable by what it really answers", async () => {
    const health = (id: string): Promise<unknown> => agent.json(`/claude/providers/${id}/health`);
    expect(await health("local")).toEqual({ status: "available" });
    expect(await health("broken")).toMatchObject({
      status: "degraded",
      message: expect.stringContaining("answered 500") as unknown,
    });
    expect(await health("gone")).toMatchObject({
      status: "unavailable",
      message: expect.stringContaining("ECONNREFUSED") as unknown,
    });
    expect(await agent.json("/claude/proxy/status")).toMatchObject({
      status: "healthy",
      providers: {
        local: "available",
        broken: "degraded",
        gone: "unavailable",
        sim: "available",
        cloud: "available",
      },
    });
  });

  it.each([
    ["qwen3-coder", "local", {}],
    ["gpt-oss:20b", "ollama", {}],
    ["claude-sonnet-5", "cloud", { provider: "cloud" }],
  ])("is chosen for its model %s (%s), answers, is resumed and forked", async (model, provider, more) => {
    const { session_id = "" } = await agent.call("/claude/new", {
      model,
      ...more,
      initial_prompt: script({ say: "from here" }),
    });
    await untilTurnEnds(app.client, session_id);
    expect((await app.client.session(session_id)).settings).toMatchObject({ provider, model });
    expect(await agent.text(`/claude/sessions/${session_id}/response`)).toBe("from here\n");
    const resumed = await agent.call("/claude/new", { model, resume_session_id: session_id });
    const forked = await agent.call(`/claude/sessions/${session_id}/fork`, {});
    for (const id of [resumed["session_id"] ?? "", forked["session_id"] ?? ""]) {
      await agent.write(`/claude/sessions/${id}/prompt`, script({ say: "and on" }));
      await agent.until(`/claude/sessions/${id}`, "idle");
      expect((await app.client.session(id)).settings).toMatchObject({ provider, model });
      expect(await agent.text(`/claude/sessions/${id}/response`)).toBe("and on\n");
    }
    for (const id of [session_id, resumed["session_id"] ?? "", forked["session_id"] ?? ""])
      await app.client.control(id, "close");
  });

  it("is not chosen for a model that nobody has", async () => {
    await expect(agent.call("/claude/new", { model: "nobody-has-this", provider: "openrouter" })).rejects.toThrow(
      "no provider available for model nobody-has-this",
    );
  });
});

describe("proxy/allowlist", () => {
  it("is written by admins alone, holds at once, and counts what it blocks", async () => {
    const { admin } = worldOf(app);
    const before = await admin.json<readonly string[]>("/claude/proxy/allowlist");
    expect(before).toContain("127.0.0.1");
    await expect(agent.write("/claude/proxy/allowlist", ["evil.example.org"])).rejects.toMatchObject({
      errno: "EACCES",
    });
    await expect(admin.write("/claude/proxy/allowlist", [])).rejects.toThrow("name at least one host");
    const { session_id = "" } = await admin.call("/claude/new", { model: "qwen3-coder" });
    const { blocked } = await admin.json<{ readonly blocked: number }>("/claude/proxy/metrics");
    await admin.write("/claude/proxy/allowlist", ["api.anthropic.com"]);
    expect(await agent.json("/claude/proxy/allowlist")).toEqual(["api.anthropic.com"]);
    expect(await agent.json("/claude/policy")).toMatchObject({ proxy_allowlist: ["api.anthropic.com"] });
    await expect(agent.call("/claude/new", { model: "qwen3-coder" })).rejects.toThrow("no provider matches policy");
    await admin.write(`/claude/sessions/${session_id}/prompt`, script({ say: "never" }));
    const events = await untilTurnEnds(app.client, session_id);
    expect(events.at(-1)).toMatchObject({ type: "turn.failed", error: { code: "provider_not_allowed" } });
    expect(await admin.json("/claude/proxy/metrics")).toMatchObject({ blocked: blocked + 1 });
    await admin.write("/claude/proxy/allowlist", before);
    await agent.call("/claude/new", { model: "qwen3-coder" });
  });
});
