import { describe, expect, it } from "vitest";
import { heldFaults, liveHeld, type HeldLifeOptions } from "../../support/held.ts";
import { describeWithWalls } from "../../support/walls.ts";

const WALLED = { SALLYPORT_SANDBOX: "bubblewrap" };

/** The soak run kills the server a hundred times in each place. */
async function goesOn(options: HeldLifeOptions): Promise<void> {
  const life = await liveHeld(options);
  expect(heldFaults(life)).toEqual([]);
  expect(life.log).toContain("took up programs that outlived the last run");
}

describe("the server goes away in a streaming text and in an open question, and the vendor's program goes on", () => {
  it("claude-cli, killed", () => goesOn({ engine: "claude-cli", pieces: 5 }));
});

describeWithWalls("the same behind walls", () => {
  it("claude-sdk, killed", () => goesOn({ engine: "claude-sdk", pieces: 20, environment: WALLED }));
  it("claude-cli, stopped", () => goesOn({ engine: "claude-cli", pieces: 2, environment: WALLED, end: "stop" }));
});
