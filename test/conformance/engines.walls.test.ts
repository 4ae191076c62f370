import { join } from "node:path";
import { describe } from "vitest";
import { bubblewrapDriver } from "../../src/sandbox/index.ts";
import { containerDriver } from "../../src/sandbox/container/drivers.ts";
import { removeFolder } from "../../src/sandbox/remove-folder.ts";
import { isFullRun } from "../support/sample.ts";
import { SandboxPlace } from "../support/sandbox-place.ts";
import { PRESENT_IDS, walledConformance } from "./engines/conformance.ts";

const base = SandboxPlace.folder();
const DRIVERS = [bubblewrapDriver(), containerDriver({ folder: join(base, "c") })];

// A vendor's process costs seconds: every day only our own engine is put through this.
for (const driver of DRIVERS)
  describe.skipIf((await driver.missing()) !== undefined)("behind walls", () => {
    for (const id of isFullRun ? PRESENT_IDS : ["loop"]) walledConformance(id, driver.kind);
  });
await removeFolder(base);
