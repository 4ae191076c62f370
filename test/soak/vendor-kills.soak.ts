import { describe, expect, it } from "vitest";
import { faultsOf } from "../support/vendor/faults.ts";
import { liveWithVendor, type LifePlan } from "../support/vendor/life.ts";

/** One kill in each turn of a life: before a call is asked about, while a person thinks, while it runs, and at the end. */
const LIVES: readonly { readonly killed: string; readonly strikes: LifePlan["strikes"] }[] = [
  {
    killed: "vendor, server, machine, server",
    strikes: {
      commands: { kind: "vendor", at: "approval.resolved", waitMs: 0 },
      queued: { kind: "server", at: "tool.asked", waitMs: 0 },
      interrupted: { kind: "machine", at: "item.started", waitMs: 30 },
      refused: { kind: "server", at: "item.completed", waitMs: 0 },
    },
  },
  {
    killed: "machine, vendor, server, machine",
    strikes: {
      commands: { kind: "machine", at: "item.updated", waitMs: 50 },
      queued: { kind: "vendor", at: "item.updated", waitMs: 50 },
      interrupted: { kind: "server", at: "turn.started", waitMs: 200 },
      refused: { kind: "machine", at: "turn.completed", waitMs: 0 },
    },
  },
];
const ENGINES = ["claude-sdk", "claude-cli"] as const;

describe.concurrent("the vendor's process, the server or both are killed, and nothing is lost", () => {
  it.each(ENGINES.flatMap((engine) => LIVES.map((life) => Object.assign({ engine }, life))))(
    "$engine: $killed",
    { timeout: 300_000 },
    async ({ engine, strikes }) => {
      const life = await liveWithVendor({ engine, strikes });
      const hits = Object.keys(strikes).length;
      expect({ faults: faultsOf(life), hits: life.hits.length }).toEqual({ faults: [], hits });
    },
  );
});
