import { z } from "zod";
import { hostName } from "../../network/index.ts";
import { LIMITS, TOOL_FACTS } from "../../protocol/index.ts";
import { genericPreview, shorten } from "../preview.ts";
import { isRefusal } from "../refusal.ts";
import { errorResult, textResult, type Tool } from "../tool.ts";
import { searchWeb, type FoundPage, type SearchAccount } from "./search-providers.ts";

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
  return {
    name: "WebSearch",
    description:
      "Searches the web and gives titles, addresses and snippets of the pages that were found. Read a page with WebFetch.",
    tier: TOOL_FACTS.WebSearch.tier,
    concurrent: true,
    input: WebSearchInput,
    paths: () => [],
    preview: async (input) =>
      genericPreview(input, [{ kind: "network", message: `Sends the query to ${account.provider}` }]),
    async execute({ query, allowed_domains: allowed, blocked_domains: blocked }, context) {
      if (allowed.length > 0 && blocked.length > 0)
        return errorResult("Give allowed_domains or blocked_domains, not both.");
      const timeout = AbortSignal.timeout(LIMITS.webSearchMs);
      const found = await searchWeb(account, { query, allowed, blocked }, AbortSignal.any([timeout, context.signal]));
      if (context.signal.aborted) return errorResult("The search was interrupted.");
      if (isRefusal(found)) return errorResult(`The search failed: ${found.refused}`);
      const pages = found.filter((page) => isWanted(page, allowed, blocked)).slice(0, LIMITS.webSearchResults);
      if (pages.length === 0) return textResult(`No results for ${JSON.stringify(query)}.`);
      return textResult(pages.map(shown).join("\n\n"));
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
