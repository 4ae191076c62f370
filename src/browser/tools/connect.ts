import { z } from "zod";
import { LIMITS } from "../../protocol/index.ts";
import { errorResult, genericPreview, textResult, type Tool } from "../../tools/index.ts";
import { RunningBrowser, withinTime } from "../running.ts";
import { messageOf, type SessionBrowser } from "../session-browser.ts";
import { named } from "./names.ts";

const DEBUG_PORT = 9_222;
const ConnectInput = z.strictObject({
  targetUrl: z
    .string()
    .max(LIMITS.webUrlChars)
    .optional()
    .describe("Optional URL of the target tab to connect to. If not provided, connects to the first available tab."),
  debugPort: z
    .number()
    .int()
    .min(1)
    .max(65_535)
    .default(DEBUG_PORT)
    .describe("Optional Chrome debugging port (default: 9222)"),
});
type ConnectInput = z.infer<typeof ConnectInput>;

const HOW_TO_START =
  "To connect to Chrome:\n" +
  "1. Close Chrome completely\n" +
  "2. Reopen Chrome with remote debugging enabled:\n" +
  "   Windows: chrome.exe --remote-debugging-port=9222\n" +
  "   Mac: /Applications/Google\\ Chrome.app/Contents/MacOS/Google\\ Chrome --remote-debugging-port=9222\n" +
  "3. Navigate to your desired webpage\n" +
  "4. Try the operation again";
const NOT_ALLOWED =
  "Failed to connect to browser: this session may not leave its sandbox. An admin can allow it with active_tab in browser of the profile.";

/** The person's own browser: outside of the sandbox and of its network, so only where an admin allows it. */
export function connectActiveTab(browser: SessionBrowser): Tool<ConnectInput> {
  return {
    ...named("mcp__puppeteer__puppeteer_connect_active_tab"),
    description: "Connect to an existing Chrome instance with remote debugging enabled",
    input: ConnectInput,
    paths: () => [],
    preview: async (input) =>
      genericPreview(input, [
        { kind: "dangerous", message: "From then on the browser tools act in your own browser, with your logins." },
      ]),
    async execute({ targetUrl, debugPort }, context) {
      if (!browser.means.abilities().includes("active_tab")) return errorResult(NOT_ALLOWED);
      if (context.signal.aborted) return errorResult("Failed to connect to browser: the call was interrupted");
      try {
        return textResult(await connect(browser, targetUrl, debugPort));
      } catch (error) {
        const reason = messageOf(error);
        const isConnection = /connect to Chrome debugging port|Target closed/.test(reason);
        const advice = isConnection ? HOW_TO_START : "Please check if Chrome is running and try again.";
        return errorResult(`Failed to connect to browser: ${reason}\n\n${advice}`);
      }
    },
  };
}

async function connect(browser: SessionBrowser, targetUrl: string | undefined, port: number): Promise<string> {
  const browserWSEndpoint = await debuggerAddress(port);
  const puppeteer = await import("puppeteer-core");
  const opening = puppeteer.connect({ browserWSEndpoint, defaultViewport: null });
  const remote = await withinTime(
    opening,
    LIMITS.browserStartMs,
    `Failed to connect to Chrome debugging port ${port}: no answer`,
  );
  try {
    const pages = (await remote.pages()).filter((page) => !page.url().startsWith("chrome-extension://"));
    const [first] = pages;
    if (first === undefined) throw new Error("No active non-extension pages found in the browser");
    const page = pages.find((one) => one.url() === targetUrl) ?? first;
    await browser.join((notes) => RunningBrowser.join(remote, page, { means: browser.means, notes }));
    return `Successfully connected to browser\nActive webpage: ${await page.title()} (${page.url()})`;
  } catch (error) {
    await remote.disconnect();
    throw error;
  }
}

const Version = z.object({ webSocketDebuggerUrl: z.url().optional() });

async function debuggerAddress(port: number): Promise<string> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/json/version`, {
      signal: AbortSignal.timeout(LIMITS.browserGraceMs),
      redirect: "error",
    });
    if (!response.ok) throw new Error(`Failed to fetch debugger info: ${response.statusText}`);
    const address = Version.parse(await response.json()).webSocketDebuggerUrl;
    if (address === undefined)
      throw new Error("No WebSocket debugger URL found. Is Chrome running with --remote-debugging-port?");
    // Whatever answers at the port must not send us elsewhere.
    const { pathname } = new URL(address);
    return `ws://127.0.0.1:${port}${pathname}`;
  } catch (error) {
    throw new Error(`Failed to connect to Chrome debugging port ${port}: ${messageOf(error)}`, { cause: error });
  }
}
