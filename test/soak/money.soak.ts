import { expect, it } from "vitest";
import type { Relay } from "../support/money/door.ts";
import { makeScript } from "../support/money/script.ts";
import { torture, type Tortured } from "../support/money/torture.ts";
import { makePlace } from "../support/server.ts";

const REQUESTS = Number(process.env["SOAK_REQUESTS"] ?? 10_000);
const SESSIONS = 50;
const KILLS = Number(process.env["SOAK_MONEY_KILLS"] ?? 100);
const SEED = Number(process.env["SOAK_SEED"] ?? 1);

it(`${REQUESTS} requests, ${KILLS} kills: no limit is passed`, { timeout: 3_600_000 }, async () => {
  const script = makeScript({ seed: SEED, sessions: SESSIONS, requests: REQUESTS, kills: KILLS });
  const run = async (relay: Relay): Promise<Tortured> => {
    const place = await makePlace();
    const begun = performance.now();
    try {
      const found = await torture(script, relay, place);
      const { passed, limited, accounts: _, ...rest } = found;
      const seconds = Math.round((performance.now() - begun) / 1_000);
      const figures = { relay, ...rest, passed: passed.length, limited, seconds };
      console.log(`soak: ${JSON.stringify({ ...figures, faults: found.faults.length })}`);
      return found;
    } finally {
      await place.remove();
    }
  };
  const ours = await run("ledger");
  const control = await run("check-then-add");
  expect(ours).toMatchObject({ faults: [], passed: [], kills: KILLS });
  expect(ours.reached).toEqual(expect.arrayContaining(["agent_day", "day", "parent", "session", "total", "turn"]));
  expect(control.passed.length).toBeGreaterThan(0);
});
