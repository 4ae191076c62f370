import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { VIEWERS } from "../../../src/web/workbench/viewers/registry.ts";
import { describeInBrowser } from "../../support/browser.ts";
import { sample } from "../../support/sample.ts";
import { inspectPart } from "../console/inspection.ts";
import { consoleWorld } from "../console/world.ts";
import { addViewer, drawn, sampleFor, VIEWER } from "./scenes.ts";
import { answers, ask, openChat, openSample } from "./world.ts";

/** A sample is one viewer of five. */
const viewers = sample(VIEWERS, Math.ceil(VIEWERS.length / 5));
const tables = [...new Set(viewers.map(({ type }) => sampleFor(type)))];

/** Opens one more table, from whatever the page shows. */
async function openAnother(page: Page, table: string): Promise<void> {
  const tabs = page.getByRole("navigation", { name: "Open tables" }).getByRole("button", { name: /^Close / });
  const open = await tabs.count();
  if (open === 0) return openSample(page, table);
  await page.getByRole("button", { name: "Open…" }).click();
  await page.getByRole("menuitem", { name: table }).click();
  // The table before is shown until then.
  await tabs.nth(open).waitFor();
}

describeInBrowser("the parts of the workbench, light and dark", () => {
  const world = consoleWorld();

  test("axe finds nothing in any viewer", { timeout: 240_000 }, async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    const found: string[] = [];
    for (const table of tables) {
      await openAnother(page, table);
      for (const { type } of viewers.filter((one) => sampleFor(one.type) === table)) {
        await addViewer(page, type);
        await drawn(page);
        found.push(...(await inspectPart(page, VIEWER)).map((one) => `${type}: ${one}`));
        await page
          .locator(VIEWER)
          .getByRole("button", { name: /^Close / })
          .first()
          .click();
        await page.locator(VIEWER).waitFor({ state: "detached" });
      }
    }
    expect(found).toEqual([]);
    expect(visitor.troubles).toEqual([]);
  });

  test("nor in the SQL pane and the chat", async () => {
    const visitor = await world.visit("/workbench");
    const { page } = visitor;
    await openSample(page);
    await page.getByRole("button", { name: "SQL", exact: true }).click();
    const found: string[] = [];
    for (const [sql, outcome] of [
      ["SELECT race, count(*) AS people FROM demog GROUP BY race", page.getByRole("button", { name: "Open as table" })],
      ["SELECT rase FROM demog", page.getByRole("region", { name: "SQL" }).getByRole("alert")],
    ] as const) {
      await page.getByRole("textbox", { name: "SQL" }).fill(sql);
      await page.getByRole("button", { name: "Run" }).click();
      await outcome.waitFor();
      found.push(...(await inspectPart(page, "section[aria-label=SQL]")));
    }
    await openChat(page);
    found.push(...(await inspectPart(page, "aside:has(sallyport-panel)")));
    await ask(page, "which viewers are open?");
    await answers(page).getByText("No viewers currently added.").waitFor();
    await answers(page).locator("details.steps > summary").first().click();
    await answers(page).locator("details.steps[open]").first().waitFor();
    found.push(...(await inspectPart(page, "aside:has(sallyport-panel)")));
    expect(found).toEqual([]);
    expect(visitor.troubles).toEqual([]);
  });
});
