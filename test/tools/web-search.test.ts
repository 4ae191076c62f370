import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LIMITS, type SearchProvider } from "../../src/protocol/index.ts";
import { webSearchTool } from "../../src/tools/index.ts";
import { bench } from "./fixture.ts";

const KEY = "key-of-the-operator";
const PAGES = [
  { title: "Sally <b>ports</b>", url: "https://castles.example.org/ports", text: "A small\n door" },
  { title: "Other", url: "https://other.example.com/", text: "" },
  { title: "No page", url: "javascript:alert(1)", text: "x" },
];

interface Asked {
  readonly method: string | undefined;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

let asked: Asked[] = [];
let answer: { readonly status: number; readonly body: string } = { status: 200, body: "" };
/** Speaks what the three of them document. */
const double = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk: Buffer) => (body += chunk.toString()));
  request.on("end", () => {
    asked.push({ method: request.method, url: request.url ?? "", headers: request.headers, body });
    response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
  });
});
let baseUrl = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    double.listen(0, "127.0.0.1", resolve);
  });
  baseUrl = `http://127.0.0.1:${(double.address() as AddressInfo).port}/`;
});
afterAll(() => double.close());
beforeEach(() => {
  asked = [];
});

function answerOf(provider: SearchProvider): string {
  return provider === "brave"
    ? JSON.stringify({ web: { results: PAGES.map(({ title, url, text }) => ({ title, url, description: text })) } })
    : JSON.stringify({ results: PAGES.map(({ title, url, text }) => ({ title, url, content: text, score: 1 })) });
}

const found = "1. Sally ports\n   https://castles.example.org/ports\n   A small door";
const both = `${found}\n\n2. Other\n   https://other.example.com/`;

describe("WebSearch", () => {
  const with_ = (provider: Exclude<SearchProvider, "model">, key = () => Promise.resolve(KEY)) =>
    bench({ extra: [webSearchTool({ provider, baseUrl, key })] });

  test("asks Brave as it documents", async () => {
    answer = { status: 200, body: answerOf("brave") };
    const place = await with_("brave");
    expect(await place.text("WebSearch", { query: "sally port" })).toBe(both);
    expect(asked[0]).toMatchObject({
      method: "GET",
      url: `/res/v1/web/search?q=sally+port&count=${LIMITS.webSearchResults}`,
      headers: { "x-subscription-token": KEY },
    });
    expect(await place.text("WebSearch", { query: "port", allowed_domains: ["example.org"] })).toBe(found);
    expect(asked[1]?.url).toContain("q=port+site%3Aexample.org&");
  });

  test("asks Tavily as it documents", async () => {
    answer = { status: 200, body: answerOf("tavily") };
    const place = await with_("tavily");
    expect(await place.text("WebSearch", { query: "port", blocked_domains: ["other.example.com"] })).toBe(found);
    expect(asked[0]).toMatchObject({ method: "POST", url: "/search", headers: { authorization: `Bearer ${KEY}` } });
    expect(JSON.parse(asked[0]?.body ?? "")).toEqual({
      query: "port",
      max_results: LIMITS.webSearchResults,
      include_domains: [],
      exclude_domains: ["other.example.com"],
    });
  });

  test("asks SearXNG as it documents, with no key where it needs none", async () => {
    answer = { status: 200, body: answerOf("searxng") };
    const place = await bench({ extra: [webSearchTool({ provider: "searxng", baseUrl })] });
    expect(await place.text("WebSearch", { query: "port" })).toBe(both);
    expect(asked[0]?.url).toBe("/search?q=port&format=json");
    expect(asked[0]?.headers.authorization).toBeUndefined();
  });

  test("a title that is all brackets does not keep the server busy", async () => {
    const results = [{ title: "<".repeat(500_000), url: "https://a.example/", description: "" }];
    answer = { status: 200, body: JSON.stringify({ web: { results } }) };
    const place = await with_("brave");
    expect(await place.text("WebSearch", { query: "port" })).toMatch(/^1\. <+(?:\.\.\.)?\n/);
  });

  test.each([
    [401, "{}", "The search failed: brave answered 401 Unauthorized"],
    [200, "no json", "The search failed: brave answered something that is not JSON."],
    [200, "[]", "The search failed: brave answered something that is no list of results."],
    [
      200,
      " ".repeat(LIMITS.webFetchBytes + 1),
      `The search failed: brave answered with more than ${LIMITS.webFetchBytes} bytes.`,
    ],
  ])("says what went wrong: %s", async (status, body, words) => {
    answer = { status, body };
    const place = await with_("brave");
    expect(await place.error("WebSearch", { query: "port" })).toBe(words);
  });

  test("never shows its key, and refuses what it cannot do", async () => {
    answer = { status: 200, body: JSON.stringify({ web: {} }) };
    const place = await with_("brave");
    expect(await place.text("WebSearch", { query: "port" })).toBe('No results for "port".');
    expect(await place.error("WebSearch", { query: "port", allowed_domains: ["a.b"], blocked_domains: ["c.d"] })).toBe(
      "Give allowed_domains or blocked_domains, not both.",
    );
    const broken = await with_("brave", () => Promise.reject(new Error(KEY)));
    expect(await broken.error("WebSearch", { query: "port" })).toBe(
      "The search failed: The key for brave cannot be read. Somebody who runs this server must look at it.",
    );
  });
});
