import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { inspect } from "../console/inspection.ts";
import type { Scene } from "../console/scenes.ts";
import { consoleWorld } from "../console/world.ts";
import { openSample } from "./world.ts";

async function withHistogram(page: Page): Promise<void> {
  // What the scenes before have left would come back.
  await page.evaluate(() => localStorage.removeItem("sallyport.workbench.layouts"));
  await openSample(page);
  await page.getByRole("button", { name: "Add viewer" }).click();
  await page.getByRole("menuitem", { name: "Histogram", exact: true }).click();
  await page.getByRole("region", { name: "Histogram of AGE" }).getByRole("img").first().waitFor();
}

const SCENES: readonly Scene[] = [
  { name: "start", path: "/workbench", seen: (page) => page.getByRole("heading", { name: "Workbench", level: 1 }) },
  {
    name: "a table with a chart",
    path: "/workbench",
    arrange: withHistogram,
    seen: (page) => page.getByRole("region", { name: "Histogram of AGE" }),
  },
  {
    name: "properties",
    path: "/workbench",
    only: "desktop",
    arrange: async (page) => {
      await withHistogram(page);
      await page.getByRole("button", { name: "Properties of Histogram of AGE" }).click();
    },
    seen: (page) => page.getByRole("complementary", { name: "Properties of Histogram of AGE" }),
  },
  {
    name: "a new column",
    path: "/workbench",
    arrange: async (page) => {
      await openSample(page);
      await page.getByRole("button", { name: "Add new column" }).click();
      await page.getByLabel("Formula").fill("${AGE} / 0 +");
    },
    seen: (page) => page.getByRole("dialog", { name: "Add new column" }),
  },
  {
    name: "what was done",
    path: "/workbench",
    arrange: async (page) => {
      await withHistogram(page);
      await page.getByRole("button", { name: "What was done" }).click();
    },
    seen: (page) => page.getByRole("dialog", { name: "What was done" }),
  },
];

describeInBrowser("the workbench, wide and narrow, light and dark", () => {
  const world = consoleWorld();

  test("axe, the security policy and the width of a phone find nothing", { timeout: 240_000 }, async () => {
    expect(await inspect(world, SCENES, undefined)).toEqual([]);
  });
});
