import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createSimModel } from "../../src/sim/index.ts";
import { openTestApp, runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";

/** Of `/v1/models`, by provider. */
const SHOP = [
  { id: "maker/big", name: "Big", context_length: 100_000, top_provider: { max_completion_tokens: 8_000 } },
  { id: "maker/new", pricing: { prompt: "0.000001", completion: "0.000002" } },
];

let server: Server;
let app: TestApp;
/** Bodies of the requests that the local server got. */
const asked: { readonly max_tokens?: number; readonly messages?: readonly unknown[] }[] = [];

beforeAll(async () => {
  const sim = createSimModel();
  const json = (value: unknown): string => JSON.stringify(value);
  const answers: Readonly<Record<string, string>> = {
    "/shop/v1/models": json({ data: SHOP }),
    "/local/v1/models": json({ data: [{ id: "qwen3-coder" }] }),
    "/local/props": json({ default_generation_settings: { n_ctx: 20_000 } }),
  };
  server = createServer((request, response) => {
    const answer = answers[request.url ?? ""];
    if (answer !== undefined) return void response.setHeader("content-type", "application/json").end(answer);
    request.url = (request.url ?? "").replace(/^\/(?:shop|local)/, "");
    if (request.url === "/v1/chat/completions") {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => asked.push(JSON.parse(Buffer.concat(chunks).toString()) as (typeof asked)[number]));
    }
    return void sim.handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  app = await openTestApp(
    { SALLYPORT_PROVIDER: "sim" },
    {
      prepare: async ({ home }) => {
        await mkdir(home, { recursive: true, mode: 0o700 });
        const settings = {
          providers: {
            shop: { base_url: `${url}/shop`, wire: "openai", auth: "none", openai_api: "chat" },
            local: { base_url: `${url}/local`, wire: "openai", default_model: "qwen3-coder" },
            gone: { kind: "local", base_url: "http://127.0.0.1:9", wire: "openai" },
          },
          prices: {
            "shop/maker/big": { input: 3_000_000, output: 15_000_000, output_tokens: 4_000 },
            "gone/known": { input: 0, output: 0, context_tokens: 8_192 },
          },
        };
        await writeFile(join(home, "sallyport.yaml"), JSON.stringify(settings), { mode: 0o600 });
        return () => Promise.resolve();
      },
    },
  );
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const UNPRICED =
  "it has no price, so its cost cannot be limited; an admin can set one: sallyport price set 'shop/maker/new'";

describe("GET /api/models", () => {
  it("has a provider's own list, with windows, our price, and what the provider says where we have none", async () => {
    expect(await app.client.models({ provider: "shop" })).toEqual({
      models: [
        {
          provider: "shop",
          model: "maker/big",
          name: "Big",
          context_tokens: 100_000,
          output_tokens: 4_000,
          price: { input: 3_000_000, output: 15_000_000 },
          price_from: "settings",
        },
        {
          provider: "shop",
          model: "maker/new",
          told_price: { input: 1_000_000, output: 2_000_000 },
          refusal: UNPRICED,
        },
      ],
      sources: [{ provider: "shop", from: "provider" }],
      truncated: false,
    });
    expect(await app.client.models({ provider: "local" })).toEqual({
      models: [
        {
          provider: "local",
          model: "qwen3-coder",
          is_default: true,
          context_tokens: 20_000,
          price: { input: 0, output: 0 },
          price_from: "free",
        },
      ],
      sources: [{ provider: "local", from: "provider" }],
      truncated: false,
    });
  });

  it("falls back on the prices, and says why", async () => {
    expect(await app.client.models({ provider: "gone" })).toEqual({
      models: [
        {
          provider: "gone",
          model: "known",
          context_tokens: 8_192,
          price: { input: 0, output: 0 },
          price_from: "settings",
        },
      ],
      sources: [{ provider: "gone", from: "prices", message: "it does not answer (ECONNREFUSED)" }],
      truncated: false,
    });
    const { models, sources } = await app.client.models({ provider: "cloud", search: "OPUS 4-5" });
    expect(models[0]).toMatchObject({ model: "claude-opus-4-5", context_tokens: 200_000, price_from: "shipped" });
    expect(sources[0]?.message).toMatch(/^ANTHROPIC_API_KEY/);
  });

  it("searches all providers, and refuses what the policy does", async () => {
    const { models } = await app.client.models({ search: "coder" });
    expect(models.map(({ provider, model }) => `${provider}/${model}`)).toContain("local/qwen3-coder");
    const policy = await app.client.policy();
    const narrow = { ...policy.profiles["default"], blocked_models: ["maker/*"] };
    await app.client.setPolicy({ ...policy, profiles: { ...policy.profiles, narrow } });
    const blocked = await app.client.models({ provider: "shop", profile: "narrow", search: "big" });
    expect(blocked.models[0]?.refusal).toBe("the policy blocks the model maker/big (maker/*); choose another one");
    await expect(app.client.models({ provider: "nobody" })).rejects.toMatchObject({ code: "not_found" });
    await expect(app.client.models({ profile: "nobody" })).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("is for those who may see providers", async () => {
    const visitor = await app.as("visitor");
    await expect(visitor.models()).rejects.toMatchObject({ code: "forbidden" });
  });
});

describe("a session with a local model", () => {
  it("knows the window that its server has: an answer may be as long as what is left of it", async () => {
    const { events } = await runScript(app.client, {
      provider: "local",
      max_tokens: 100_000,
      prompt: { text: script({ say: "hello" }) },
    });
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    expect(asked.at(-1)?.max_tokens).toBeLessThan(20_000);
  });

  it("and its conversation is summarised before it is full", async () => {
    const long = "word ".repeat(4_000);
    const { session } = await runScript(app.client, {
      provider: "local",
      prompt: { text: `${long}\n${script({ say: long })}` },
    });
    let after = (await app.client.session(session.id)).seq;
    const kinds: string[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      await app.client.prompt(session.id, { text: `${long}\n${script({ say: long })}` });
      const events = await untilTurnEnds(app.client, session.id, { after });
      kinds.push(...events.flatMap((event) => (event.type === "item.completed" ? [event.item.type] : [])));
      after = events.at(-1)?.seq ?? after;
    }
    expect(kinds).toContain("compaction");
  });
});
