import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Locator,
  type Page,
} from "playwright-core";
import { browserPath, wholeBrowserPath } from "./programs.ts";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
  // Pages live for seconds here: what compiles them better takes more than it gives.
  "--js-flags=--no-opt --no-maglev --no-wasm-tier-up",
] as const;

export function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  if (browserPath === undefined)
    throw new Error("no Chromium was found: install it, or name it with SALLYPORT_CHROMIUM");
  return chromium.launch({ executablePath: browserPath, args: [...FLAGS, ...more] });
}

/** The whole browser, without a window: it can show notifications. */
export function launchWholeBrowser(): Promise<Browser> {
  if (wholeBrowserPath === undefined)
    throw new Error("no Chromium was found that shows notifications: install the package chromium");
  return chromium.launch({
    executablePath: wholeBrowserPath,
    args: [...FLAGS, "--headless=new"],
    ignoreDefaultArgs: ["--headless", "--headless=old"],
  });
}

export const PHONE: BrowserContextOptions = {
  viewport: { width: 375, height: 812 },
  hasTouch: true,
  isMobile: true,
  deviceScaleFactor: 2,
};

/** A busy machine is slow, not wrong. Less than a test may take: what was waited for is then told. */
const PATIENCE_MS = 60_000;

/** A server that is away is a state of the page, not a fault of it. */
const AWAY = /ERR_CONNECTION_REFUSED|ERR_INTERNET_DISCONNECTED|Failed to load resource|WebSocket connection/;

/** Waits until the page has done what it has to do. What takes a key is there a moment after what is seen. */
export async function atRest(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((done) => {
        requestIdleCallback(() => done());
      }),
  );
}

/** Waits until it has the focus. */
export async function hasFocus(element: Locator): Promise<void> {
  await element.and(element.page().locator(":focus")).waitFor();
}

/** One person's browser at the console. What goes wrong in it is kept, and no test may leave it unread. */
export class Visitor {
  readonly context: BrowserContext;
  readonly #troubles: string[] = [];

  private constructor(context: BrowserContext) {
    this.context = context;
  }

  /** A browser that has not gone anywhere yet. */
  static async arrive(browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> {
    const context = await browser.newContext({
      viewport: { width: 1_280, height: 800 },
      // What a page shows is the server's answer, unless a test is about the service worker.
      serviceWorkers: "block",
      ...options,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const visitor = new Visitor(context);
    await context.exposeFunction("tellTrouble", (text: string) => visitor.#troubles.push(text));
    await context.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        const { tellTrouble } = globalThis as unknown as { readonly tellTrouble: (text: string) => void };
        tellTrouble(`CSP ${event.violatedDirective}: ${event.blockedURI} ${event.sourceFile} ${event.sample}`);
      });
    });
    return visitor;
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
    const visitor = await Visitor.arrive(browser, visit.options);
    const page = await visitor.newPage();
    const path = visit.path ?? "/";
    await page.goto(`${visit.url}${path}${path.includes("?") ? "&" : "?"}token=${visit.token}`);
    // Who went on before the page has taken the token would be a stranger on the next one.
    await page.waitForURL((address) => !address.searchParams.has("token"));
    return visitor;
  }

  async newPage(): Promise<Page> {
    const page = await this.context.newPage();
    page.on("pageerror", (error) => this.#troubles.push(`error: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error" && !AWAY.test(message.text())) this.#troubles.push(`console: ${message.text()}`);
    });
    return page;
  }

  /** The first one that was opened. */
  get page(): Page {
    const [page] = this.context.pages();
    if (page === undefined) throw new Error("no page is open");
    return page;
  }

  /** What went wrong in the pages so far: broken scripts, and whatever their security policy had to stop. */
  get troubles(): readonly string[] {
    return this.#troubles;
  }

  /** The same, and begins anew. */
  takeTroubles(): readonly string[] {
    return this.#troubles.splice(0);
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}
