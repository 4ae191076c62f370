// (k) Every viewer of the workbench over a million rows in a real browser: the longest task of the page while it is added and while all rows
// are selected, against the same viewer over the 5,850 rows of a sample in the same run.
import { BENCH_TOKEN, benchPlace, SERVER, serverEnvironment, startAsked, startChild } from "./children.mjs";
import { longTasks, openBrowser, pageClock } from "./console/browser.mjs";
import { sized } from "./size.mjs";
import { join } from "node:path";

const MODEL = join(import.meta.dirname, "console", "clock-model.mjs");
const TABLES = sized({ million: /A million rows/, small: /Study people/ }, { small: /Study people/ });
/** Viewers that are measured. */
const MOST = sized(Infinity, 2);
/** Long enough for pictures that are drawn in slices, ms. */
const DRAWN_MS = sized(3_000, 30);

export async function viewersBench() {
  const place = await benchPlace();
  const model = await startChild([MODEL]);
  const server = await startAsked([SERVER, place.home, place.workspace], serverEnvironment(model.url));
  const browser = await openBrowser({ url: server.url, token: BENCH_TOKEN });
  const results = {};
  try {
    for (const type of (await types(browser)).slice(0, MOST)) {
      results[type] = {};
      for (const [name, sample] of Object.entries(TABLES)) results[type][name] = await measured(browser, type, sample);
    }
    return results;
  } finally {
    await browser.close();
    await server.stop();
    await model.stop();
    await place.remove();
  }
}

async function opened(browser, sample) {
  const page = await browser.open("/workbench");
  await page.getByRole("button", { name: sample }).click();
  await page.getByRole("grid").first().waitFor();
  return page;
}

/** What the menu offers. */
async function types(browser) {
  const page = await opened(browser, TABLES.small);
  await page.getByRole("button", { name: "Add viewer" }).click();
  const items = await page.locator('[role="menu"] [role="menuitem"]:not([aria-disabled="true"])').allTextContents();
  await browser.leave(page);
  return items.map((text) => text.trim());
}

async function measured(browser, type, sample) {
  const page = await opened(browser, sample);
  await page.waitForTimeout(DRAWN_MS / 3);
  const added = await pageClock(page);
  await page.getByRole("button", { name: "Add viewer" }).click();
  await page.getByRole("menuitem", { name: type, exact: true }).click();
  await page.waitForTimeout(DRAWN_MS);
  const selected = await pageClock(page);
  const add = await longTasks(page, added);
  await page.getByRole("menuitem", { name: "Select", exact: true }).click();
  await page
    .getByRole("menuitem", { name: /Invert/ })
    .first()
    .click();
  await page.waitForTimeout(DRAWN_MS);
  const select = await longTasks(page, selected);
  await browser.leave(page);
  return { add_ms: add.longest_ms, select_ms: select.longest_ms };
}

if (process.argv[1] === new URL(import.meta.url).pathname) console.log(JSON.stringify(await viewersBench(), null, 2));
