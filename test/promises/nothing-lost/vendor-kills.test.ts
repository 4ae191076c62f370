import { describe, expect, it } from "vitest";
import { faultsOf } from "../../support/vendor/faults.ts";
import { liveWithVendor } from "../../support/vendor/life.ts";
import { STRIKES } from "../../support/vendor/strike.ts";

describe.each(["claude-sdk", "claude-cli"])("%s", (engine) => {
  it("nothing killed", { timeout: 60_000 }, async () => {
    const life = await liveWithVendor({ engine, strikes: {} });
    expect({ faults: faultsOf(life), hits: life.hits }).toEqual({ faults: [], hits: [] });
  });
});
void STRIKES;
