import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { goOffline } from "../../support/offline.ts";
import { inspectPart } from "../console/inspection.ts";
import { consoleWorld } from "../console/world.ts";
import { openSample, viewer } from "./world.ts";

const CSV = "City,People,Since\nBern,134000,1191-01-01\nKöln,1080000,0050-01-01\nOslo,709000,1048-01-01\n";
const picker = (page: Page): Locator => page.getByLabel("Files to open");
const top = (page: Page, name: string): Locator => page.getByRole("menubar").getByRole("menuitem", { name });

async function addViewer(page: Page, type: string): Promise<void> {
  await page.getByRole("button", { name: "Add viewer" }).click();
  await page.getByRole("menuitem", { name: type, exact: true }).click();
}

const box = async (locator: Locator) => {
  const found = await locator.boundingBox();
  if (found === null) throw new Error("it is not to be seen");
  return found;
};

describeInBrowser("the workbench", () => {
  const world = consoleWorld();

  test("a sample, a chart, its properties, undo and redo", async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    await openSample(page);
    expect(page.url()).not.toContain("token");
    await addViewer(page, "Histogram");
    const histogram = viewer(page, "Histogram of AGE");
    await histogram.getByRole("img").first().waitFor();
    await histogram.getByRole("button", { name: "Properties of Histogram of AGE" }).click();
    const sheet = page.getByRole("complementary", { name: "Properties of Histogram of AGE" });
    await sheet.getByLabel("Value column", { exact: true }).selectOption("HEIGHT");
    await viewer(page, "Histogram of HEIGHT").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("body").press("Control+z");
    await histogram.waitFor();
    await page.locator("body").press("Control+z");
    await histogram.waitFor({ state: "detached" });
    await page.locator("body").press("Control+y");
    await histogram.waitFor();
    await page.getByRole("button", { name: "What was done" }).click();
    const list = page.getByRole("dialog", { name: "What was done" });
    await list.getByRole("button", { name: "Redo: Changed Histogram of HEIGHT: valueColumnName" }).click();
    await viewer(page, "Histogram of HEIGHT").waitFor();
    expect(visitor.troubles).toEqual([]);
  });

  test("an open menu of a column, of rows or of SQL hides nothing that has the focus or a name", async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    await openSample(page);
    await page.getByRole("button", { name: "SQL", exact: true }).click();
    await page.getByRole("textbox", { name: "SQL" }).waitFor();
    const heading = page.getByRole("main").getByRole("heading", { level: 1, name: "Workbench: demog" });
    const openers = [
      page.getByRole("button", { name: /AGE/ }).first(),
      page.getByRole("button", { name: "Select", exact: true }),
      page.getByRole("button", { name: "More for queries" }),
    ];
    for (const opener of openers) {
      await opener.click();
      await page.getByRole("menu").waitFor();
      expect(await heading.count()).toBe(1);
      expect(await inspectPart(page, "#workbench")).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("menu").waitFor({ state: "detached" });
    }
    expect(visitor.troubles).toEqual([]);
  });

  test("viewers are arranged by the pointer and by the keyboard", async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    await openSample(page);
    await addViewer(page, "Histogram");
    const grid = page.locator('[data-viewer-id="grid"]');
    const histogram = viewer(page, "Histogram of AGE");
    await histogram.getByRole("img").first().waitFor();
    const [before, chart] = [await box(grid), await box(histogram)];
    expect(chart.x).toBeGreaterThan(before.x + before.width);
    const border = page.getByRole("separator", { name: "Width of what lies left and right" });
    await border.focus();
    for (let times = 0; times < 5; times += 1) await page.keyboard.press("ArrowLeft");
    await expect.poll(() => border.getAttribute("aria-valuenow")).toBe("40");
    await expect.poll(async () => (await box(histogram)).width).toBeGreaterThan(chart.width + 90);
    // By its head, to the left half of the grid.
    const { x, y } = await box(histogram);
    await page.mouse.move(x + 60, y + 14);
    await page.mouse.down();
    await page.mouse.move(before.x + 60, before.y + 300, { steps: 8 });
    await page.mouse.up();
    await expect.poll(async () => (await box(histogram)).x < (await box(grid)).x).toBe(true);
    await histogram.getByRole("button", { name: "More for Histogram of AGE" }).click();
    await page.getByRole("menuitem", { name: "Move…" }).click();
    await page.getByLabel("Where").selectOption("Below");
    await page.getByRole("button", { name: "Move", exact: true }).click();
    await expect.poll(async () => (await box(histogram)).y).toBeGreaterThan((await box(grid)).y + 100);
    await histogram.getByRole("button", { name: "Maximise Histogram of AGE" }).click();
    await grid.waitFor({ state: "hidden" });
    await histogram.getByRole("button", { name: "Give back Histogram of AGE" }).click();
    await grid.waitFor();
    expect(visitor.troubles).toEqual([]);
  });

  test("files, a column, a download; what cannot be opened says why", async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    await picker(page).setInputFiles({ name: "cities.csv", mimeType: "text/csv", buffer: Buffer.from(CSV) });
    await page.getByRole("grid").first().waitFor();
    await page.locator("body").press("n");
    const dialog = page.getByRole("dialog", { name: "Add new column" });
    await dialog.getByLabel("Name").fill("Thousands");
    await dialog.getByLabel("Formula").fill("${Peple} / 1000");
    await dialog.getByText(/Did you mean People/).waitFor();
    await expect.poll(() => dialog.getByRole("button", { name: "Add the column" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Formula").fill("${People} / 1000");
    await dialog.getByText("double · first 3 of 3 rows").waitFor();
    await dialog.getByRole("button", { name: "Add the column" }).click();
    await page.getByRole("columnheader", { name: /Thousands/ }).waitFor();
    await page.getByRole("button", { name: "Download" }).click();
    const saved = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: "All 3 rows as CSV" }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe("cities.csv");
    expect(await readFile(await file.path(), "utf8")).toMatch(
      /^City,People,Since,Thousands\r?\nBern,134000,1191-01-01,134\r?\n/,
    );
    await picker(page).setInputFiles({ name: "broken.parquet", mimeType: "", buffer: Buffer.from("not a table") });
    await page.getByRole("alert").getByText("broken.parquet").waitFor();
    await page.getByRole("button", { name: "Dismiss" }).click();
    await top(page, "Data").click();
    await page.getByRole("menuitem", { name: "Open an address…" }).click();
    await page.getByRole("textbox", { name: "Address" }).fill("https://elsewhere.example/people.csv");
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page
      .getByRole("alert")
      .getByText(/Only addresses of .* can be opened/)
      .waitFor();
    expect(visitor.troubles).toEqual([]);
  });

  test("a download that is safe for spreadsheets, where that is wanted", async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    const buffer = Buffer.from("Name,Sum\n=1+1,-5\nplain,6\n");
    const safe = page.getByRole("menuitemcheckbox", { name: "Safe for spreadsheets" });
    const open = async (): Promise<void> => {
      await picker(page).setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer });
      await page.getByRole("button", { name: "Download" }).click();
    };
    const save = async (): Promise<string> => {
      const saved = page.waitForEvent("download");
      await page.getByRole("menuitem", { name: "All 2 rows as CSV" }).click();
      return readFile(await (await saved).path(), "utf8");
    };
    await open();
    await expect.poll(() => safe.getAttribute("aria-checked")).toBe("false");
    expect(await save()).toBe("Name,Sum\r\n=1+1,-5\r\nplain,6\r\n");
    await page.getByRole("button", { name: "Download" }).click();
    await safe.click();
    expect(await save()).toBe("Name,Sum\r\n'=1+1,-5\r\nplain,6\r\n");
    await page.reload();
    await open();
    await expect.poll(() => safe.getAttribute("aria-checked")).toBe("true");
    expect(visitor.troubles).toEqual([]);
  });

  test("a layout comes back with its table, and by its name; a foreign one is refused", async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    await openSample(page);
    await addViewer(page, "Histogram");
    await viewer(page, "Histogram of AGE").waitFor();
    await page.getByRole("button", { name: "Layouts" }).click();
    await page.getByRole("menuitem", { name: "Save this layout as…" }).click();
    await page.getByLabel("Name").fill("Ages");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.waitForFunction(() => /Histogram/.test(localStorage.getItem("sallyport.workbench.layouts") ?? ""));
    await page
      .getByRole("navigation", { name: "Open tables" })
      .getByRole("button", { name: /^Close/ })
      .click();
    await page.getByText("Layouts kept in this browser").waitFor();
    await openSample(page);
    await viewer(page, "Histogram of AGE").waitFor();
    await picker(page).setInputFiles({ name: "cities.csv", mimeType: "text/csv", buffer: Buffer.from(CSV) });
    await page.getByRole("button", { name: "Close cities" }).waitFor();
    await page.evaluate(() => {
      const key = "sallyport.workbench.layouts";
      const kept = localStorage.getItem(key) ?? "";
      localStorage.setItem(
        key,
        kept.replaceAll(String.raw`\"look\":{}`, String.raw`\"look\":{\"valueColumnName\":\"AGE\"}`),
      );
    });
    await page.getByRole("button", { name: "Layouts" }).click();
    await page.getByRole("menuitem", { name: /^Ages/ }).click();
    await page
      .getByText(/no column "AGE"/i)
      .first()
      .waitFor();
    await expect.poll(() => page.getByRole("region", { name: /Histogram/ }).count()).toBe(0);
    expect(visitor.troubles).toEqual([]);
  });

  test("the menus by the keyboard; agents find the elements that they may point at", async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    await openSample(page);
    await top(page, "Select").focus();
    const focused = (name: string): Locator => page.locator("[role=menuitem]:focus", { hasText: name });
    await page.keyboard.press("ArrowRight");
    await focused("Edit").waitFor();
    await page.keyboard.press("ArrowLeft");
    await focused("Select").waitFor();
    await page.keyboard.press("Enter");
    await focused("All rows").waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("5,850 selected").waitFor();
    const ids = await page
      .locator("[data-element-id]")
      .evaluateAll((all) => all.map((one) => one.dataset["elementId"]));
    expect(ids).toEqual(
      expect.arrayContaining([
        "Toggle filters button",
        "Add viewer button",
        "Download button",
        "Add new column button",
        "Select top menu",
        "Edit top menu",
        "View top menu",
        "Data top menu",
      ]),
    );
    // Also from inside the grid, which has keys of its own.
    await page.getByRole("grid").getByRole("columnheader").nth(1).click();
    await page.keyboard.press("Control+i");
    await page.getByRole("complementary", { name: "Chat with Claude" }).waitFor();
    await page.keyboard.press("Control+i");
    await page.getByRole("complementary", { name: "Chat with Claude" }).waitFor({ state: "hidden" });
    expect(visitor.troubles).toEqual([]);
  });

  test("who comes with a token that is not known any more is asked for another", async () => {
    const visitor = await world.visit("/workbench", { token: "sp_wrong" });
    const { page } = visitor;
    await page.getByText("That token is not valid.").waitFor();
    await page.getByLabel("Link or token").fill(`${world.app.serving.url}/?token=${world.app.serving.token}`);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Workbench", level: 1 }).waitFor();
  });

  test("without the server tables are opened and looked at all the same", async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    await openSample(page);
    await addViewer(page, "Histogram");
    await viewer(page, "Histogram of AGE").getByRole("img").first().waitFor();
    await goOffline(page);
    await page.getByRole("button", { name: "Close Histogram of AGE" }).click();
    await addViewer(page, "Histogram");
    await viewer(page, "Histogram of AGE").getByRole("img").first().waitFor();
    // One that has to come from the server first says so, and is there when it can.
    await addViewer(page, "Pie chart");
    const pie = page.getByRole("region", { name: /^Pie chart/ });
    await pie.getByRole("alert").getByText("Pie chart could not be drawn").waitFor();
    await visitor.context.setOffline(false);
    await pie.getByRole("button", { name: "Try again" }).click();
    await pie.getByRole("img").first().waitFor();
    expect(visitor.takeTroubles().filter((trouble) => trouble.startsWith("CSP"))).toEqual([]);
  });
});
