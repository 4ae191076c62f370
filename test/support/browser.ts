import { existsSync } from "node:fs";
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";
import { describe } from "vitest";

const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
] as const;
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
] as const;

const executable = process.env["SALLYPORT_CHROMIUM"] ?? PLACES.find((path) => existsSync(path));
const required = process.env["SALLYPORT_BROWSER_TESTS"] === "required";

/** Tests that need a browser: left out, visibly, on a machine that has none; never where they are required. */
export const describeInBrowser = executable === undefined && !required ? describe.skip : describe;

export function launchBrowser(): Promise<Browser> {
  if (executable === undefined)
    throw new Error("no Chromium was found: install it, or name it with SALLYPORT_CHROMIUM");
  return chromium.launch({ executablePath: executable, args: [...FLAGS] });
}

export const PHONE: BrowserContextOptions = {
  viewport: { width: 375, height: 812 },
  hasTouch: true,
  isMobile: true,
  deviceScaleFactor: 2,
};

/** One person's browser at the console. What goes wrong in it is kept, and no test may leave it unread. */
export class Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly #troubles: string[];

  private constructor(context: BrowserContext, page: Page, troubles: string[]) {
    this.context = context;
    this.page = page;
    this.#troubles = troubles;
  }

  static async open(
    browser: Browser,
    visit: {
      readonly url: string;
      readonly token: string;
      readonly path?: string;
      readonly options?: BrowserContextOptions;
    },
  ): Promise<Visitor> {
    const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, ...visit.options });
    const troubles: string[] = [];
    await context.exposeFunction("tellTrouble", (text: string) => troubles.push(text));
    await context.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        const { tellTrouble } = globalThis as unknown as { readonly tellTrouble: (text: string) => void };
        tellTrouble(`CSP ${event.violatedDirective}: ${event.blockedURI} ${event.sourceFile} ${event.sample}`);
      });
    });
    const page = await context.newPage();
    page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
    page.on("console", (message) => {
      // A server that is away is a state of the page, not a fault of it.
      if (
        message.type() === "error" &&
        !/ERR_CONNECTION_REFUSED|Failed to load resource|WebSocket connection/.test(message.text())
      )
        troubles.push(`console: ${message.text()}`);
    });
    const visitor = new Visitor(context, page, troubles);
    await page.goto(
      `${visit.url}${visit.path ?? "/"}${(visit.path ?? "").includes("?") ? "&" : "?"}token=${visit.token}`,
    );
    return visitor;
  }

  /** What went wrong in the page so far: broken scripts, and whatever its security policy had to stop. */
  get troubles(): readonly string[] {
    return this.#troubles;
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}
