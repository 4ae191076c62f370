import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SallyportClient } from "../../src/client/index.ts";
import type { ComputationView, CreateComputation } from "../../src/protocol/index.ts";
import { openTestApp, untilTurnEnds, type TestApp } from "../support/app.ts";
import { openPricedApp } from "../support/priced-app.ts";
import { openMountWorld } from "./mount/world.ts";

async function ask(client: SallyportClient, job: CreateComputation): Promise<ComputationView> {
  const { id } = await client.createJob("compute", job);
  await untilTurnEnds(client, id);
  return client.job("compute", id);
}

/** A provider that answers as the test says, with a price of one micro-USD for each token. */
async function openWith(answer: RequestListener, wire: "openai" | "anthropic" = "openai"): Promise<TestApp> {
  const server = createServer((request, response) => {
    request.resume().on("end", () => answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base_url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const settings = {
    provider: "vectors",
    providers: { vectors: { base_url, auth: "none", wires: [wire], default_model: "small" } },
    prices: { "vectors/*": { input: 1_000_000, output: 1_000_000 } },
  };
  return openTestApp(
    {},
    {
      prepare: async ({ home }) => {
        await mkdir(home, { recursive: true });
        await writeFile(join(home, "sallyport.yaml"), JSON.stringify(settings));
        return async () => {
          server.closeAllConnections();
          await new Promise<void>((resolve) => server.close(() => resolve()));
        };
      },
    },
  );
}

const json = (status: number, value: unknown): Parameters<typeof openWith>[0] => {
  return (_request, response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
};

describe("vectors of texts", () => {
  it("come as a job, in the order of the texts, for what they cost", async () => {
    await using app = await openPricedApp();
    const job = await ask(app.client, { texts: ["red apple", "Apple, red!", "blue sky"], max_cost_microusd: 10_000 });
    expect(job).toMatchObject({ status: "complete", cost_microusd: 8, stop_reason: "end_turn" });
    const [first = [], second, third = []] = job.embeddings ?? [];
    expect([first.length, third.length]).toEqual([256, 256]);
    expect(second).toEqual(first);
    expect(third).not.toEqual(first);
    expect(job).not.toHaveProperty("text");
    expect(app.asked.map(({ path }) => path)).toEqual(["/v1/embeddings"]);
    const usage = await app.client.sessionUsage(job.id);
    expect(usage).toMatchObject({ cost_microusd: 8, reserved_microusd: 0, input_tokens: 8, output_tokens: 0 });
  });

  it("are not asked for where their bound is more than may be spent", async () => {
    await using app = await openPricedApp();
    const job = await ask(app.client, { texts: ["word ".repeat(1_000)], max_cost_microusd: 1_000 });
    expect(job).toMatchObject({ status: "failed", cost_microusd: 0 });
    expect(app.asked).toEqual([]);
  });

  it("take no prompt, messages or instructions beside them, and no more texts than there may be", async () => {
    await using app = await openPricedApp();
    for (const wrong of [
      {},
      { texts: [] },
      { texts: ["a"], prompt: { text: "a" } },
      { texts: ["a"], system_prompt: "b" },
      { texts: Array.from({ length: 65 }, () => "a") },
    ])
      await expect(app.client.createJob("compute", wrong)).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("are files of /compute", async () => {
    await using world = await openMountWorld();
    const { job_id } = await world.admin.call("/compute/new", {
      model: "sim",
      kind: "embeddings",
      input: { texts: ["one", "two"] },
    });
    const folder = `/compute/jobs/${job_id}`;
    expect(await world.admin.until(folder, "complete", "failed")).toMatchObject({ status: "complete" });
    const { output } = await world.admin.json<{ readonly output: { readonly embeddings: readonly number[][] } }>(
      `${folder}/result`,
    );
    expect(output.embeddings.map(({ length }) => length)).toEqual([256, 256]);
  });

  it("come through an API key, and fields whose cost is not known are refused", async () => {
    await using app = await openPricedApp();
    const { base_url, key } = await app.client.createKey({ name: "k" });
    const post = async (more: object): Promise<{ readonly status: number; readonly body: unknown }> => {
      const response = await fetch(`${base_url}/v1/embeddings`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
        body: JSON.stringify({ model: "sim", input: "eight chars here", ...more }),
      });
      return { status: response.status, body: await response.json() };
    };
    expect(await post({ dimensions: 2, encoding_format: "float" })).toMatchObject({
      status: 200,
      body: { data: [{ index: 0, embedding: [expect.any(Number), expect.any(Number)] }], usage: { prompt_tokens: 4 } },
    });
    expect(await post({ models: ["other"] })).toMatchObject({ status: 400 });
    expect(await post({ stream: true })).toMatchObject({ status: 400 });
    expect((await app.client.usage()).total).toMatchObject({ requests: 1, cost_microusd: 4 });
  });
});

describe("a provider of vectors", () => {
  it("that knows no base64 and no order is understood", async () => {
    const data = [
      { index: 1, embedding: [0.5, -1] },
      { index: 0, embedding: [1, 0] },
    ];
    await using app = await openWith(json(200, { data, usage: { prompt_tokens: 3, total_tokens: 3 } }));
    const job = await ask(app.client, { texts: ["a", "b"] });
    expect(job).toMatchObject({ status: "complete", cost_microusd: 3 });
    expect(job.embeddings).toEqual([
      [1, 0],
      [0.5, -1],
    ]);
  });

  it.each<[string, unknown]>([
    ["too few", { data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 2 } }],
    [
      "one twice",
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 0, embedding: [1] },
        ],
        usage: { prompt_tokens: 2 },
      },
    ],
    ["words", { data: [{ embedding: ["a"] }, { embedding: [1] }], usage: { prompt_tokens: 2 } }],
    ["cut bytes", { data: [{ embedding: "AAAA" }, { embedding: [1] }], usage: { prompt_tokens: 2 } }],
    ["nothing", null],
  ])("that answers %s fails the job, which costs what it said or its bound", async (_what, answer) => {
    await using app = await openWith(json(200, answer));
    const job = await ask(app.client, { texts: ["a", "b"] });
    expect(job).toMatchObject({ status: "failed", error: expect.stringContaining("something else than 2 vectors") });
    expect(job).not.toHaveProperty("embeddings");
    expect(job.cost_microusd).toBeGreaterThan(0);
  });

  it("that is busy is asked again", async () => {
    let asked = 0;
    await using app = await openWith((request, response) => {
      asked += 1;
      const busy = { error: { type: "server_error", message: "busy" } };
      const vectors = { data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 1 } };
      if (asked === 1) response.setHeader("retry-after-ms", "1");
      json(asked === 1 ? 503 : 200, asked === 1 ? busy : vectors)(request, response);
    });
    expect(await ask(app.client, { texts: ["a"] })).toMatchObject({ status: "complete", embeddings: [[1]] });
    expect(asked).toBe(2);
  });

  it("that only speaks Anthropic's format is not asked", async () => {
    let asked = 0;
    await using app = await openWith((_request, response) => {
      asked += 1;
      response.writeHead(500).end();
    }, "anthropic");
    const job = await ask(app.client, { texts: ["a"] });
    expect(job).toMatchObject({ status: "failed", error: expect.stringContaining("/v1/embeddings") });
    expect(asked).toBe(0);
  });
});
