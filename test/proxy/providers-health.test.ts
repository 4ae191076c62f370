import { describe, expect, test } from "vitest";
import { MODELS, namesOf, openUpstream, World } from "./providers-world.ts";

const KEY = "sk-ant-api03-CANARY-0123456789abcdef";
const TOKEN = "gateway-CANARY-0123456789abcdef";

describe("the health check", () => {
  test("asks for the models with the wire's own headers", async () => {
    using world = new World();
    await using upstream = await openUpstream();
    const book = world.open(
      {
        cloud: { base_url: `${upstream.url}/v1` },
        other: { base_url: `${upstream.url}/base`, wire: "openai", credential_env: "MINE" },
        local: { base_url: upstream.url, wire: "openai" },
      },
      { ANTHROPIC_API_KEY: KEY, MINE: TOKEN },
    );
    const reports = [await book.test("cloud"), await book.test("other"), await book.test("local")];
    expect(reports).toEqual([
      {
        id: "cloud",
        status: "ok",
        message: "it answers and has 2 models",
        wires: ["anthropic"],
        models: ["one", "two"],
        latency_ms: 0,
      },
      {
        id: "other",
        status: "ok",
        message: "it answers and has 2 models",
        wires: ["openai"],
        models: ["one", "two"],
        latency_ms: 0,
      },
      {
        id: "local",
        status: "ok",
        message: "it answers and has 2 models",
        wires: ["openai"],
        models: ["one", "two"],
        latency_ms: 0,
      },
    ]);
    const shown = upstream.seen.map(({ path, headers }) => [
      path,
      headers["x-api-key"],
      headers.authorization,
      headers["anthropic-version"],
    ]);
    expect(shown).toEqual([
      ["/v1/models", KEY, undefined, "2023-06-01"],
      ["/base/v1/models", undefined, `Bearer ${TOKEN}`, undefined],
      ["/v1/models", undefined, undefined, undefined],
    ]);
  });

  test("over a unix socket", async () => {
    using world = new World();
    await using upstream = await openUpstream(undefined, world.path("model.sock"));
    const report = await world.open({ local: { base_url: upstream.url, wire: "anthropic" } }).test("local");
    expect(report).toMatchObject({ status: "ok", models: ["one", "two"] });
  });

  test("OpenRouter's list is open to everybody, so its keys are asked about", async () => {
    using world = new World();
    await using upstream = await openUpstream(({ path }) =>
      path === "/v1/key" ? { status: 401 } : { status: 200, body: MODELS },
    );
    const book = world.open({ openrouter: { base_url: upstream.url } }, { OPENROUTER_API_KEY: TOKEN });
    expect(await book.test("openrouter")).toMatchObject({
      status: "unauthenticated",
      message: "it refused OPENROUTER_API_KEY (401): set another key",
    });
  });

  test("each key is tried, and those that were refused rest", async () => {
    using world = new World();
    await using upstream = await openUpstream(({ headers }) =>
      headers.authorization === "Bearer bad-key-0123" ? { status: 403 } : { status: 200, body: MODELS },
    );
    const book = world.open(
      {
        local: {
          base_url: upstream.url,
          wire: "openai",
          credentials: [{ credential_env: "BAD" }, { credential_env: "GOOD" }],
        },
      },
      { BAD: "bad-key-0123", GOOD: "good-key-0123" },
    );
    expect(await book.test("local")).toMatchObject({
      status: "ok",
      message: "it answers and has 2 models; 1 of 2 keys work, it refused BAD (403)",
    });
    expect(await namesOf(book, "local")).toEqual(["GOOD", "BAD"]);
  });

  const refusals: readonly [
    string,
    { status: number; body?: string; headers?: Record<string, string> },
    string,
    string,
  ][] = [
    [
      "a refused key",
      { status: 401, body: `{"error":"wrong key ${TOKEN}"}` },
      "unauthenticated",
      "it refused MINE (401)",
    ],
    ["no room", { status: 429, headers: { "retry-after": "7" } }, "failed", "has no room now (429)"],
    ["an overloaded one", { status: 529 }, "failed", "has no room now (529)"],
    ["a wrong address", { status: 404 }, "failed", "/v1/models answered 404: check base_url"],
    [
      "a redirect, which is not followed",
      { status: 302, headers: { location: "http://127.0.0.1:1/" } },
      "failed",
      "answered 302",
    ],
    ["a broken one", { status: 500, body: TOKEN }, "failed", "answered 500"],
    ["a page", { status: 200, body: `<html>${TOKEN}</html>` }, "failed", "is no list of models"],
    ["something else", { status: 200, body: '{"data":{}}' }, "failed", "is no list of models"],
    ["too much", { status: 200, body: `{"data":[],"x":"${"x".repeat(8_400_000)}"}` }, "failed", "is no list of models"],
  ];
  test.each(refusals)("%s", async (_what, answer, status, words) => {
    using world = new World();
    await using upstream = await openUpstream(() => answer);
    const book = world.open(
      { local: { base_url: upstream.url, wire: "openai", credential_env: "MINE" } },
      { MINE: TOKEN },
    );
    const report = await book.test("local");
    expect(report).toMatchObject({ id: "local", status });
    expect(report.message).toContain(words);
    expect(JSON.stringify(report) + world.told).not.toContain("CANARY");
  });

  test("no more than a thousand models are repeated", async () => {
    using world = new World();
    const data = Array.from({ length: 1_500 }, (_, index) => ({ id: `m${index}` }));
    await using upstream = await openUpstream(() => ({ status: 200, body: JSON.stringify({ data }) }));
    const report = await world.open({ local: { base_url: upstream.url, wire: "openai" } }).test("local");
    expect(report.models).toHaveLength(1_000);
  });

  test("never rejects: unknown, without a key, not there", async () => {
    using world = new World();
    const book = world.open({ local: { base_url: "http://127.0.0.1:9", wire: "openai" } });
    expect(await Promise.all(["nobody", "openai", "local"].map((id) => book.test(id)))).toMatchObject([
      { id: "nobody", status: "failed", message: expect.stringContaining("there is no provider nobody"), wires: [] },
      { id: "openai", status: "unauthenticated", message: expect.stringContaining("OPENAI_API_KEY not set") },
      { id: "local", status: "unreachable", message: expect.stringContaining("ECONNREFUSED") },
    ]);
  });

  test("a closed book asks nobody any more", async () => {
    using world = new World();
    await using upstream = await openUpstream();
    const book = world.open({ local: { base_url: upstream.url, wire: "openai" } });
    book.close();
    expect([await book.test("local"), upstream.seen]).toMatchObject([{ status: "unreachable" }, []]);
  });
});
