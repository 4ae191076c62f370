import { expect, it } from "vitest";
import { crash, crashesOf } from "../support/crashes.ts";
import { leftRunning } from "../support/life-faults.ts";
import { EFFECT_WORDS, LIFE_ENGINES, type LifeEngine } from "../support/life-script.ts";

/** Lives of one engine at the same time: each waits for processes most of the time. */
const ABREAST = Number(process.env["SOAK_CRASHES_ABREAST"] ?? 2);

it.concurrent.each(LIFE_ENGINES)(
  "%s: the server is killed at every named point",
  { timeout: 3 * 3_600_000 },
  async (engine) => {
    const found = await crashEverywhere(engine);
    expect(found.faults).toEqual([]);
    // The kills fell on commands and page tools, alone and beside others, at the top, in a sub-agent and in its own sub-agent.
    expect(EFFECT_WORDS.filter((word) => !found.running.has(word))).toEqual([]);
  },
);

async function crashEverywhere(engine: LifeEngine): Promise<{ faults: string[]; running: Set<string> }> {
  const points = [...crashesOf(engine)];
  const lives = points.length;
  const faults: string[] = [];
  const running = new Set<string>();
  let kills = 0;
  let events = 0;
  const begun = performance.now();
  const work = async (): Promise<void> => {
    for (let point = points.shift(); point !== undefined; point = points.shift()) {
      const lived = await crash({ engine, point }).catch((error: unknown) => String(error));
      const wrong = typeof lived === "string" ? [lived] : lived.faults;
      faults.push(...wrong.map((fault) => `${point}: ${fault}`));
      console.log(`${engine} ${point}: ${wrong.length === 0 ? "holds" : wrong.join("; ")}`);
      if (typeof lived === "string") continue;
      kills += lived.kills;
      events += lived.events.length;
      for (const word of leftRunning(lived)) running.add(word);
    }
  };
  await Promise.all(Array.from({ length: ABREAST }, work));
  const seconds = Math.round((performance.now() - begun) / 1_000);
  console.log(
    `soak: ${JSON.stringify({ engine, lives, kills, events, running: running.size, faults: faults.length, seconds })}`,
  );
  return { faults, running };
}
