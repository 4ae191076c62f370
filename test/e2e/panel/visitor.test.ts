import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SallyportClient } from "../../../src/client/index.ts";
import { describeInBrowser, launchBrowser, Visitor } from "../../support/browser.ts";
import { openTestApp, type TestApp } from "../../support/app.ts";
import { ownPort } from "../../support/port.ts";
import { ALL_PAYLOADS, PAYLOADS } from "../console/payloads.ts";
import { checkPage, listen, missing } from "../console/traces.ts";
import { openProduct, type Product } from "./other-origin.ts";
import { answers, ask, isIdle, press, script } from "./world.ts";

interface Asked {
  readonly server: string;
  readonly token: string;
}

/** What a page's script gets from the server, with a token that it has. */
const tries = (page: Page, asked: Asked & { readonly paths: readonly string[] }): Promise<readonly string[]> =>
  page.evaluate(
    ({ server, token, paths }) =>
      Promise.all(
        paths.map((path) =>
          fetch(server + path, { headers: { authorization: `Bearer ${token}` } }).then(
            ({ status }) => String(status),
            () => "blocked",
          ),
        ),
      ),
    asked,
  );

/** How far a page's socket comes. */
const socket = (page: Page, asked: Asked): Promise<string> =>
  page.evaluate(
    ({ server, token }) =>
      new Promise((resolve) => {
        const opened = new WebSocket(`${server.replace("http", "ws")}/api/ws`, [`sallyport.token.${token}`]);
        opened.addEventListener("open", () => resolve("open"));
        opened.addEventListener("error", () => resolve("blocked"));
      }),
    asked,
  );

const tokenOf = (page: Page): Promise<string> =>
  page.evaluate(() => (globalThis as unknown as { token(): Promise<string> }).token());
const sessionOf = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => (globalThis as unknown as { panel: { sessionId?: string } }).panel.sessionId);

describeInBrowser("the panel on a page of another origin, with a visitor's token", () => {
  let app: TestApp;
  let shop: Product;
  let evil: Product;
  let browser: Browser;
  let issuer: SallyportClient;
  const visitors: Visitor[] = [];
  beforeAll(async () => {
    app = await openTestApp();
    shop = await openProduct(await ownPort(), () => issuer);
    evil = await openProduct(await ownPort());
    const { token } = await app.client.createToken({
      role: "issuer",
      name: "shop",
      origins: [shop.url],
      tools: ["mcp__shop__*"],
    });
    issuer = new SallyportClient({ url: app.serving.url, token });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await Promise.all(visitors.map((visitor) => visitor.close()));
    await browser.close();
    await Promise.all([shop.close(), evil.close()]);
    await app[Symbol.asyncDispose]();
  });

  async function visit(product: Product, search: Readonly<Record<string, string>>): Promise<Visitor> {
    const visitor = await Visitor.arrive(browser);
    visitors.push(visitor);
    const query = new URLSearchParams({ server: app.serving.url, ...search });
    await (await visitor.newPage()).goto(`${product.url}/?${query.toString()}`);
    return visitor;
  }

  test("works, with the page's tools alone, and sees nothing of others", async () => {
    const other = await app.client.createSession({ prompt: { text: script({ say: "secret" }) } });
    const [ann, ben] = [await visit(shop, { subject: "ann" }), await visit(shop, { subject: "ben" })];
    await ask(
      ann.page,
      script(
        { tool: "Bash", input: { command: "id" } },
        { tool: "Read", input: { file_path: "package.json" } },
        { tool: "mcp__shop__look", input: {} },
        { say: "Seen." },
      ),
    );
    await answers(ann.page).getByText("Seen.", { exact: true }).waitFor();
    await isIdle(ann.page);
    const id = (await sessionOf(ann.page)) ?? "";
    const { events } = await app.client.events(id, { limit: 1_000 });
    expect(
      events.flatMap((event) =>
        event.type === "item.completed" && "tool" in event.item ? [[event.item.tool, event.item.status]] : [],
      ),
    ).toEqual([
      ["Bash", "declined"],
      ["Read", "declined"],
      ["mcp__shop__look", "completed"],
    ]);
    const paths = [
      "/api/me",
      `/api/sessions/${id}`,
      `/api/sessions/${other.id}`,
      `/api/sessions/${other.id}/events`,
      "/api/tokens",
      "/api/policy",
      "/api/audit",
      `/api/sessions/${id}/files`,
    ];
    const server = app.serving.url;
    const [own, others] = await Promise.all(
      [ann, ben].map(async ({ page }) => tries(page, { server, token: await tokenOf(page), paths })),
    );
    expect(own).toEqual(["200", "200", "404", "404", "403", "403", "403", "403"]);
    expect(others?.slice(0, 4)).toEqual(["200", "404", "404", "404"]);
    expect(ann.troubles).toEqual([]);
  });

  test("does not work from a page of a third origin, nor do other tokens from the shop's", async () => {
    const server = app.serving.url;
    const [ann, thief] = [await visit(shop, { subject: "ann" }), await visit(evil, { subject: "x" })];
    const stolen = { server, token: await tokenOf(ann.page) };
    const admin = { server, token: app.serving.token };
    const paths = ["/api/me", "/api/sessions"];
    const reached = [
      await tries(ann.page, { ...stolen, paths }),
      await socket(ann.page, stolen),
      await tries(thief.page, { ...stolen, paths }),
      await socket(thief.page, stolen),
      await tries(thief.page, { ...admin, paths }),
      await socket(thief.page, admin),
      await socket(ann.page, admin),
      // The refusal of a token that is not for this page can be read there: the page may ask, the token may not.
      await tries(ann.page, { ...admin, paths }),
    ];
    expect(reached).toEqual([
      ["200", "200"],
      "open",
      ["blocked", "blocked"],
      "blocked",
      ["blocked", "blocked"],
      "blocked",
      "blocked",
      ["403", "403"],
    ]);
  });

  test("whatever the model, the tools and the page's data say stays text", async () => {
    const visitor = await visit(shop, { subject: "hostile", found: ALL_PAYLOADS.slice(0, 6_000) });
    const { page } = visitor;
    const told = listen(visitor.context, [shop.url, app.serving.url]);
    await page.locator("input[type=file]").setInputFiles({
      name: "<img src=x onerror=window.__xss=1>.txt",
      mimeType: "text/plain",
      buffer: Buffer.from(
        script(
          { think: ALL_PAYLOADS },
          { say: ALL_PAYLOADS },
          { tool: "<img src=x onerror=window.__xss=1>", input: { "<b onclick=window.__xss=1>": PAYLOADS[0] } },
          { tool: "mcp__shop__look", input: { [PAYLOADS[4] ?? ""]: PAYLOADS[20] } },
          { tool: "mcp__shop__pay", input: { note: ALL_PAYLOADS.slice(0, 3_000) } },
          { say: `Over.\n\n${ALL_PAYLOADS}` },
        ),
      ),
    });
    await ask(page, PAYLOADS.slice(0, 10).join("\n"));
    const question = page.getByRole("region").filter({ has: page.getByRole("button", { name: "Yes" }) });
    await question.getByText("mark0").first().waitFor();
    await checkPage(visitor, told);
    await press(page, "Yes");
    await answers(page).getByText("Over.", { exact: true }).waitFor();
    await isIdle(page);
    for (const summary of await answers(page).locator("details:not([open]) > summary").all())
      if (await summary.isVisible()) await summary.click();
    await expect
      .poll(async () => missing((await answers(page).locator(".prose > *").allTextContents()).join("\n")))
      .toEqual([]);
    const links = await answers(page)
      .locator("a")
      .evaluateAll((all) => all.map((link) => [link.getAttribute("href"), link.getAttribute("rel")]));
    for (const [href, rel] of links)
      expect([href?.startsWith("https://evil.example/"), rel]).toEqual([true, "noreferrer noopener"]);
    await checkPage(visitor, told);
    // Kept in the browser, and shown from there.
    await press(page, "New chat");
    await press(page, "History");
    await page.getByRole("dialog", { name: "History" }).getByText("mark0").first().waitFor();
    await checkPage(visitor, told);
  });
});
