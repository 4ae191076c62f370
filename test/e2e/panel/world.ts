import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { launchBrowser, Visitor } from "../../support/browser.ts";
import { openTestApp, type TestApp } from "../../support/app.ts";
import { ownPort } from "../../support/port.ts";
import { TEST_TOKEN } from "../../support/server.ts";
import { openHostSite, type HostSite } from "./host.ts";

/** The product, a site of somebody else with the panel in it, and a browser. */
export interface PanelWorld {
  readonly app: TestApp;
  readonly site: HostSite;
  readonly browser: Browser;
  /** A person at the site, until the test ends. `search`: what the page's script reads. */
  visit(search?: Readonly<Record<string, string>>, options?: BrowserContextOptions): Promise<Visitor>;
  /** The address of the page. */
  address(search?: Readonly<Record<string, string>>, path?: string): string;
}

/** One for all tests of a file. */
export function panelWorld(files?: Parameters<typeof openHostSite>[0]["files"]): PanelWorld {
  const made: { app?: TestApp; site?: HostSite; browser?: Browser } = {};
  const there = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error("only inside a test");
    return value;
  };
  beforeAll(async () => {
    const port = await ownPort();
    made.app = await openTestApp({ SALLYPORT_ALLOWED_HOSTS: `127.0.0.1:${port}` });
    made.site = await openHostSite({
      port,
      served: () => there(made.app).serving.url,
      ...(files === undefined ? {} : { files }),
    });
    made.browser = await launchBrowser();
  });
  afterAll(async () => {
    await made.browser?.close();
    await made.site?.close();
    await made.app?.[Symbol.asyncDispose]();
  });
  const address: PanelWorld["address"] = (search = {}, path = "/") =>
    `${there(made.site).url}${path}?${new URLSearchParams({ token: TEST_TOKEN, ...search }).toString()}`;
  return {
    get app() {
      return there(made.app);
    },
    get site() {
      return there(made.site);
    },
    get browser() {
      return there(made.browser);
    },
    address,
    visit: async (search, options) => {
      const visitor = await Visitor.arrive(there(made.browser), options);
      // A page that stays open goes on drawing what it shows.
      onTestFinished(() => visitor.close());
      await (await visitor.newPage()).goto(address(search));
      return visitor;
    },
  };
}

export const conversation = (page: Page): Locator => page.getByRole("log", { name: "Conversation" });
export const answers = (page: Page): Locator => page.getByRole("article", { name: "Answer" });
export const bubbles = (page: Page): Locator => page.getByRole("article", { name: "You" }).locator(".bubble-text");
export const input = (page: Page): Locator => page.getByRole("textbox", { name: "Ask Claude about the shop…" });
export const press = (page: Page, name: string | RegExp): Promise<void> => page.getByRole("button", { name }).click();
/** No turn is at work. */
export const isIdle = (page: Page): Promise<void> => page.getByRole("button", { name: "Run AI Prompt" }).waitFor();

/** A prompt with a script; its first words are those of the chat in the history. */
export const named = (name: string, ...steps: readonly object[]): string => `${name}\nsim: ${JSON.stringify(steps)}`;
export const script = (...steps: readonly object[]): string => named("Do as told.", ...steps);
export const history = (page: Page): Locator => page.getByRole("dialog", { name: "History" });

export async function ask(page: Page, text: string): Promise<void> {
  await input(page).fill(text);
  await input(page).press("Enter");
}
