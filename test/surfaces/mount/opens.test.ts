import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { script } from "../../support/app.ts";
import { openMany, untilUnwatched } from "./opens.ts";
import { openMountWorld } from "./world.ts";

it("readers that come and go leave no watcher, no file and no remembered text behind", async () => {
  await using world = await openMountWorld();
  const { admin, app } = world;
  const folder = await admin.create({ initial_prompt: script({ say: "A short answer." }) });
  await admin.outputUntilIdle(folder);
  await openMany(admin, folder, 100);
  await untilUnwatched(admin);
  expect(await readdir(join(app.place.home, "mount")).catch(() => [])).toEqual([]);
  expect(await admin.outputUntilIdle(folder)).toBe("A short answer.\n");
});
