import { describe } from "vitest";
import { vendorProgram } from "../support/vendor-programs.ts";
import { engineConformance } from "./engines/conformance.ts";

describe.skipIf(vendorProgram("qwen") === undefined)("qwen", () => engineConformance("acp:qwen", "chat"));
