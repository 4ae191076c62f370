import { resolve } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { build, type Rolldown } from "vite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInBrowser, launchBrowser } from "../support/browser.ts";
import { openTestApp, script, untilTurnEnds, type TestApp } from "../support/app.ts";
import { toldBy } from "./page-world.ts";

const PAGE = `<!doctype html><title>page</title>
<script type="module">import { LiveConnection } from "/client.js"; globalThis.LiveConnection = LiveConnection;</script>`;

interface Live {
  offer(session: string, offer: object): { ready(): Promise<void> };
}

describeInBrowser("tools of a page in a real browser", () => {
  let app: TestApp;
  let browser: Browser;
  let context: BrowserContext;
  let client: string;
  beforeAll(async () => {
    app = await openTestApp();
    browser = await launchBrowser();
    context = await browser.newContext();
    client = await bundle();
    // The page comes from the server's own origin, as one behind the same host does; but not from this machine, as the browser sees it.
    await context.grantPermissions(["local-network-access"]);
    await context.route(`${app.serving.url}/page`, (route) => route.fulfill({ contentType: "text/html", body: PAGE }));
    await context.route(`${app.serving.url}/client.js`, (route) =>
      route.fulfill({ contentType: "text/javascript", body: client }),
    );
  });
  afterAll(async () => {
    await browser.close();
    await app[Symbol.asyncDispose]();
  });

  async function open(): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`${app.serving.url}/page`);
    return page;
  }

  /** Offers `act` of a page, which waits for `go` when it is told to, and counts how often it is begun. */
  async function offer(page: Page, session: string): Promise<void> {
    await page.waitForFunction("globalThis.LiveConnection !== undefined");
    await page.evaluate(
      async ({ url, token, session }) => {
        const world = globalThis as unknown as {
          begun: number;
          go: () => void;
          LiveConnection: new (options: object) => Live;
        };
        world.begun = 0;
        const handler = async ({ waits }: { waits: boolean }): Promise<string> => {
          world.begun += 1;
          if (waits)
            await new Promise<void>((keep) => {
              world.go = keep;
            });
          return `${document.title} acted`;
        };
        const schema = { type: "object", properties: { waits: { type: "boolean" } }, required: ["waits"] };
        const tools = [{ name: "act", description: "Acts.", schema, handler }];
        await new world.LiveConnection({ url, token }).offer(session, { page: "app", tools }).ready();
      },
      { url: app.serving.url, token: app.serving.token, session },
    );
  }

  async function told(id: string, ...waits: readonly boolean[]): Promise<readonly string[]> {
    const steps = waits.map((wait) => ({ tool: "mcp__app__act", input: { waits: wait } }));
    const { seq } = await app.client.prompt(id, { text: script(...steps) });
    return toldBy(await untilTurnEnds(app.client, id, { after: seq - 1 })).map(({ text }) => text);
  }

  const begun = (page: Page): Promise<unknown> => page.waitForFunction("globalThis.begun === 1");

  it("are run there, and what was begun is not run again after a reload", async () => {
    const { id } = await app.client.createSession({ autonomy: "full" });
    const page = await open();
    await offer(page, id);
    expect(await told(id, false)).toEqual(["page acted"]);

    const answer = told(id, true, false);
    await page.waitForFunction("globalThis.begun === 2");
    await page.reload();
    await offer(page, id);
    expect(await answer).toEqual([
      "Error (interrupted): interrupted by a reload of the page; its outcome is unknown",
      "page acted",
    ]);
    await begun(page);
    await page.close();
  });

  it("of two tabs with two sessions never see each other's calls", async () => {
    const sessions = await Promise.all([
      app.client.createSession({ autonomy: "full" }),
      app.client.createSession({ autonomy: "full" }),
    ]);
    const pages = await Promise.all(sessions.map(() => open()));
    for (const [index, page] of pages.entries()) {
      await page.evaluate(`document.title = "tab ${index}"`);
      await offer(page, sessions[index]?.id ?? "");
    }
    expect(await Promise.all(sessions.map(({ id }) => told(id, false)))).toEqual([["tab 0 acted"], ["tab 1 acted"]]);
    expect(await Promise.all(pages.map((page) => page.evaluate("globalThis.begun")))).toEqual([1, 1]);
  });
});

async function bundle(): Promise<string> {
  const dist = resolve(import.meta.dirname, "../../dist/client");
  const built = (await build({
    configFile: false,
    logLevel: "silent",
    root: dist,
    build: { lib: { entry: resolve(dist, "index.js"), formats: ["es"], fileName: "client" }, write: false },
  })) as readonly { readonly output: readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[] }[];
  const chunk = built[0]?.output[0];
  if (chunk?.type !== "chunk") throw new Error("nothing was built");
  return chunk.code;
}
