import { readFile } from "node:fs/promises";
import type { Download, Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { consoleWorld } from "../console/world.ts";
import { viewer } from "./world.ts";

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
    await choose(page, "Rename or change type…");
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
});
