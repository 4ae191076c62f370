import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { consoleWorld } from "../console/world.ts";
import { viewer } from "./world.ts";

const CSV = "City,People\nBern,134000\nKöln,1080000\nOslo,709000\n";
const tab = (page: Page, name: string): Locator =>
  page.getByRole("navigation", { name: "Open tables" }).getByRole("button", { name, exact: true });

interface Stored {
  readonly tables: number;
  /** Of all tables. */
  readonly viewers: number;
}

/** Waits until the browser has stored this much. */
async function stored(page: Page, expected: Stored): Promise<void> {
  await expect
    .poll(() =>
      page.evaluate(
        () =>
          new Promise<Stored>((resolve, reject) => {
            const request = indexedDB.open("sallyport.workbench");
            request.addEventListener("error", () => reject(request.error ?? new Error("no database")));
            request.addEventListener("success", () => {
              const all = request.result.transaction("views").objectStore("views").getAll();
              all.addEventListener("success", () => {
                request.result.close();
                const views = all.result as { readonly layout: { readonly viewers: readonly unknown[] } }[];
                const viewers = views.reduce((sum, { layout }) => sum + layout.viewers.length, 0);
                resolve({ tables: views.length, viewers });
              });
            });
          }),
      ),
    )
    .toEqual(expected);
}

/** Waits until the browser has stored a step, which is the last one. */
async function storedStep(page: Page, expected: string): Promise<void> {
  await expect
    .poll(() =>
      page.evaluate(
        () =>
          new Promise<string | undefined>((resolve, reject) => {
            const request = indexedDB.open("sallyport.workbench");
            request.addEventListener("error", () => reject(request.error ?? new Error("no database")));
            request.addEventListener("success", () => {
              const all = request.result.transaction("histories").objectStore("histories").getAll();
              all.addEventListener("success", () => {
                request.result.close();
                const histories = all.result as { actions: { action: { words: string } }[] }[];
                resolve(histories[0]?.actions.at(-1)?.action.words);
              });
            });
          }),
      ),
    )
    .toBe(expected);
}

/** Answers of queries that the browser has stored. */
function answersStored(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const request = indexedDB.open("sallyport.workbench");
        request.addEventListener("error", () => reject(request.error ?? new Error("no database")));
        request.addEventListener("success", () => {
          const count = request.result.transaction("answers").objectStore("answers").count();
          count.addEventListener("success", () => {
            request.result.close();
            resolve(count.result);
          });
        });
      }),
  );
}

async function openCsv(page: Page, name: string): Promise<void> {
  await page.getByLabel("Files to open").setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(CSV) });
  await tab(page, name.replace(".csv", "")).waitFor();
}

describeInBrowser("a workbench that is loaded again", () => {
  const world = consoleWorld();

  test("has its tables, viewers and filters, and says so", async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    await openCsv(page, "one.csv");
    await openCsv(page, "two.csv");
    await page.getByRole("button", { name: "Add viewer" }).click();
    await page.getByRole("menuitem", { name: "Histogram", exact: true }).click();
    await viewer(page, "Histogram of People").waitFor();
    await stored(page, { tables: 2, viewers: 1 });
    await page.reload();
    await page.getByText("2 tables are open again, as before the page was loaded.").waitFor();
    await viewer(page, "Histogram of People").waitFor();
    await expect.poll(() => tab(page, "two").getAttribute("aria-current")).toBe("page");
    await page.getByText("3 rows").first().waitFor();
    await page.getByRole("button", { name: "Close them and forget" }).click();
    await page.getByRole("heading", { name: "Workbench" }).waitFor();
    await stored(page, { tables: 0, viewers: 0 });
    expect(visitor.troubles).toEqual([]);
  });

  test("a sort can be taken back, and a layout comes back without its filter", async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    await openCsv(page, "sorted.csv");
    await page.getByRole("columnheader", { name: /People/ }).click();
    const undo = page.getByRole("button", { name: "Undo: Sorted by People" });
    await undo.waitFor();
    await undo.click();
    await page.getByRole("button", { name: "Redo: Sorted by People" }).waitFor();
    expect(visitor.troubles).toEqual([]);
  });

  test("cells are coloured by their values, also after a reload, and that is taken back", async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    await openCsv(page, "coloured.csv");
    /** How much of the colour is behind the cells, from 0 to 1. */
    const shades = (): Promise<readonly number[]> =>
      Promise.all(
        ["134000", "709000", "1080000"].map((name) =>
          page
            .getByRole("gridcell", { name, exact: true })
            .evaluate((cell) => Number(/[\d.]+(?=\)$)/.exec(getComputedStyle(cell).backgroundColor)?.[0])),
        ),
      );
    const plain = [0, 0, 0];
    await page.getByRole("gridcell", { name: "Köln" }).waitFor();
    expect(await shades()).toEqual(plain);
    const choose = async (words: string): Promise<void> => {
      await page.getByRole("columnheader", { name: /People/ }).click({ button: "right" });
      await page.getByRole("menuitem", { name: words }).click();
    };
    await choose("Colour by value");
    await expect.poll(shades).toEqual([0.04, 0.3, 0.46]);
    await storedStep(page, "Coloured People");
    await page.reload();
    await expect.poll(shades).toEqual([0.04, 0.3, 0.46]);
    // The note about the reload lies over the heads.
    await page.getByRole("button", { name: "Dismiss" }).click();
    await page.getByRole("button", { name: "Undo: Coloured People" }).click();
    await expect.poll(shades).toEqual(plain);
    await choose("Colour by value");
    await choose("No colours");
    await expect.poll(shades).toEqual(plain);
    expect(visitor.troubles).toEqual([]);
  });

  test("cells are found and edited by the keyboard, and that is taken back after a reload", async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    await openCsv(page, "edited.csv");
    await page.getByRole("gridcell", { name: "Köln" }).click();
    await page.keyboard.press("Control+f");
    await page.getByRole("textbox", { name: "Find in the table" }).fill("709");
    await page.getByText("1 of 1").waitFor();
    await page.keyboard.press("Escape");
    const found = page.getByRole("gridcell", { name: "709000" });
    await expect.poll(() => found.evaluate((cell) => cell === document.activeElement)).toBe(true);
    await page.keyboard.press("Enter");
    const field = page.getByRole("textbox", { name: "People, row 3" });
    await field.fill("many");
    await field.press("Enter");
    await page.getByText("“many” is not a number.").waitFor();
    await field.fill("710,000");
    await field.press("Enter");
    await page.getByRole("gridcell", { name: "710000" }).waitFor();
    const undo = page.getByRole("button", { name: "Undo: Changed People in row 3 to 710000" });
    await undo.waitFor();
    await page.getByRole("columnheader", { name: /People/ }).click({ button: "right" });
    await page.getByRole("menuitem", { name: "Name, type and format…" }).click();
    const dialog = page.getByRole("dialog", { name: "Change People" });
    await dialog.getByLabel("Show as").selectOption({ label: "Currency" });
    await dialog.getByText("$134,000.00").waitFor();
    await dialog.getByRole("button", { name: "Change the column" }).click();
    await page.getByRole("gridcell", { name: "$710,000.00" }).waitFor();
    await storedStep(page, "Changed the format of People to USD");
    await page.reload();
    await page.getByText("Earlier steps can still be undone.").waitFor();
    await page.getByRole("gridcell", { name: "$710,000.00" }).waitFor();
    await page.getByRole("button", { name: "Undo: Changed the format of People to USD" }).click();
    await page.getByRole("gridcell", { name: "710000" }).waitFor();
    await undo.click();
    await page.getByRole("gridcell", { name: "709000" }).waitFor();
    expect(visitor.troubles).toEqual([]);
  });

  test("queries and the answer of the last one are there again, and are gone after signing out", async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    await openCsv(page, "asked.csv");
    await page.getByRole("button", { name: "SQL", exact: true }).click();
    const editor = page.getByRole("textbox", { name: "SQL" });
    await editor.fill("SELECT count(*) AS cities FROM asked");
    await editor.press("Control+Enter");
    await page.getByRole("button", { name: "Columns of asked" }).waitFor();
    const answer = page.getByRole("region", { name: "SQL" }).getByRole("gridcell", { name: "3", exact: true });
    await answer.waitFor();
    await page.getByRole("button", { name: "New query" }).click();
    await editor.fill("SELECT 2");
    await stored(page, { tables: 1, viewers: 0 });
    await expect.poll(() => answersStored(page)).toBe(1);
    await page.reload();
    await page.getByText("1 table is open again, as before the page was loaded.").waitFor();
    await page.getByRole("button", { name: "SQL", exact: true }).click();
    await page.getByRole("tab", { name: "Query 2", selected: true }).press("ArrowLeft");
    await page.getByRole("tab", { name: "Query 1", selected: true }).waitFor();
    await editor.filter({ hasText: "SELECT count(*) AS cities FROM asked" }).waitFor();
    await answer.waitFor();
    // As another window signs out.
    const other = await visitor.newPage();
    await other.goto(new URL("/", page.url()).href);
    await other.evaluate(() => localStorage.removeItem("sallyport.token"));
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes("sql")))).toEqual([]);
    expect(visitor.troubles).toEqual([]);
  });
});
