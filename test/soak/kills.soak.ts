import { expect, it } from "vitest";
import { live, type Phoenix } from "../support/life.ts";
import { broken } from "../support/life-faults.ts";

const KILLS = Number(process.env["SOAK_KILLS"] ?? 200);
const SEED = Number(process.env["SOAK_SEED"] ?? 20_261_115);
/** A turn is given up after three restarts, so one life is not killed more often than that. */
const KILLS_A_LIFE = 3;
const LONGEST_WAIT_MS = 400;

it(`is killed ${KILLS} times at random moments and loses nothing`, { timeout: 3 * 3_600_000 }, async () => {
  let state = SEED >>> 0;
  const roll = (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  const found: string[] = [];
  let kills = 0;
  let lives = 0;
  let events = 0;
  while (kills < KILLS) {
    let left = KILLS_A_LIFE;
    let frame = 0;
    let target = 1 + roll(25);
    const strike = async (phoenix: Phoenix): Promise<void> => {
      const server = await phoenix.running;
      server.child.kill("SIGKILL");
    };
    const lived = await live({
      starts: () => ({}),
      onFrame: (_frame, phoenix) => {
        frame += 1;
        if (frame !== target || left === 0) return;
        left -= 1;
        target += 1 + roll(25);
        // Right after a frame, or a random moment later: between the points that have names.
        setTimeout(() => void strike(phoenix), roll(2) === 0 ? 0 : roll(LONGEST_WAIT_MS));
      },
    });
    lives += 1;
    kills += lived.kills;
    events += lived.events.length;
    found.push(...broken(lived).map((fault) => `life ${lives}: ${fault}`));
    if (lives % 10 === 0) console.log(`${kills} kills, ${lives} lives, ${events} events, ${found.length} faults`);
  }
  console.log(`soak: ${JSON.stringify({ kills, lives, events, faults: found.length })}`);
  expect(found).toEqual([]);
});
