import { resolve } from "node:path";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { servePage } from "../../../../bench/grid/serve.mjs";
import { describeInBrowser, launchBrowser, PHONE, Visitor } from "../../../support/browser.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const made: { served?: Awaited<ReturnType<typeof servePage>>; browser?: Browser } = {};

interface Scene {
  readonly visitor: Visitor;
  readonly page: Page;
  readonly status: Locator;
  /** The texts of the first rows that are seen. */
  readonly texts: (rows: number, columns: number) => Promise<readonly (readonly string[])[]>;
  readonly facts: () => Promise<{
    readonly selected: number;
    readonly current: number;
    readonly hover: number;
    readonly filters: unknown;
  }>;
}

async function open(search = "", options = {}): Promise<Scene> {
  const visitor = await Visitor.arrive(made.browser!, options);
  const page = await visitor.newPage();
  await page.goto(`${made.served!.url}/?${search}`);
  await page.locator(".wb-row").first().waitFor();
  return {
    visitor,
    page,
    status: page.getByRole("status").first(),
    texts: (rows, columns) =>
      page.evaluate(
        ([wantedRows, wantedColumns]) =>
          [...document.querySelectorAll<HTMLElement>(".wb-row")]
            .filter(({ style }) => style.visibility !== "hidden")
            .toSorted((one, other) => Number(one.ariaRowIndex) - Number(other.ariaRowIndex))
            .slice(0, wantedRows)
            .map((row) =>
              [...row.querySelectorAll<HTMLElement>(".wb-cell")]
                .filter(({ style }) => style.display !== "none")
                .toSorted((one, other) => Number(one.ariaColIndex) - Number(other.ariaColIndex))
                .slice(0, wantedColumns)
                .map(({ textContent }) => textContent ?? ""),
            ),
        [rows, columns] as const,
      ),
    facts: () =>
      page.evaluate(() => {
        const { table } = globalThis as unknown as {
          readonly table: {
            readonly selected: { readonly count: number };
            readonly currentRow: number;
            readonly hoverRow: number;
            readonly filters: ReadonlyMap<string, unknown>;
          };
        };
        return {
          selected: table.selected.count,
          current: table.currentRow,
          hover: table.hoverRow,
          filters: [...table.filters],
        };
      }),
  };
}

async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE).catch(() => page.addScriptTag({ content: AXE }));
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      readonly axe: {
        readonly run: (options: object) => Promise<{
          readonly violations: readonly {
            readonly id: string;
            readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
          }[];
        }>;
      };
    };
    const { violations } = await axe.run({
      // The page around the grid is a bare one.
      rules: { region: { enabled: false }, "page-has-heading-one": { enabled: false } },
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""} ${nodes[0]?.failureSummary ?? ""}`);
  });
}

/** A machine may have other work too. */
const soon: typeof expect.poll = (read) => expect.poll(read);

describeInBrowser("the grid in a browser", () => {
  beforeAll(async () => {
    made.served = await servePage(resolve(import.meta.dirname, "../../../../bench/grid/page.mjs"));
    made.browser = await launchBrowser();
  });
  afterAll(async () => {
    await made.browser?.close();
    await made.served?.stop();
  });

  it("shows a million rows, and comes to each of them", async () => {
    const { page, visitor, texts, status, facts } = await open("rows=1000000&columns=12");
    await soon(() => page.getByRole("grid").getAttribute("aria-rowcount")).toBe("1000001");
    await soon(() => status.textContent()).toBe("1,000,000 rows");
    await page.locator(".wb-cell").first().click();
    await page.keyboard.press("Control+End");
    const last = page.locator(".wb-cell:focus");
    await soon(() => last.textContent()).toContain("note");
    await soon(() => last.locator("xpath=..").getAttribute("aria-rowindex")).toBe("1000001");
    await soon(async () => (await facts()).current).toBe(999_999);
    await page.keyboard.press("PageUp");
    await soon(async () =>
      Number(await page.locator(".wb-cell:focus").locator("xpath=..").getAttribute("aria-rowindex")),
    ).toBeLessThan(999_990);
    await page.keyboard.press("Control+Home");
    await soon(() => texts(2, 2)).toEqual([
      ["0", expect.any(String)],
      ["1", expect.any(String)],
    ]);
    // A turn of the wheel is as far as with few rows, though the bar is shorter than the rows.
    await page.mouse.move(400, 400);
    await page.mouse.wheel(0, 280);
    await soon(async () => (await texts(1, 1))[0]?.[0]).toBe("10");
    // When it rests, the bar stands where it belongs. A browser that still scrolls for the wheel would take back the next move.
    const bar = page.locator(".wb-scroll");
    await soon(() => bar.evaluate((element) => element.scrollTop)).toBeLessThan(200);
    // In the middle of the bar are the rows of the middle.
    await bar.evaluate((element) => {
      element.scrollTop = (element.scrollHeight - element.clientHeight) / 2;
    });
    await soon(async () => Math.abs(Number((await texts(1, 1))[0]?.[0]) - 500_000) < 40).toBe(true);
    expect(visitor.troubles).toEqual([]);
    await visitor.close();
  });

  it("sorts by clicks, by more than one key, and in a worker", async () => {
    const { page, visitor, texts } = await open("rows=60000&columns=6");
    const head = (name: string): Locator => page.getByRole("columnheader", { name: new RegExp(`^${name},`) });
    await head("Id").click({ position: { x: 40, y: 12 } });
    await head("Id").click({ position: { x: 40, y: 12 } });
    await soon(async () => (await texts(2, 1)).flat()).toEqual(["59999", "59998"]);
    await soon(() => head("Id").getAttribute("aria-sort")).toBe("descending");
    await head("Alive").click({ position: { x: 40, y: 12 } });
    await head("Id").click({ position: { x: 40, y: 12 }, modifiers: ["Shift"] });
    await head("Id").click({ position: { x: 40, y: 12 }, modifiers: ["Shift"] });
    // By the second key only where the first is the same: all that live not, the newest first.
    await soon(async () => {
      const rows = await texts(5, 5);
      const ids = rows.map(([id]) => Number(id));
      return rows.every((row) => row[4] === "false") && ids.every((id, at) => at === 0 || id < (ids[at - 1] ?? 0));
    }).toBe(true);
    // Missing values come last, also downwards.
    await head("Height").click({ position: { x: 40, y: 12 } });
    await head("Height").click({ position: { x: 40, y: 12 } });
    await soon(async () => Number((await texts(1, 3))[0]?.[2]) > 999).toBe(true);
    expect(visitor.troubles).toEqual([]);
    await visitor.close();
  });

  it("filters by range, by values and by text, and says so", async () => {
    const { page, visitor, status, facts, texts } = await open("rows=20000&columns=6");
    const menu = async (name: string, item: string): Promise<void> => {
      await page.getByRole("button", { name: `Menu of ${name}`, exact: true }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    await menu("Id", "Filter…");
    await page.getByLabel("From").fill("100");
    await page.getByLabel("To").fill("109");
    await page.keyboard.press("Enter");
    await soon(() => status.textContent()).toBe("10 of 20,000 rows · 1 filter");
    await soon(async () => (await facts()).filters).toEqual([
      ["column:Id", { kind: "range", column: "Id", min: 100, max: 109 }],
    ]);
    await menu("Alive", "Filter…");
    await page.getByRole("checkbox", { name: "true" }).check();
    await page.getByRole("button", { name: "Apply" }).click();
    await soon(async () => (await facts()).filters).toHaveLength(2);
    await soon(async () => new Set((await texts(20, 5)).map((row) => row[4]))).toEqual(new Set(["true"]));
    await menu("Note", "Filter…");
    await page.getByRole("searchbox").fill("no such thing at all");
    await page.keyboard.press("Enter");
    await page.getByText("No row passes the filters").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Clear filters" }).first().click();
    await soon(() => status.textContent()).toBe("20,000 rows");
    await menu("Height", "Statistics");
    await soon(() => page.getByRole("dialog", { name: "Statistics of Height" }).textContent()).toContain("Median");
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await soon(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toContain("Height");
    expect(visitor.troubles).toEqual([]);
    await visitor.close();
  });

  it("selects rows by pointer and keyboard, and copies them", async () => {
    const { page, visitor, facts, status } = await open("rows=5000&columns=4");
    const row = (position: number): Locator =>
      page.locator(`.wb-row[aria-rowindex="${position + 2}"] .wb-cell[aria-colindex="2"]`);
    await row(3).click();
    await row(6).click({ modifiers: ["Shift"] });
    await row(9).click({ modifiers: ["Control"] });
    await soon(() => facts()).toMatchObject({ selected: 5, current: 9, hover: 9 });
    await row(1).hover();
    await page.mouse.down();
    await row(4).hover();
    await page.mouse.up();
    await soon(async () => (await facts()).selected).toBe(4);
    await page.keyboard.press("Shift+ArrowDown");
    await soon(async () => (await facts()).selected).toBe(5);
    await page.evaluate(() => {
      document.addEventListener("copy", (event) =>
        Object.assign(globalThis, { copied: event.clipboardData?.getData("text/plain") }),
      );
    });
    await page.keyboard.press("Control+c");
    await soon(async () => {
      const copied = await page.evaluate(() => (globalThis as unknown as { copied?: string }).copied);
      return copied?.split("\n").map((line) => line.split("\t")[0]);
    }).toEqual(["Id", "1", "2", "3", "4", "5", ""]);
    await soon(() => status.textContent()).toBe("5,000 rows · 5 selected · 5 rows copied");
    await page.getByRole("button", { name: "Select", exact: true }).click();
    await page.getByRole("menuitem", { name: "The other shown rows" }).click();
    await soon(async () => (await facts()).selected).toBe(4_995);
    await page.getByRole("gridcell").first().click();
    await page.keyboard.press("Control+a");
    await soon(async () => (await facts()).selected).toBe(5_000);
    await page.keyboard.press("Escape");
    await soon(async () => (await facts()).selected).toBe(0);
    await page.keyboard.press("Space");
    await soon(async () => (await facts()).selected).toBe(1);
    // Another viewer makes a row current: the grid shows it.
    await page.evaluate(() =>
      (globalThis as unknown as { table: { setCurrentRow(row: number): void } }).table.setCurrentRow(4_000),
    );
    await page.locator('.wb-row.is-current[aria-rowindex="4002"]').waitFor();
    expect(visitor.troubles).toEqual([]);
    await visitor.close();
  });

  it("arranges its columns: width, left edge, hidden; all by the keyboard too", async () => {
    const { page, visitor } = await open("rows=500&columns=300");
    const head = (name: string): Locator => page.getByRole("columnheader", { name: new RegExp(`^${name},`) });
    await page.keyboard.press("Tab");
    await soon(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Id, whole number");
    const width = async (name: string): Promise<number> => (await head(name).boundingBox())!.width;
    const before = await width("Id");
    await page.keyboard.press("Shift+ArrowRight");
    await soon(() => width("Id")).toBe(before + 12);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Alt+ArrowDown");
    await page.getByRole("menuitem", { name: "Keep at the left" }).press("Enter");
    await soon(async () => (await head("Tree").boundingBox())!.x < (await head("Id").boundingBox())!.x).toBe(true);
    await page.getByRole("button", { name: "Menu of Id", exact: true }).click();
    await page.getByRole("menuitem", { name: "Hide" }).click();
    await soon(() => head("Id").count()).toBe(0);
    // Hundreds of columns: only those that are seen are in the page.
    await page.locator(".wb-scroll").evaluate((element) => {
      element.scrollLeft = element.scrollWidth;
    });
    await head("Note 49").waitFor();
    await soon(() => page.getByRole("columnheader").count()).toBeLessThan(20);
    await soon(async () => (await head("Tree").boundingBox())!.x).toBeLessThan(100);
    const edge = (await head("Note 49").boundingBox())!;
    await page.mouse.move(edge.x + edge.width - 1, edge.y + 10);
    await page.mouse.down();
    await page.mouse.move(edge.x + edge.width - 61, edge.y + 10);
    await page.mouse.up();
    await soon(() => width("Note 49")).toBe(edge.width - 60);
    expect(visitor.troubles).toEqual([]);
    await visitor.close();
  });

  it("is clean for those who cannot see it, in the dark, and on a phone", async () => {
    const { page, visitor } = await open("rows=100000&columns=30&theme=dark");
    await page.locator(".wb-cell").nth(20).click();
    expect(await violations(page)).toEqual([]);
    await visitor.close();
    const phone = await open("rows=100000&columns=30", PHONE);
    await phone.page.locator('.wb-row[aria-rowindex="5"] .wb-cell').first().tap();
    await soon(() => phone.facts()).toMatchObject({ selected: 1, current: 3 });
    expect(await violations(phone.page)).toEqual([]);
    await soon(() => phone.page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
    expect(phone.visitor.troubles).toEqual([]);
    await phone.visitor.close();
  });
});
