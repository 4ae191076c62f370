import { z } from "zod";
import { LIMITS, type SearchProvider } from "../../protocol/index.ts";
import type { ToolRefusal } from "../refusal.ts";

/** One page that a search found. */
export interface FoundPage {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

export interface SearchQuery {
  readonly query: string;
  readonly allowed: readonly string[];
  readonly blocked: readonly string[];
}

/** Whom to ask, and with what. */
export interface SearchAccount {
  readonly provider: Exclude<SearchProvider, "model">;
  /** Absent: the provider's own. */
  readonly baseUrl?: string | undefined;
  /** Absent: it needs no key. Rejects if it cannot be read. */
  readonly key?: (() => Promise<string>) | undefined;
}

interface SearchWire {
  readonly baseUrl: string;
  readonly request: (url: string, query: SearchQuery, key: string) => SearchRequest;
  /** What came back, in its own form. */
  readonly answer: z.ZodType<readonly FoundPage[]>;
}

interface SearchRequest {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const text = z.string().catch("");
const JSON_TYPE = { accept: "application/json" } as const;

const Brave = z
  .object({
    web: z
      .object({ results: z.array(z.object({ title: text, url: text, description: text })).catch([]) })
      .catch({ results: [] }),
  })
  .transform(({ web }) => web.results.map(({ title, url, description }) => ({ title, url, snippet: description })));
/** Tavily's and SearXNG's. */
const Results = z
  .object({ results: z.array(z.object({ title: text, url: text, content: text })) })
  .transform(({ results }) => results.map(({ title, url, content }) => ({ title, url, snippet: content })));

const WIRES: Readonly<Record<SearchAccount["provider"], SearchWire>> = {
  brave: {
    baseUrl: "https://api.search.brave.com",
    request: (url, { query, allowed, blocked }, key) => ({
      url: `${url}/res/v1/web/search?${new URLSearchParams({
        q: withSites(query, allowed, blocked),
        count: String(LIMITS.webSearchResults),
      }).toString()}`,
      method: "GET",
      headers: { ...JSON_TYPE, "x-subscription-token": key },
    }),
    answer: Brave,
  },
  tavily: {
    baseUrl: "https://api.tavily.com",
    request: (url, { query, allowed, blocked }, key) => ({
      url: `${url}/search`,
      method: "POST",
      headers: { ...JSON_TYPE, "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({
        query,
        max_results: LIMITS.webSearchResults,
        include_domains: allowed,
        exclude_domains: blocked,
      }),
    }),
    answer: Results,
  },
  searxng: {
    baseUrl: "",
    request: (url, { query, allowed, blocked }, key) => ({
      url: `${url}/search?${new URLSearchParams({ q: withSites(query, allowed, blocked), format: "json" }).toString()}`,
      method: "GET",
      headers: { ...JSON_TYPE, ...(key === "" ? {} : { authorization: `Bearer ${key}` }) },
    }),
    answer: Results,
  },
};

/** Engines without fields for sites understand these words. */
function withSites(query: string, allowed: readonly string[], blocked: readonly string[]): string {
  const only = allowed.map((site) => `site:${site}`).join(" OR ");
  return [
    query,
    ...(only === "" ? [] : [allowed.length === 1 ? only : `(${only})`]),
    ...blocked.map((site) => `-site:${site}`),
  ].join(" ");
}

/** Asks the provider once. Nothing of its key is in what comes back. */
export async function searchWeb(
  { provider, baseUrl, key }: SearchAccount,
  query: SearchQuery,
  signal: AbortSignal,
): Promise<readonly FoundPage[] | ToolRefusal> {
  const wire = WIRES[provider];
  let secret: string;
  try {
    secret = (await key?.()) ?? "";
  } catch {
    return { refused: `The key for ${provider} cannot be read. Somebody who runs this server must look at it.` };
  }
  const { url, ...request } = wire.request((baseUrl ?? wire.baseUrl).replace(/\/+$/, ""), query, secret);
  try {
    const response = await fetch(url, { ...request, signal, redirect: "error" });
    const body = await bounded(response);
    if (!response.ok) return { refused: `${provider} answered ${response.status} ${response.statusText}`.trim() };
    if (body === undefined) return { refused: `${provider} answered with more than ${LIMITS.webFetchBytes} bytes.` };
    const parsed = wire.answer.safeParse(JSON.parse(body));
    return parsed.success ? parsed.data : { refused: `${provider} answered something that is no list of results.` };
  } catch (error) {
    if (signal.aborted) return { refused: `${provider} did not answer in time.` };
    return error instanceof SyntaxError
      ? { refused: `${provider} answered something that is not JSON.` }
      : { refused: `${provider} could not be reached.` };
  }
}

/** Undefined: it is too long. */
async function bounded(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > LIMITS.webFetchBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
