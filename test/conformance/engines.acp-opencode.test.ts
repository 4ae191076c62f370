import { describe } from "vitest";
import { isFullRun } from "../support/sample.ts";
import { vendorProgram } from "../support/vendor-programs.ts";
import { engineConformance } from "./engines/conformance.ts";

// A start of it costs many seconds, so every day Qwen Code stands for the agents.
describe.skipIf(!isFullRun || vendorProgram("opencode") === undefined)("opencode", () =>
  engineConformance("acp:opencode", "chat"),
);
