import { describe, expect, it } from "vitest";
import { sample } from "../../support/sample.ts";
import { faultsOf } from "../../support/vendor/faults.ts";
import { lacksProgram } from "../../support/vendor/killed.ts";
import { liveWithVendor, type LifePlan } from "../../support/vendor/life.ts";

/** One kill in each turn of a life. `npm run soak` kills a hundred times at random under every engine. */
const LIVES: readonly (LifePlan & { readonly api: "responses" | "chat"; readonly killed: string })[] = [
  {
    engine: "codex",
    api: "responses",
    killed: "machine, server, machine",
    strikes: {
      commands: { kind: "machine", at: "tool.ended", waitMs: 0, unwritten: true },
      queued: { kind: "server", at: "tool.asked", waitMs: 0 },
      refused: { kind: "machine", at: "turn.completed", waitMs: 0, unwritten: true },
    },
  },
  {
    engine: "acp:qwen",
    api: "chat",
    killed: "machine, vendor, machine",
    strikes: {
      commands: { kind: "machine", at: "tool.ended", waitMs: 0, unwritten: true },
      queued: { kind: "vendor", at: "approval.resolved", waitMs: 0 },
      refused: { kind: "machine", at: "turn.completed", waitMs: 0, unwritten: true },
    },
  },
];

/** Each starts a server and a program three times: a busy machine is slow, not wrong. */
const LIFE_MS = 300_000;

describe.concurrent("an engine's program, the server or both are killed, and nothing is lost", () => {
  it.each(
    sample(
      LIVES.filter((plan) => !lacksProgram(plan)),
      1,
    ),
  )("$engine: $killed", { timeout: LIFE_MS }, async (plan) => {
    const life = await liveWithVendor(plan);
    const hits = life.hits.map(({ kind }) => kind).join(", ");
    expect({ faults: faultsOf(life), hits }).toEqual({ faults: [], hits: plan.killed });
  });
});
