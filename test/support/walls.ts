import { describe } from "vitest";
import { bubblewrapDriver } from "../../src/sandbox/index.ts";

const missing = await bubblewrapDriver().missing();

/** What needs namespaces is left out where the machine has none. */
export const describeWithWalls =
  missing === undefined || process.env["SALLYPORT_TESTS_REQUIRED"] === "1" ? describe : describe.skip;
