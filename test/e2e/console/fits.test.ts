import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { untilTurnEnds } from "../../support/app.ts";
import { TEST_TOKEN } from "../../support/server.ts";
import { begin, consoleWorld, conversation, type ConsoleWorld } from "./world.ts";

const PRICE = { input: 3_000_000, output: 15_000_000, cache_read: 300_000, cache_write: 3_750_000 };
const SLOW = [{ say: "I begin." }, { stream: { tokens: 100_000, per_second: 20 } }];
const LIMIT = { max_cost_microusd: 5_000_000 };

/** Cells, names and values whose text is wider than they are, so that it would lie over what is beside them. */
const tooWide = (place: Locator): Promise<readonly string[]> =>
  place.evaluateAll((elements) =>
    elements
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
      .map(({ textContent }) => textContent),
  );

/** Words of a conversation's head that leave their place beside the buttons. */
const wordsOutside = (page: Page): Promise<readonly string[]> =>
  page.locator("main header p").evaluateAll((lines) =>
    lines.flatMap((line) => {
      const place = line.getBoundingClientRect();
      return [...line.children].flatMap((one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        const { left, right } = range.getBoundingClientRect();
        return right > left && (left < place.left - 1 || right > place.right + 1) ? [one.textContent] : [];
      });
    }),
  );

/** A session whose turn was stopped while the model answered: what it cost is known only as a bound. */
async function stopped(world: ConsoleWorld): Promise<string> {
  const id = await begin(world, SLOW, LIMIT);
  for await (const { type } of world.client.watch(id)) if (type === "item.started") break;
  await world.client.interrupt(id);
  await untilTurnEnds(world.client, id);
  return id;
}

describeInBrowser("what stands side by side does not lie over each other", () => {
  const world = consoleWorld(
    {},
    {
      prepare: async ({ home }) => {
        await mkdir(home, { recursive: true });
        await writeFile(join(home, "sallyport.yaml"), JSON.stringify({ prices: { "sim/*": PRICE } }));
        return async () => undefined;
      },
    },
  );

  test.each(["en-US", "de-DE", "ar-EG"])("costs in the list, and facts beside a conversation, %s", async (locale) => {
    const id = await stopped(world);
    const visitor = await world.visit("/sessions", { locale });
    const { page } = visitor;
    const row = page.getByRole("row").filter({ has: page.locator(`[data-session="${id}"]`) });
    await row
      .getByText(locale === "de-DE" ? /^höchstens \d,\d\d\s\$$/ : /\d\.\d\d/)
      .first()
      .waitFor();
    expect(await tooWide(row.getByRole("cell"))).toEqual([]);
    await page.goto(`${world.app.serving.url}/sessions/${id}`);
    await page.getByRole("complementary").getByRole("term").first().waitFor();
    expect(await tooWide(page.getByRole("complementary").getByRole("term"))).toEqual([]);
    expect(visitor.troubles).toEqual([]);
  });

  test.each([
    ["en-US", 640, 400],
    ["de-DE", 1_280, 800],
  ])("what was spent and the buttons of a conversation, %s, %d wide", async (locale, width, height) => {
    const id = await begin(world, SLOW, LIMIT);
    const { page } = await world.visit(`/sessions/${id}`, { locale, viewport: { width, height } });
    await page
      .locator("main header")
      .getByText(/reserved|reserviert/)
      .waitFor();
    expect(await wordsOutside(page)).toEqual([]);
    await world.client.control(id, "close");
  });

  test("a long command that is edited on a phone is whole in its field, and what a rule allows keeps its order", async () => {
    const command = `printf '%s' ${Array.from({ length: 30 }, (_, index) => `word-${String(index)}`).join(" ")}`;
    const id = await begin(world, [{ tool: "Bash", input: { command } }], { unattended: "park" });
    const viewport = { width: 390, height: 844 };
    const { page } = await world.visit(`/sessions/${id}`, { locale: "ar-EG", viewport });
    await page.getByRole("button", { name: "اختيار ما يُسمح به في هذه الجلسة" }).click();
    const rule = page.getByRole("radio").first().locator("xpath=following-sibling::span/span");
    expect(await rule.evaluate((element) => element.matches(":dir(ltr)"))).toBe(true);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "تعديل", exact: true }).click();
    const field = page.getByRole("textbox", { name: "الأمر" });
    await field.waitFor();
    expect(await field.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBeLessThan(2);
  });

  test("a title that is cut keeps its beginning from right to left", async () => {
    const title = `First of all ${"there are many words ".repeat(8)}`;
    const { id } = await world.client.createSession({ prompt: { text: title } });
    const { page } = await world.visit("/sessions", { locale: "ar-EG" });
    const link = page.locator(`[data-session="${id}"]`);
    await link.waitFor();
    // Where a line is cut, the dots lie over the end that its direction names.
    expect(await link.evaluate((element) => element.matches(":dir(ltr)"))).toBe(true);
  });
});

describeInBrowser("what is not known is not told as none", () => {
  const world = consoleWorld();

  test("limits of open sessions, while they load and after that failed", async () => {
    const { page } = await world.visit("/search");
    await page.getByRole("heading", { name: "Search", level: 1 }).waitFor();
    const held: Route[] = [];
    const refusal = { error: { code: "forbidden", message: "not for you" } };
    const refuse = (route: Route): Promise<void> => route.fulfill({ status: 403, json: refusal });
    let isOpen = false;
    await page.route(
      (address) => address.pathname === "/api/sessions",
      (route) => (isOpen ? refuse(route) : void held.push(route)),
    );
    await page.goto(`${world.app.serving.url}/usage`);
    await expect.poll(() => held.length).toBeGreaterThan(0);
    await page.getByRole("heading", { name: "Limits of open sessions" }).waitFor();
    expect(await page.getByText("No session is open.").count()).toBe(0);
    isOpen = true;
    await Promise.all(held.map(refuse));
    await page.getByRole("alert").getByText("not for you").waitFor();
    expect(await page.getByText("No session is open.").count()).toBe(0);
  });

  test("a conversation that cannot be loaded is a page with a heading", async () => {
    const id = await begin(world, [{ say: "Hello." }]);
    const { page } = await world.visit(`/sessions/${id}`);
    await conversation(page).getByText("Hello.", { exact: true }).waitFor();
    await page.route(
      (address) => address.pathname === `/api/sessions/${id}`,
      (route) => route.fulfill({ status: 403, json: { error: { code: "forbidden", message: "not for you" } } }),
    );
    await page.reload();
    await page.getByRole("alert").getByText("not for you").waitFor();
    expect(await page.getByRole("heading", { level: 1 }).allInnerTexts()).toEqual(["Session"]);
  });

  test.each(["/api/templates", "/api/health"])(
    "without %s the pages to begin with come, and ask no more",
    async (path) => {
      const { page } = await world.visit("/search");
      await page.getByRole("heading", { level: 1 }).waitFor();
      // What was known before is forgotten.
      await page.evaluate(() => localStorage.clear());
      await page.route(
        (address) => address.pathname === path,
        (route) => route.fulfill({ status: 403, json: { error: { code: "forbidden", message: "not for you" } } }),
      );
      await page.goto(`${world.app.serving.url}/new?token=${TEST_TOKEN}`);
      await page.getByLabel("What should the agent do?").fill("Something");
      await page.waitForLoadState("networkidle");
      expect(await page.getByLabel("What should the agent do?").inputValue()).toBe("Something");
    },
  );
});
