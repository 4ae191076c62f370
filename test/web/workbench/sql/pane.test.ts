import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { servePage } from "../../../../bench/grid/serve.mjs";
import { describeInBrowser, launchBrowser, PHONE, Visitor } from "../../../support/browser.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const made: { served?: Awaited<ReturnType<typeof servePage>>; browser?: Browser } = {};

async function open(search = "", options = {}): Promise<{ readonly visitor: Visitor; readonly page: Page }> {
  const visitor = await Visitor.arrive(made.browser!, options);
  const page = await visitor.newPage();
  await page.goto(`${made.served!.url}/?${search}`);
  await page.getByRole("textbox", { name: "SQL" }).waitFor();
  return { visitor, page };
}

/** Writes a query and runs it by the keyboard. */
async function run(page: Page, sql: string): Promise<void> {
  await page.getByRole("textbox", { name: "SQL" }).fill(sql);
  await page.keyboard.press("Control+Enter");
}

/** The text of the editor. */
function written(page: Page): Promise<string> {
  return page.evaluate(() => [...document.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\n"));
}

async function cells(page: Page): Promise<readonly (readonly string[])[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>(".wb-row")]
      .filter(({ style }) => style.visibility !== "hidden")
      .toSorted((one, other) => Number(one.ariaRowIndex) - Number(other.ariaRowIndex))
      .map((row) =>
        [...row.querySelectorAll<HTMLElement>(".wb-cell")]
          .filter(({ style }) => style.display !== "none")
          .toSorted((one, other) => Number(one.ariaColIndex) - Number(other.ariaColIndex))
          .map(({ textContent }) => textContent ?? ""),
      ),
  );
}

async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      readonly axe: {
        readonly run: (options: object) => Promise<{
          readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
        }>;
      };
    };
    const found = await axe.run({ rules: { region: { enabled: false }, "page-has-heading-one": { enabled: false } } });
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`);
  });
}

/** A machine may have other work too. */
const soon: typeof expect.poll = (read) => expect.poll(read);

describeInBrowser("SQL in the page", () => {
  beforeAll(async () => {
    made.served = await servePage(resolve(import.meta.dirname, "page.mjs"));
    made.browser = await launchBrowser();
  });
  afterAll(async () => {
    await made.browser?.close();
    await made.served?.stop();
  });

  it("asks the open tables, from files of this server alone", async () => {
    const { visitor, page } = await open();
    const outside: string[] = [];
    const files: string[] = [];
    page.on("request", (request) => (request.url().startsWith(made.served!.url) ? files : outside).push(request.url()));
    // Nothing of the engine is loaded before it is needed.
    expect(
      await page.evaluate(() => performance.getEntriesByType("resource").some(({ name }) => /duckdb/.test(name))),
    ).toBe(false);
    await page.getByRole("button", { name: "Run" }).click();
    const status = page.getByRole("status").filter({ hasText: "rows ·" });
    await status.waitFor();
    await expect
      .poll(() => cells(page))
      .toEqual([
        ["Ada", "36", "1.71", "1988-01-31", "true", "9007199254740993"],
        ["Bo", "41", "—", "—", "false", "1"],
        ["—", "—", "1.8", "1970-01-01", "—", "2"],
        ["Zoë", "29", "1.65", "1995-05-05 10:30", "true", "—"],
        ["Ada", "52", "1.9", "1960-12-24", "true", "-5"],
      ]);
    await run(
      page,
      'SELECT "Name", count(*) AS n, avg("Age") AS age FROM "Demog 2024.csv" GROUP BY ALL ORDER BY n DESC, 1 NULLS LAST',
    );
    await soon(() => cells(page)).toEqual([
      ["Ada", "2", "44"],
      ["Bo", "1", "41"],
      ["Zoë", "1", "29"],
      ["—", "1", "—"],
    ]);
    await page.getByRole("button", { name: "Open as table" }).click();
    await page.getByRole("button", { name: "Columns of query_2" }).waitFor();
    await run(page, "SELECT sum(n) AS all_of_them FROM query_2 JOIN large ON id = n");
    await soon(() => cells(page)).toEqual([["5"]]);
    // What a query does to its copies is gone with the next.
    await run(page, "DELETE FROM large");
    await soon(() => cells(page)).toEqual([["100000"]]);
    await run(page, "SELECT count(*) + 1 AS n FROM large");
    await soon(() => cells(page)).toEqual([["100001"]]);
    expect([outside, files.some((file) => file.endsWith(".wasm"))]).toEqual([[], true]);
    expect(await violations(page)).toEqual([]);
    expect(visitor.troubles).toEqual([]);
    await visitor.close();
  });

  it("says what is wrong and where, lets nothing in from outside, and stops when it is told", async () => {
    const { visitor, page } = await open();
    const outside: string[] = [];
    page.on("request", (request) => !request.url().startsWith(made.served!.url) && outside.push(request.url()));
    await run(page, "SELECT Name,\n  nosuch\nFROM demog_2024_csv");
    const alert = page.getByRole("alert");
    await alert.waitFor();
    await expect
      .poll(() => alert.textContent())
      .toContain('Line 2, column 3Binder Error: Referenced column "nosuch" not found');
    await expect.poll(() => page.locator("mark").textContent()).toBe("nosuch");
    expect(await violations(page)).toEqual([]);
    const refused: readonly (readonly [string, RegExp])[] = [
      ["SELECT * FROM 'https://example.org/x.csv'", /disabled by configuration/],
      ["SELECT * FROM read_parquet('https://example.org/x')", /Extensions cannot be loaded in the page/],
      ["LOAD json", /disabled through configuration/],
      ["SET memory_limit='4GB'", /configuration has been locked/],
      ["SELECT list(repeat(text, 10000)) FROM large", /Out of Memory|ran out of memory/],
    ];
    for (const [sql, words] of refused) {
      await run(page, sql);
      await soon(() => alert.textContent()).toMatch(words);
    }
    await run(page, "SELECT count(*) AS n FROM large a, large b WHERE a.id * b.id % 7 = 3");
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("The query was stopped.").waitFor();
    await run(page, "SELECT 42 AS n");
    await soon(() => cells(page)).toEqual([["42"]]);
    expect(outside).toEqual([]);
    expect(visitor.troubles).toEqual([]);
    await visitor.close();
  });

  it("asks a connection of the server, writes names by a click, and keeps what was asked", async () => {
    const { visitor, page } = await open();
    const field = page.getByRole("textbox", { name: "SQL" });
    await page.getByLabel("What is asked").selectOption({ label: "Sales (PostgreSQL)" });
    await soon(() => written(page)).toBe('SELECT *\nFROM crm."Orders"\nLIMIT 100');
    // While a query runs, no other one is begun.
    const rests = (): Promise<void> => page.getByRole("button", { name: "Run" }).waitFor();
    await run(page, "select ");
    await rests();
    await field.fill("select ");
    await page.getByRole("button", { name: "Columns of crm.Orders" }).click();
    await page.getByRole("button", { name: "id int8" }).click();
    await expect.poll(() => written(page)).toBe("select id");
    await page.keyboard.press("Control+Enter");
    await rests();
    await page.getByText("2 rows").first().waitFor();
    await expect
      .poll(() => cells(page))
      .toEqual([
        ["1", "2024-05-31 10:00"],
        ["9007199254740993", "—"],
      ]);
    await page.getByRole("status").filter({ hasText: "there are more: these are the first ones" }).waitFor();
    await run(page, "select * from wrong");
    await expect
      .poll(() => page.getByRole("alert").textContent())
      .toBe('The query failedrelation "wrong" does not exist');
    await page.reload();
    await page.getByLabel("What is asked").selectOption({ label: "Sales (PostgreSQL)" });
    await page.getByRole("button", { name: "Earlier" }).click();
    await expect
      .poll(() => page.getByRole("menuitem").allTextContents())
      .toEqual(["select * from wrongfailed", "select id2 rows", "select2 rows", "Forget these"]);
    await page.getByRole("menuitem").nth(1).click();
    await expect.poll(() => written(page)).toBe("select id");
    // Names are proposed while one writes, with the quotes that they need.
    await field.fill("select i");
    await page.keyboard.press("End");
    await page.keyboard.press("Control+Space");
    await page.getByRole("option", { name: /^id/, selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.type(" from ord");
    await page.getByRole("option", { name: /^crm\.Orders/, selected: true }).waitFor();
    await page.keyboard.press("Tab");
    await expect.poll(() => written(page)).toBe('select id from crm."Orders"');
    await field.fill("select id");
    // Tab writes, and after Escape it leads on.
    await field.focus();
    await page.keyboard.press("End");
    await page.keyboard.press("Tab");
    await expect.poll(() => written(page)).toBe("select id  ");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe("TEXTAREA");
    expect(visitor.troubles).toEqual([]);
    await visitor.close();
  });

  it("keeps several queries in tabs: new, renamed, closed and back again, by keyboard, and after a reload", async () => {
    const { visitor, page } = await open();
    const field = page.getByRole("textbox", { name: "SQL" });
    const tab = (name: string, selected?: boolean): Locator =>
      page.getByRole("tab", { name, exact: true, ...(selected === undefined ? {} : { selected }) });
    await run(page, "SELECT 1 AS one");
    await soon(() => cells(page)).toEqual([["1"]]);
    await page.getByRole("button", { name: "New query" }).click();
    await tab("Query 2", true).waitFor();
    await expect.poll(() => written(page)).toBe("SELECT *\nFROM demog_2024_csv\nLIMIT 100");
    // The new one has the focus, and nothing of the other's answer.
    await page.getByText("Ctrl+Enter runs the query.").waitFor();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("SELECT 2 AS two");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+Enter");
    await soon(() => cells(page)).toEqual([["2"]]);
    await page.keyboard.press("Alt+PageUp");
    await tab("Query 1", true).waitFor();
    await expect.poll(() => written(page)).toBe("SELECT 1 AS one");
    await soon(() => cells(page)).toEqual([["1"]]);
    await page.keyboard.press("Alt+PageDown");
    await expect.poll(() => written(page)).toBe("SELECT 2 AS two");
    // Each has its own steps to undo.
    await page.keyboard.press("End");
    await page.keyboard.type(" ");
    await page.keyboard.press("Alt+PageUp");
    await page.keyboard.press("Alt+PageDown");
    await expect.poll(() => written(page)).toBe("SELECT 2 AS two ");
    await field.press("Control+z");
    await expect.poll(() => written(page)).toBe("SELECT 2 AS two");
    // Renamed by keyboard; Escape leaves the name.
    await tab("Query 2").focus();
    await page.keyboard.press("F2");
    await page.getByRole("textbox", { name: "Name of Query 2" }).fill("nothing");
    await page.keyboard.press("Escape");
    await expect.poll(() => tab("Query 2").evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press("F2");
    await page.getByRole("textbox", { name: "Name of Query 2" }).fill("By month");
    await page.keyboard.press("Enter");
    await tab("By month", true).waitFor();
    await expect.poll(() => tab("By month").evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => tab("Query 1", true).evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press("End");
    await tab("By month", true).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Delete");
    await tab("By month").waitFor({ state: "detached" });
    const closed = page.getByRole("status").filter({ hasText: "Closed By month." });
    await closed.getByRole("button", { name: "Undo" }).click();
    await tab("By month", true).waitFor();
    await expect.poll(() => written(page)).toBe("SELECT 2 AS two");
    // By the menu, as on a phone.
    const more = page.getByRole("button", { name: "More for queries" });
    await more.click();
    await page.getByRole("menuitem", { name: /^Rename By month…/ }).click();
    await page.getByRole("textbox", { name: "Name of By month" }).fill("By year");
    await page.keyboard.press("Enter");
    await tab("By year", true).waitFor();
    await more.click();
    await page.getByRole("menuitemcheckbox", { name: /^Query 1/ }).click();
    await tab("Query 1", true).waitFor();
    await page.getByLabel("What is asked").selectOption({ label: "Sales (PostgreSQL)" });
    await page.reload();
    await tab("Query 1", true).waitFor();
    await expect.poll(() => written(page)).toBe("SELECT 1 AS one");
    await expect.poll(() => page.getByLabel("What is asked").inputValue()).toBe("sales");
    await tab("By year").click();
    await expect.poll(() => page.getByLabel("What is asked").inputValue()).toBe("page");
    // Another window of this browser has the same queries.
    const other = await visitor.newPage();
    await other.goto(page.url());
    await other.getByRole("tab", { name: "By year", selected: true }).waitFor();
    await other.getByRole("textbox", { name: "SQL" }).fill("SELECT 3");
    await expect.poll(() => written(page)).toBe("SELECT 3");
    expect(visitor.troubles).toEqual([]);
    await visitor.close();
  });

  it("runs one query at a time, and never on another connection than it was written for", async () => {
    const { visitor, page } = await open();
    await run(page, "SELECT count(*) AS n FROM large a, large b WHERE a.id * b.id % 7 = 3");
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await page.getByRole("button", { name: "New query" }).click();
    await page.getByRole("tab", { name: "Query 1 , running" }).waitFor();
    const runButton = page.getByRole("button", { name: "Run" });
    await expect.poll(() => runButton.isDisabled()).toBe(true);
    expect(await runButton.getAttribute("title")).toBe("Query 1 is running: one query runs at a time.");
    // A query that is closed is stopped.
    await page.getByRole("tab", { name: "Query 1 , running" }).focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowRight");
    await page.getByRole("tab", { name: "Query 1 , running" }).click();
    await page.getByRole("button", { name: "More for queries" }).click();
    await page.getByRole("menuitem", { name: "Close Query 1" }).click();
    await expect.poll(() => runButton.isDisabled()).toBe(false);
    await page.getByLabel("What is asked").selectOption({ label: "Sales (PostgreSQL)" });
    await page.goto(`${page.url()}alone`);
    await page.getByText("The connection sales is not there for you: choose what is asked.").waitFor();
    await expect.poll(() => runButton.isDisabled()).toBe(true);
    await page.getByLabel("What is asked").selectOption({ label: "Open tables" });
    await expect.poll(() => runButton.isDisabled()).toBe(false);
    expect(visitor.troubles).toEqual([]);
    await visitor.close();
  });

  it("says what to do where nothing is open and nothing is connected, and fits a phone in the dark", async () => {
    const { visitor, page } = await open("empty&alone&theme=dark", PHONE);
    await page.getByRole("button", { name: "Tables" }).tap();
    await page.getByText("No table is open.").waitFor();
    await page.getByText("sallyport connection add").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Run" }).isDisabled()).toBe(true);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
    expect(await violations(page)).toEqual([]);
    expect(visitor.troubles).toEqual([]);
    await visitor.close();
  });
});
