import { readFile } from "node:fs/promises";
import type { Download, Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { consoleWorld } from "../console/world.ts";
import { openSample, viewer } from "./world.ts";

const CSV = 'City,People\nBern,"134,000"\nKöln,"1,080,000"\nOslo,many\n';

async function saved(
  page: Page,
  press: () => Promise<void>,
): Promise<{ readonly file: Download; readonly bytes: Buffer }> {
  const waiting = page.waitForEvent("download");
  await press();
  const file = await waiting;
  return { file, bytes: await readFile(await file.path()) };
}

const choose = (page: Page, name: string): Promise<void> => page.getByRole("menuitem", { name, exact: true }).click();

describeInBrowser("columns, pictures and files of the workbench", () => {
  const world = consoleWorld();

  test("a text becomes a number, is drawn, and everything is saved as files that can be opened again", async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    const input = page.getByLabel("Files to open");
    await input.setInputFiles({ name: "cities.csv", mimeType: "text/csv", buffer: Buffer.from(CSV) });
    await page.getByRole("columnheader", { name: /People/ }).click({ button: "right" });
    await choose(page, "Name, type and format…");
    const dialog = page.getByRole("dialog", { name: "Change People" });
    await dialog.getByLabel("Name").fill("Inhabitants");
    await dialog.getByLabel("Type").selectOption({ label: "Whole number" });
    await dialog.getByText("1 value does not fit and becomes missing (row 3: “many”).").waitFor();
    await dialog.getByRole("button", { name: "Change the column" }).click();
    await page.getByRole("columnheader", { name: /Inhabitants/ }).waitFor();
    await page.getByRole("button", { name: "Add viewer" }).click();
    await choose(page, "Histogram");
    const histogram = viewer(page, "Histogram of Inhabitants");
    const more = histogram.getByRole("button", { name: "More for Histogram of Inhabitants" });
    await histogram.getByRole("figure").waitFor();
    await more.click();
    const svg = await saved(page, () => choose(page, "Save as SVG"));
    expect(svg.file.suggestedFilename()).toBe("Histogram of Inhabitants.svg");
    expect(svg.bytes.toString()).toMatch(
      /^<svg xmlns=[^>]+>\n<title>Histogram of Inhabitants<\/title>[\s\S]*<\/svg>\n$/,
    );
    await more.click();
    const png = await saved(page, () => choose(page, "Save as PNG"));
    expect(png.bytes.subarray(1, 4).toString()).toBe("PNG");
    await page.getByRole("button", { name: "Download" }).click();
    const parquet = await saved(page, () => choose(page, "All 3 rows as Parquet"));
    await page.getByRole("button", { name: "Layouts" }).click();
    const layout = await saved(page, () => choose(page, "Save to a file"));
    expect(layout.file.suggestedFilename()).toBe("cities.layout.json");
    await histogram.getByRole("button", { name: "Close Histogram of Inhabitants" }).click();
    await input.setInputFiles({ name: "again.parquet", mimeType: "", buffer: parquet.bytes });
    await page.getByRole("button", { name: "Close again" }).waitFor();
    await page.getByRole("button", { name: "Layouts" }).click();
    const picking = page.waitForEvent("filechooser");
    await choose(page, "Open from a file…");
    await (await picking).setFiles({ name: "x.layout.json", mimeType: "application/json", buffer: layout.bytes });
    await viewer(page, "Histogram of Inhabitants").getByRole("figure").waitFor();
    expect(visitor.troubles).toEqual([]);
  });

  test("a large table becomes an Excel file in a worker, with the chosen rows and its notes", async () => {
    const { page } = await world.visit("/workbench");
    const workers: string[] = [];
    page.on("worker", (worker) => workers.push(new URL(worker.url()).pathname));
    const lines = Array.from({ length: 40_000 }, (_, at) => `${at},name ${at % 977},${at / 8},1791-01-01`);
    const text = `Number,Name,Part,Day\n${lines.join("\n")}\n`;
    const input = page.getByLabel("Files to open");
    await input.setInputFiles({ name: "long.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
    await page.getByRole("button", { name: "Download" }).click();
    const before = workers.length;
    const { bytes } = await saved(page, () => choose(page, "All 40,000 rows as Excel"));
    await page.getByText(/^Saved long\.xlsx\. Times of "Day" before 1900 .* 40,000 values, first in row 1\./).waitFor();
    expect(workers.slice(before)).toEqual([expect.stringMatching(/worker-[^/]+\.js$/)]);
    await page.getByRole("button", { name: "Close long" }).click();
    await input.setInputFiles({ name: "again.xlsx", mimeType: "", buffer: bytes });
    await page.getByRole("button", { name: "Close again" }).waitFor();
    await page
      .getByRole("gridcell", { name: "name 976", exact: true })
      .or(page.getByText("40,000 rows"))
      .first()
      .waitFor();
  });

  test("a table is saved for Excel with its types, and a picture is copied, or the page says why not", async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    const text = `City,People,Founded,Formula,Note\nBern,134000,1191-01-01,=1+1,${"x".repeat(32_800)}\nOslo,709000,1048-01-01,@b,c\n`;
    const input = page.getByLabel("Files to open");
    await input.setInputFiles({ name: "cities.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
    await page.getByRole("button", { name: "Download" }).click();
    const { file, bytes } = await saved(page, () => choose(page, "All 2 rows as Excel"));
    expect(file.suggestedFilename()).toBe("cities.xlsx");
    await page
      .getByText(
        'Saved cities.xlsx. Times of "Founded" before 1900 or after 9999 are texts, because Excel has none: 2 values, first in row 1. Texts of "Note" were cut after 32,767 characters, more than Excel holds: 1 value, first in row 1.',
        { exact: true },
      )
      .waitFor();
    await input.setInputFiles({ name: "again.xlsx", mimeType: "", buffer: bytes });
    await page.getByRole("button", { name: "Close again" }).waitFor();
    await page.getByRole("gridcell", { name: "=1+1", exact: true }).waitFor();
    await page.getByRole("gridcell", { name: "134000", exact: true }).waitFor();
    await page.getByRole("button", { name: "Add viewer" }).click();
    await choose(page, "Histogram");
    const histogram = viewer(page, "Histogram of People");
    await histogram.getByRole("figure").waitFor();
    const copy = async (): Promise<void> => {
      await histogram.getByRole("button", { name: "More for Histogram of People" }).click();
      await choose(page, "Copy picture");
    };
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await copy();
    await page.getByText("Copied a picture of Histogram of People.", { exact: true }).waitFor();
    const copied = await page.evaluate(async () => {
      const [item] = await navigator.clipboard.read();
      const picture = await createImageBitmap((await item?.getType("image/png")) ?? new Blob());
      return { types: item?.types, isWide: picture.width > 200 && picture.height > 100 };
    });
    expect(copied).toEqual({ types: ["image/png"], isWide: true });
    const browser = await page.context().newCDPSession(page);
    const { targetInfo } = await browser.send("Target.getTargetInfo");
    const { browserContextId } = targetInfo;
    if (browserContextId === undefined) throw new Error("no context");
    const permission = { name: "clipboard-write" };
    await browser.send("Browser.setPermission", { permission, setting: "denied", browserContextId });
    await copy();
    await page
      .getByText(
        "The browser did not let this page copy the picture: allow it to use the clipboard, or save the picture as PNG.",
        { exact: true },
      )
      .waitFor();
    // As on a page without https.
    await page.evaluate(() => Object.defineProperty(globalThis, "ClipboardItem", { value: undefined }));
    await copy();
    await page
      .getByText(
        "This browser copies pictures only from addresses with https, or of this computer: save the picture as PNG.",
        { exact: true },
      )
      .waitFor();
    expect(visitor.troubles).toEqual([]);
  });

  test("a text file is read as a person says, and the report names what did not fit", async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    const lines = [
      "Written by a program",
      "City;Paid;When",
      "Bern;1.234,50;17.05.2024",
      "# a comment",
      "Oslo;7,25;soon",
    ];
    await page.getByLabel("Text file to import").setInputFiles({
      name: "paid.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(`${lines.join("\n")}\n`),
    });
    const dialog = page.getByRole("dialog", { name: "Import paid.csv" });
    await dialog.getByRole("button", { name: "The first line is not like the others: skip" }).click();
    await dialog.getByLabel("Comment lines begin with").fill("#");
    await dialog.getByLabel("Type of Paid").selectOption({ label: "Number" });
    await dialog.getByLabel("Type of When").selectOption({ label: "Date and time" });
    await dialog.getByText("When: 1 value did not fit and is missing (row 2: “soon”).").waitFor();
    await dialog.getByRole("cell", { name: "1234.5" }).waitFor();
    await dialog.getByRole("button", { name: "Import", exact: true }).click();
    const note = page.getByRole("status").filter({ hasText: "Read 2 rows and 3 columns." });
    await note.getByText("When: 1 value did not fit and is missing (row 2: “soon”).").waitFor();
    await page.getByRole("gridcell", { name: "7.25" }).waitFor();
    // Read once more, it gives way to the new one.
    await note.getByRole("button", { name: "Import options…" }).click();
    await dialog.getByLabel("Lines to skip at the start").fill("1");
    await dialog.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByRole("gridcell", { name: "# a comment" }).waitFor();
    await expect.poll(() => page.getByRole("button", { name: /^Close paid/ }).count()).toBe(1);
    expect(visitor.troubles).toEqual([]);
  });

  test("tables are grouped and joined, and a link opens a sample with its layout", async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await openSample(page);
    const make = async (what: string): Promise<void> => {
      await page.getByRole("menubar").getByRole("menuitem", { name: "Data" }).click();
      await choose(page, what);
    };
    await make("Group rows…");
    const group = page.getByRole("dialog", { name: "Group rows" });
    await group.getByRole("group", { name: "Group by" }).getByLabel("SEX").check();
    await group.getByRole("group", { name: "Of these columns" }).getByLabel("AGE").check();
    await group.getByRole("button", { name: "Make the table" }).click();
    await page.getByRole("columnheader", { name: /avg\(AGE\)/ }).waitFor();
    await make("Join with another table…");
    const join = page.getByRole("dialog", { name: "Join with another table" });
    await join.getByLabel("Table", { exact: true }).selectOption("demog");
    await expect.poll(() => join.getByLabel("Column of demog by SEX").inputValue()).toBe("SEX");
    await join.getByRole("button", { name: "Make the table" }).click();
    await page.getByText("5,850 rows").first().waitFor();
    await page.keyboard.press("Control+z");
    await page.getByRole("button", { name: "Close demog by SEX with demog" }).waitFor({ state: "detached" });
    const tables = page.getByRole("navigation", { name: "Open tables" });
    await tables.getByRole("button", { name: "demog", exact: true }).click();
    await page.getByRole("button", { name: "Add viewer" }).click();
    await choose(page, "Histogram");
    await viewer(page, "Histogram of AGE").waitFor();
    await page.getByRole("button", { name: "Layouts" }).click();
    await choose(page, "Copy a link");
    // Exactly: while it is read out, the same words stand in a second place, behind "Notification".
    await page
      .getByText("Copied a link to this table with its viewers, filters and formats.", { exact: true })
      .waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const other = await visitor.newPage();
    await other.goto(link);
    await viewer(other, "Histogram of AGE").waitFor();
    await expect.poll(() => other.url()).not.toContain("table=");
    expect(visitor.troubles).toEqual([]);
  });
});
