import { expect, it } from "vitest";
import { Dice } from "../support/money/dice.ts";
import { faultsOf } from "../support/vendor/faults.ts";
import { liveWithVendor } from "../support/vendor/life.ts";
import { SCENES } from "../support/vendor/scenes.ts";
import { rollStrike } from "../support/vendor/strike.ts";

const TURNS = Number(process.env["SOAK_VENDOR_TURNS"] ?? 200);
const SEED = Number(process.env["SOAK_SEED"] ?? 20_261_115);
const ENGINES = ["claude-sdk", "claude-cli"] as const;
/** The last turn of a life is the one that must find everything in order. */
const STRUCK = SCENES.filter((scene) => scene !== "afterwards");

it(
  `is killed at random points of ${TURNS} turns with the vendor's engines and loses nothing`,
  { timeout: 3 * 3_600_000 },
  async () => {
    const dice = new Dice(SEED);
    const found: string[] = [];
    const kills = { vendor: 0, server: 0, machine: 0 };
    let lives = 0;
    let turns = 0;
    let events = 0;
    const begun = performance.now();
    while (turns < TURNS) {
      const engine = ENGINES[lives % ENGINES.length] ?? ENGINES[0];
      const strikes = Object.fromEntries(STRUCK.map((scene) => [scene, rollStrike(dice)]));
      const life = await liveWithVendor({ engine, strikes });
      lives += 1;
      turns += STRUCK.length;
      events += life.events.length;
      for (const { kind } of life.hits) kills[kind] += 1;
      found.push(
        ...faultsOf(life).map(
          (fault) => `life ${lives} ${JSON.stringify({ plan: life.plan, hits: life.hits })}: ${fault}`,
        ),
      );
      console.log(`${turns} turns, ${JSON.stringify(kills)}, ${lives} lives, ${events} events, ${found.length} faults`);
    }
    const seconds = Math.round((performance.now() - begun) / 1_000);
    console.log(`soak: ${JSON.stringify({ turns, kills, lives, events, faults: found.length, seconds })}`);
    expect(found).toEqual([]);
  },
);
