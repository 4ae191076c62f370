import { z } from "zod";
import { hostName } from "../../network/index.ts";
import { LIMITS, TOOL_FACTS } from "../../protocol/index.ts";
import { genericPreview, shorten } from "../preview.ts";
import { isRefusal, type ToolRefusal } from "../refusal.ts";
import { errorResult, textResult, type Tool, type ToolContext } from "../tool.ts";
import { searchByModel, type ModelSearch } from "./model-search.ts";
import { searchWeb, type FoundPage, type SearchAccount, type SearchQuery } from "./search-providers.ts";

const sites = z
  .array(
    z
      .string()
      .min(1)
      .max(LIMITS.webSearchSiteChars)
      .regex(/^[a-z\d](?:[a-z\d.-]*[a-z\d])?$/i, "must be a host, such as example.org"),
  )
  .max(LIMITS.webSearchSites);
const WebSearchInput = z.strictObject({
  query: z.string().min(2).max(LIMITS.webSearchQueryChars).describe("What to search for"),
  allowed_domains: sites.default([]).describe("Only pages of these hosts"),
  blocked_domains: sites.default([]).describe("No pages of these hosts"),
});
type WebSearchInput = z.infer<typeof WebSearchInput>;

/** Searches the web with the operator's account. What the model gets are titles, addresses and snippets, and never the key. */
export function webSearchTool(account: SearchAccount): Tool<WebSearchInput> {
  return searchTool({
    warning: `Sends the query to ${account.provider}`,
    timeMs: LIMITS.webSearchMs,
    search: async (query, _context, signal) => {
      const pages = await searchWeb(account, query, signal);
      return isRefusal(pages) ? pages : { pages, answer: "" };
    },
  });
}

/** Searches the web with the search of the provider of the session's own model, at the session's cost. */
export function modelSearchTool(): Tool<WebSearchInput> {
  return searchTool({
    warning: "Sends the query to the session's model, whose provider searches; each search has a price",
    timeMs: LIMITS.modelSearchMs,
    search: async (query, { model }, signal) =>
      model === undefined
        ? { refused: "this session has no model that could be asked." }
        : searchByModel(model(), query, signal),
  });
}

interface SearchWay {
  /** What a person must know before. */
  readonly warning: string;
  readonly timeMs: number;
  search(this: void, query: SearchQuery, context: ToolContext, signal: AbortSignal): Promise<ModelSearch | ToolRefusal>;
}

function searchTool({ warning, timeMs, search }: SearchWay): Tool<WebSearchInput> {
  return {
    name: "WebSearch",
    description:
      "Searches the web and gives titles, addresses and snippets of the pages that were found. Read a page with WebFetch.",
    tier: TOOL_FACTS.WebSearch.tier,
    concurrent: true,
    input: WebSearchInput,
    paths: () => [],
    preview: async (input) => genericPreview(input, [{ kind: "network", message: warning }]),
    async execute({ query, allowed_domains: allowed, blocked_domains: blocked }, context) {
      if (allowed.length > 0 && blocked.length > 0)
        return errorResult("Give allowed_domains or blocked_domains, not both.");
      const signal = AbortSignal.any([AbortSignal.timeout(timeMs), context.signal]);
      const found = await search({ query, allowed, blocked }, context, signal);
      if (context.signal.aborted) return errorResult("The search was interrupted.");
      if (isRefusal(found)) return errorResult(`The search failed: ${found.refused}`);
      const pages = found.pages.filter((page) => isWanted(page, allowed, blocked)).slice(0, LIMITS.webSearchResults);
      const answer = shorten(found.answer.trim(), LIMITS.modelSearchAnswerChars);
      if (pages.length === 0 && answer === "") return textResult(`No results for ${JSON.stringify(query)}.`);
      return textResult([...pages.map(shown), ...(answer === "" ? [] : [answer])].join("\n\n"));
    },
  };
}

/** Providers take the lists as a wish. */
function isWanted({ url }: FoundPage, allowed: readonly string[], blocked: readonly string[]): boolean {
  if (!URL.canParse(url)) return false;
  const address = new URL(url);
  if (address.protocol !== "http:" && address.protocol !== "https:") return false;
  const host = hostName(address);
  const isOf = (site: string): boolean => host === site.toLowerCase() || host.endsWith(`.${site.toLowerCase()}`);
  return (allowed.length === 0 || allowed.some(isOf)) && !blocked.some(isOf);
}

function shown({ title, url, snippet }: FoundPage, index: number): string {
  const plain = (text: string): string =>
    text
      .replaceAll(/<[^<>]*>/g, "")
      .replaceAll(/\s+/g, " ")
      .trim();
  const lines = [
    `${index + 1}. ${shorten(plain(title), LIMITS.webSearchTitleChars)}`,
    `   ${shorten(url, LIMITS.webUrlChars)}`,
    ...(plain(snippet) === "" ? [] : [`   ${shorten(plain(snippet), LIMITS.webSearchSnippetChars)}`]),
  ];
  return lines.join("\n");
}
