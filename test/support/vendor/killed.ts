import type { ModelApi } from "../../../src/protocol/index.ts";
import { isVendorProgram } from "../../../src/engines/vendor/programs.ts";
import { Dice } from "../money/dice.ts";
import { vendorProgram } from "../vendor-programs.ts";
import { faultsOf } from "./faults.ts";
import { liveWithVendor } from "./life.ts";
import { SCENES } from "./scenes.ts";
import { rollStrike, type StrikeKind } from "./strike.ts";

export interface KilledEngine {
  readonly engine: string;
  readonly api: ModelApi;
}

/** Every engine that runs an agent, on every API that it has code of its own for. */
export const KILLED_ENGINES: readonly KilledEngine[] = [
  { engine: "loop", api: "messages" },
  { engine: "loop", api: "responses" },
  { engine: "loop", api: "chat" },
  { engine: "claude-sdk", api: "messages" },
  { engine: "claude-cli", api: "messages" },
  { engine: "codex", api: "responses" },
  { engine: "opencode", api: "messages" },
  { engine: "acp:qwen", api: "chat" },
];

/** Whether an engine's program is not on this machine. */
export function lacksProgram({ engine }: KilledEngine): boolean {
  const name = engine.replace(/^acp:/, "");
  return isVendorProgram(name) && vendorProgram(name) === undefined;
}

/** The last turn of a life is the one that must find everything in order. */
const STRUCK = SCENES.filter((scene) => scene !== "afterwards");

const MOST_FAULTS = 5;
const WITHOUT_PROGRAM: readonly StrikeKind[] = ["server", "machine"];

export interface KillCount {
  readonly kills: Readonly<Record<StrikeKind, number>>;
  readonly lives: number;
  readonly events: number;
  readonly faults: readonly string[];
}

/** Lives with one engine, each killed at a random point of each of its turns, until there were so many kills. */
export async function killOften(
  { engine, api }: KilledEngine,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<KillCount> {
  const dice = new Dice(seed);
  const kinds = engine === "loop" ? WITHOUT_PROGRAM : undefined;
  const faults: string[] = [];
  const kills = { vendor: 0, server: 0, machine: 0 };
  let [lives, events] = [0, 0];
  while (kills.vendor + kills.server + kills.machine < count) {
    const strikes = Object.fromEntries(STRUCK.map((scene) => [scene, rollStrike(dice, kinds)]));
    lives += 1;
    const life = await liveWithVendor({ engine, api, strikes }).catch((error: unknown) => String(error));
    if (typeof life === "string") {
      faults.push(`life ${lives}: ${life}`);
      console.log(faults.at(-1));
      // Nothing is shown by more of them.
      if (faults.length >= MOST_FAULTS) break;
      continue;
    }
    events += life.events.length;
    for (const { kind } of life.hits) kills[kind] += 1;
    const story = JSON.stringify({ plan: life.plan, hits: life.hits });
    const found = faultsOf(life).map((fault) => `life ${lives} ${story}: ${fault}`);
    faults.push(...found);
    for (const fault of found) console.log(fault);
    console.log(
      `${engine} ${api}: ${JSON.stringify(kills)}, ${lives} lives, ${events} events, ${faults.length} faults`,
    );
  }
  return { kills, lives, events, faults };
}
