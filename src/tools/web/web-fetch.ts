import { z } from "zod";
import { headOf, LIMITS, TOOL_FACTS } from "../../protocol/index.ts";
import { genericPreview } from "../preview.ts";
import { isRefusal, type ToolRefusal } from "../refusal.ts";
import { errorResult, textResult, type Tool, type ToolContext, type ToolResult } from "../tool.ts";
import { hostName, hostRule, publicAddress } from "../../network/index.ts";
import { htmlToText } from "./html.ts";
import { getPage, type WebPage } from "./request.ts";

const ERROR_PAGE_CHARS = 2_000;

const WebFetchInput = z.strictObject({
  url: z.string().max(LIMITS.webUrlChars).describe("The http or https address of the page"),
  prompt: z.string().max(LIMITS.promptChars).describe("What you want to know from the page"),
  offset: z.number().int().min(0).default(0).describe("Leave out so many characters of the text first, to read on"),
});
type WebFetchInput = z.infer<typeof WebFetchInput>;

export const webFetch: Tool<WebFetchInput> = {
  name: "WebFetch",
  description:
    "Fetches a page of the web and gives its text; HTML is turned into plain text. Only hosts that the policy allows can be " +
    "reached. A redirect to another host is not followed but named.",
  tier: TOOL_FACTS.WebFetch.tier,
  concurrent: true,
  input: WebFetchInput,
  paths: () => [],
  hosts: (input) => (URL.canParse(input.url) ? [hostName(new URL(input.url))] : []),
  preview: async (input) => genericPreview(input, [{ kind: "network", message: `Fetches ${input.url}` }]),
  async execute(input, context) {
    const timeout = AbortSignal.timeout(LIMITS.webFetchTimeoutMs);
    const answer = await follow(input, context, AbortSignal.any([timeout, context.signal]));
    if (!isRefusal(answer)) return answer;
    if (context.signal.aborted) return errorResult("The fetch was interrupted.");
    if (timeout.aborted)
      return errorResult(`${input.url} did not answer within ${LIMITS.webFetchTimeoutMs / 1_000} s.`);
    return errorResult(answer.refused);
  },
};

async function follow(
  input: WebFetchInput,
  context: ToolContext,
  signal: AbortSignal,
): Promise<ToolResult | ToolRefusal> {
  if (!URL.canParse(input.url)) return { refused: `Not an address of the web: ${input.url}` };
  let url = new URL(input.url);
  for (let hop = 0; hop <= LIMITS.webRedirects; hop += 1) {
    const page = await fetchOne(url, context, signal);
    if (isRefusal(page)) return page;
    if (page.status < 300 || page.status >= 400 || page.location === undefined) return show(input, url, page);
    if (!URL.canParse(page.location, url.href))
      return { refused: `${url.href} redirects to something that is not an address.` };
    const next = new URL(page.location, url);
    if (!isSamePlace(url, next))
      return textResult(`${url.href} redirects to another place: ${next.href}\nFetch that address if you want it.`);
    url = next;
  }
  return { refused: `${input.url} redirects more than ${LIMITS.webRedirects} times.` };
}

async function fetchOne(url: URL, context: ToolContext, signal: AbortSignal): Promise<WebPage | ToolRefusal> {
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return { refused: `Only http and https addresses can be fetched, not ${url.protocol}` };
  if (url.username !== "" || url.password !== "")
    return { refused: "The address holds a user name or password. Leave them out." };
  const host = hostName(url);
  const rule = hostRule(host, context.webHosts);
  if (rule === "none")
    return {
      refused: `The host ${host} is not allowed. An admin can allow it with web_hosts in the policy's profile of this session.`,
    };
  const address = await publicAddress(host, rule);
  return "refused" in address ? address : getPage(url, address, signal);
}

/** The same host, on the same port or from http to https; never back to http. */
function isSamePlace(from: URL, to: URL): boolean {
  if (hostName(from) !== hostName(to)) return false;
  if (from.protocol === to.protocol) return from.port === to.port;
  return from.protocol === "http:" && to.protocol === "https:" && from.port === "" && to.port === "";
}

function show(input: WebFetchInput, url: URL, page: WebPage): ToolResult {
  const text = pageText(url, page);
  if (text === undefined)
    return errorResult(`${url.href} is of type ${page.contentType}, which cannot be shown as text.`);
  if (page.status >= 400)
    return errorResult(
      `${url.href} answered ${page.status} ${page.statusText}\n\n${headOf(text, ERROR_PAGE_CHARS)}`.trim(),
    );
  if (text === "") return textResult(`${url.href} is empty.`);
  if (input.offset >= text.length)
    return errorResult(`Offset ${input.offset} is beyond the end of the text, which has ${text.length} characters.`);
  const rest = text.slice(input.offset);
  const shown = headOf(rest, LIMITS.webFetchChars);
  if (shown.length < rest.length)
    return textResult(`${shown}\n\n(The text goes on: fetch with offset ${input.offset + shown.length}.)`);
  return textResult(
    page.cut ? `${shown}\n\n(Only the first ${LIMITS.webFetchBytes} bytes of the page were taken.)` : shown,
  );
}

/** Undefined when it is not text. */
function pageText(url: URL, page: WebPage): string | undefined {
  const [type = ""] = page.contentType.toLowerCase().split(";");
  const media = type.trim();
  const isText =
    media === "" || media.startsWith("text/") || /[/+](json|xml|javascript|x-ndjson|yaml|x-yaml)$/.test(media);
  if (!isText) return undefined;
  const text = decode(page);
  return media === "text/html" || media === "application/xhtml+xml" ? htmlToText(text, url.href) : text;
}

function decode(page: WebPage): string {
  const charset = /charset=["']?([\w-]+)/i.exec(page.contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(page.body);
  } catch {
    return new TextDecoder().decode(page.body);
  }
}
