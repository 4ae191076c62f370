import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { furnishWorld, inspect } from "./inspection.ts";
import { desktopScenes } from "./scenes.ts";
import { consoleWorld } from "./world.ts";

describeInBrowser("pages of the console (desktop), wide and narrow, light and dark", () => {
  const world = consoleWorld();

  test("axe, the security policy and the width of a phone find nothing", { timeout: 240_000 }, async () => {
    const furniture = await furnishWorld(world);
    expect(await inspect(world, desktopScenes(), furniture.tokens)).toEqual([]);
  });
});
