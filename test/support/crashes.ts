import { CHECKPOINTS } from "../../src/sessions/index.ts";
import { live, type Lived } from "./life.ts";
import { broken } from "./life-faults.ts";
import type { LifeEngine } from "./life-script.ts";

/** Points at a later time: in the calls of one message, in a sub-agent, in a sub-agent's sub-agent, in calls of a page. */
const LATER: Readonly<Record<"loop" | "vendor", Readonly<Record<string, readonly number[]>>>> = {
  loop: {
    "approval.durable": [3, 6, 8, 9],
    "answer.durable": [4, 8, 10],
    "tool.marked": [2, 3, 4, 5, 6, 7, 8],
    "tool.running": [5, 6, 8, 9, 10, 12, 13],
    "tool.ran": [6, 9, 11, 12, 13],
    "tool.result_decided": [6, 9, 11],
    "tool.result_durable": [5, 9, 11, 12, 13],
    "model.message_ended": [4, 5, 6],
  },
  vendor: {
    "approval.durable": [3, 4, 6, 8],
    "answer.durable": [4, 8, 10],
    "tool.marked": [2, 3, 4, 5, 6, 7, 8],
    "tool.running": [3, 4, 5, 7, 8, 9, 10],
    "tool.ran": [4, 8, 9, 10],
    "tool.result_decided": [6, 10],
    "tool.result_durable": [5, 9, 11, 13],
    "model.message_ended": [3, 4],
  },
};

/** Points that a life with this engine does not come to. One that it does come to fails here. */
const NOT_PASSED: Readonly<Record<LifeEngine, readonly string[]>> = {
  loop: [],
  "claude-sdk": [],
  "claude-cli": [],
};

/** All crashes of an engine: each named point at its first time, then the later ones. */
export function crashesOf(engine: LifeEngine): readonly string[] {
  const later = Object.entries(LATER[engine === "loop" ? "loop" : "vendor"]);
  return [...CHECKPOINTS, ...later.flatMap(([name, times]) => times.map((time) => `${name}:${time}`))];
}

export interface Crash {
  readonly engine: LifeEngine;
  readonly point: string;
}

/** Lives through a crash at one point. `faults` has what went wrong, whether the point was passed as it is told here included. */
export async function crash({ engine, point }: Crash): Promise<Lived & { readonly faults: readonly string[] }> {
  const lived = await live({ engine, starts: (start) => (start === 0 ? { SALLYPORT_CRASH_AT: point } : {}) });
  const kills = NOT_PASSED[engine].includes(point) ? 0 : 1;
  const passed = lived.kills === kills ? [] : [`the server was killed ${lived.kills} times, not ${kills}`];
  return { ...lived, faults: [...passed, ...broken(lived)] };
}
