import { describe, expect, it } from "vitest";
import { sample } from "../../support/sample.ts";
import { faultsOf } from "../../support/vendor/faults.ts";
import { liveWithVendor, type LifePlan } from "../../support/vendor/life.ts";

/** One kill in each turn of a life: before a call is asked about, while a person thinks, while it runs, and at the end. */
const LIVES: readonly (LifePlan & { readonly killed: string })[] = [
  {
    engine: "claude-sdk",
    killed: "vendor, server, machine, server",
    strikes: {
      commands: { kind: "vendor", at: "approval.resolved", waitMs: 0 },
      queued: { kind: "server", at: "tool.asked", waitMs: 0 },
      interrupted: { kind: "machine", at: "item.started", waitMs: 0 },
      refused: { kind: "server", at: "item.completed", waitMs: 0 },
    },
  },
  {
    engine: "claude-cli",
    killed: "machine, vendor, server, machine",
    strikes: {
      commands: { kind: "machine", at: "tool.ended", waitMs: 0, unwritten: true },
      queued: { kind: "vendor", at: "item.updated", waitMs: 0 },
      interrupted: { kind: "server", at: "turn.started", waitMs: 0 },
      refused: { kind: "machine", at: "turn.completed", waitMs: 0, unwritten: true },
    },
  },
];

describe.concurrent("the vendor's process, the server or both are killed, and nothing is lost", () => {
  it.each(sample(LIVES, 1))("$engine: $killed", async (plan) => {
    const life = await liveWithVendor(plan);
    const hits = life.hits.map(({ kind }) => kind).join(", ");
    expect({ faults: faultsOf(life), hits }).toEqual({ faults: [], hits: plan.killed });
  });
});
