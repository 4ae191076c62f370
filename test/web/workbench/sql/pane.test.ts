import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
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
    await expect
      .poll(() => page.getByRole("status").first().textContent())
      .toContain("there are more: these are the first ones");
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
