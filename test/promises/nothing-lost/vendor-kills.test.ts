import { describe, expect, it } from "vitest";
import { faultsOf } from "../../support/vendor/faults.ts";
import { liveWithVendor, type LifePlan } from "../../support/vendor/life.ts";
import type { Scene } from "../../support/vendor/scenes.ts";
import type { Strike, StrikeKind } from "../../support/vendor/strike.ts";

/** One kill of each turn of a life. Each kind meets each stage of a turn in one of them. */
const LIVES: readonly (readonly [Scene, StrikeKind, Strike["at"], number?][])[] = [
  [
    ["commands", "vendor", "approval.resolved"],
    ["queued", "server", "approval.requested"],
    ["interrupted", "machine", "item.started", 30],
    ["refused", "vendor", "turn.completed"],
  ],
  [
    ["commands", "machine", "item.updated", 50],
    ["queued", "vendor", "item.updated", 50],
    ["interrupted", "server", "turn.started", 200],
    ["refused", "machine", "turn.completed"],
  ],
];
const ENGINES = ["claude-sdk", "claude-cli"] as const;

describe.concurrent("the vendor's process, the server or both are killed, and nothing is lost", () => {
  it.each(ENGINES.flatMap((engine) => LIVES.map((strikes) => ({ engine, strikes }))))(
    "$engine: $strikes",
    { timeout: 120_000 },
    async ({ engine, strikes }) => {
      const plan: LifePlan = {
        engine,
        strikes: Object.fromEntries(strikes.map(([scene, kind, at, waitMs = 0]) => [scene, { kind, at, waitMs }])),
      };
      const life = await liveWithVendor(plan);
      expect(faultsOf(life)).toEqual([]);
    },
  );
});
