import { expect, test } from "vitest";
import { describeInBrowser } from "../../support/browser.ts";
import { inspect } from "./inspection.ts";
import { FIRST_SCENES } from "./scenes.ts";
import { consoleWorld } from "./world.ts";

describeInBrowser("pages of a server that nobody has used yet", () => {
  const world = consoleWorld();

  test("axe, the security policy and the width of a phone find nothing", { timeout: 240_000 }, async () => {
    expect(await inspect(world, FIRST_SCENES, undefined)).toEqual([]);
  });
});
