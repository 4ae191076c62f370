import { CHECKPOINTS } from "../../src/sessions/index.ts";
import { live, type Lived } from "./life.ts";
import { broken } from "./life-faults.ts";
import type { LifeEngine } from "./life-script.ts";

/** Points at a later time: in the calls of one message, in a sub-agent, in a sub-agent's sub-agent, in calls of a page. */
const LATER: Readonly<Record<"loop" | "vendor", Readonly<Record<string, readonly number[]>>>> = {
  loop: {
    "tool.marked": [2, 3, 4, 5, 6, 7, 8],
    "tool.running": [6, 9, 10, 13],
    "tool.ran": [9, 13],
    "tool.result_decided": [9],
    "tool.result_durable": [5, 11, 12],
    "approval.durable": [6, 9],
    "answer.durable": [4, 10],
    "model.message_ended": [5, 6],
  },
  vendor: {
    "tool.marked": [2, 3, 4, 5, 6, 7, 8],
    "tool.running": [5, 8, 10],
    "tool.ran": [10],
    "tool.result_durable": [9],
    "approval.durable": [8],
    "answer.durable": [8],
  },
};

/** All crashes of an engine: at each named point the first time, and the later ones. */
export function crashesOf(engine: LifeEngine): readonly string[] {
  const later = Object.entries(LATER[engine === "loop" ? "loop" : "vendor"]);
  // A life has no prompt that is sent into a running turn: `steered.test.ts` has.
  const points = CHECKPOINTS.filter((name) => !name.startsWith("steer."));
  return [...later.flatMap(([name, times]) => times.map((time) => `${name}:${time}`)), ...points];
}

export interface Crash {
  readonly engine: LifeEngine;
  readonly point: string;
}

/** Lives through a crash at one point. Every engine comes to every point: one that a life does not pass is a fault, too. */
export async function crash({ engine, point }: Crash): Promise<Lived & { readonly faults: readonly string[] }> {
  const lived = await live({ engine, starts: (start) => (start === 0 ? { SALLYPORT_CRASH_AT: point } : {}) });
  const passed = lived.kills === 1 ? [] : [`the server was killed ${lived.kills} times, not once`];
  return { ...lived, faults: [...passed, ...broken(lived)] };
}
