import { fileURLToPath } from "node:url";
import { z } from "zod";
import { LIMITS } from "../../protocol/index.ts";
import { errorResult, genericPreview, isRefusal, resolveInside, textResult, type Tool } from "../../tools/index.ts";
import type { SessionBrowser } from "../session-browser.ts";
import { named } from "./names.ts";

const NavigateInput = z.strictObject({
  url: z.string().max(LIMITS.webUrlChars).describe("The http or https address of the page"),
  waitUntil: z
    .enum(["domcontentloaded", "load", "networkidle0", "networkidle2"])
    .default("domcontentloaded")
    .describe("What to wait for: the document, all that it loads, or a network at rest"),
});
type NavigateInput = z.infer<typeof NavigateInput>;

const ADVICE =
  "This could be due to:\n- Network connectivity issues\n- Site blocking automated access\n- Page requiring authentication\n- Navigation timeout\n\nTry using a different URL or checking network connectivity.";

function fileOf(url: string): string | undefined {
  try {
    return new URL(url).protocol === "file:" ? fileURLToPath(url) : undefined;
  } catch {
    return undefined;
  }
}

export function navigate(browser: SessionBrowser): Tool<NavigateInput> {
  return {
    ...named("mcp__puppeteer__puppeteer_navigate"),
    description:
      "Navigate to a URL. Waits until the document is read. A server that a command of this session has started is at localhost.",
    input: NavigateInput,
    paths: ({ url }) => {
      const path = fileOf(url);
      return path === undefined ? [] : [{ path, access: "read" }];
    },
    preview: async (input) =>
      genericPreview(input, [{ kind: "network", message: `Opens ${input.url} in the browser` }]),
    async execute({ url, waitUntil }, context) {
      const refused = refusalOf(url, browser);
      if (refused !== undefined) return failed(refused);
      const path = fileOf(url);
      const place = path === undefined ? undefined : await resolveInside(context, { path, access: "read" });
      if (isRefusal(place)) return failed(place.refused);
      return browser.use({
        signal: context.signal,
        failed,
        work: async (page) => {
          const response = await page.goto(url, { waitUntil });
          if (response === null) throw new Error("Navigation failed - no response received");
          const status = response.status();
          if (status >= 400) throw new Error(`HTTP error: ${status} ${response.statusText()}`);
          return textResult(`Successfully navigated to ${url} (Status: ${status})`);
        },
      });
    },
  };

  function failed(reason: string): ReturnType<typeof errorResult> {
    return errorResult(`Navigation failed: ${reason}\n${ADVICE}`);
  }
}

/** What no page may be opened from, whatever the network lets through. */
function refusalOf(url: string, { means }: SessionBrowser): string | undefined {
  if (!URL.canParse(url)) return `${url} is not an address`;
  const { protocol, username, password } = new URL(url);
  if (username !== "" || password !== "") return "the address holds a user name or password; leave them out";
  if (protocol === "http:" || protocol === "https:") return undefined;
  if (protocol !== "file:") return `only http and https addresses can be opened, not ${protocol}`;
  if (!means.abilities().includes("workspace_files"))
    return "files cannot be opened as pages: an admin can allow it with workspace_files in browser of the profile";
  // A page that is a file may read other files: only a sandbox keeps those away.
  return means.sandbox.kind === "local" ? "files can be opened as pages only in a sandbox" : undefined;
}
