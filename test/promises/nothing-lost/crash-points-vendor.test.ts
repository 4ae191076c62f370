import { describe, expect, it } from "vitest";
import { crash, type Crash } from "../../support/crashes.ts";

/** A part of all: in a sub-agent's command, and in its own sub-agent. `npm run soak` has all. */
const EVERYDAY: readonly Crash[] = [
  { engine: "claude-sdk", point: "tool.running:10" },
  { engine: "claude-cli", point: "tool.running:5" },
];

describe("the server is killed at a named point under a vendor's engine", () => {
  it.each(EVERYDAY)("$engine: $point", async (planned) => {
    const { faults } = await crash(planned);
    expect(faults).toEqual([]);
  });
});
