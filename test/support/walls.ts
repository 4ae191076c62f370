import { describe } from "vitest";
import { bubblewrapDriver } from "../../src/sandbox/index.ts";

/** The sandboxes of this machine that are tried here, by name. */
export const SANDBOXES = ["bubblewrap"] as const;

const missing = await bubblewrapDriver().missing();

/** What needs namespaces is left out where the machine has none. */
export const describeWithWalls =
  missing === undefined || process.env["SALLYPORT_TESTS_REQUIRED"] === "1" ? describe : describe.skip;
