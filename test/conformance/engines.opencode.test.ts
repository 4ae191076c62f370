import { describe } from "vitest";
import { vendorProgram } from "../support/vendor-programs.ts";
import { engineConformance } from "./engines/conformance.ts";

describe.skipIf(vendorProgram("opencode") === undefined)("the real program", () => engineConformance("opencode"));
