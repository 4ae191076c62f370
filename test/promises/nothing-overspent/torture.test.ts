import { expect, it } from "vitest";
import { everyCase } from "../../support/money/cases.ts";
import { makeScript } from "../../support/money/script.ts";
import { torture, type Tortured } from "../../support/money/torture.ts";
import { isFullRun } from "../../support/sample.ts";
import { makePlace } from "../../support/server.ts";
import type { Script } from "../../support/money/plan.ts";
import type { Relay } from "../../support/money/door.ts";

async function tortured(script: Script, relay: Relay): Promise<Tortured> {
  const place = await makePlace();
  try {
    return await torture(script, relay, place);
  } finally {
    await place.remove();
  }
}

it("no limit is passed, whatever breaks; a check before and an addition after do not keep it", async () => {
  const size = isFullRun ? { sessions: 50, requests: 300, kills: 3 } : { sessions: 25, requests: 150, kills: 1 };
  const script = makeScript({ seed: 110, ...size });
  const ours = await tortured(script, "ledger");
  const control = await tortured(script, "check-then-add");
  console.log(
    `nothing overspent: ${figures("reserve and settle", ours)}\nthe control:       ${figures("check, then add", control)}`,
  );
  expect(ours).toMatchObject({ faults: [], passed: [], ...size });
  // It was hard: limits of several kinds were reached, and reservations died with their server.
  expect(ours.reached).toEqual(expect.arrayContaining(["agent_day", "session", "turn"]));
  expect(ours.settledDead).toBeGreaterThan(0);
  expect(control.passed.length).toBeGreaterThan(0);
});

it("without faults house and provider agree to the micro-USD", async () => {
  const script = makeScript({ seed: 7, sessions: 20, requests: 200, kills: 0, faults: false });
  const ours = await tortured(script, "ledger");
  expect(ours).toMatchObject({ faults: [], passed: [] });
  expect(Object.values(ours.accounts).filter(({ spent, billed }) => spent !== billed)).toEqual([]);
  expect(ours.ends["200"]).toBeGreaterThan(50);
});

it("every way to break and to leave is charged what it cost or more, and an error nothing", async () => {
  const { cases, script } = everyCase();
  const { faults, accounts } = await tortured(script, "ledger");
  expect(faults).toEqual([]);
  const wrong = cases.flatMap(({ name, request: { fates, leaving } }) => {
    const { spent, billed } = accounts[`session/${name}`] ?? { spent: -1, billed: 0 };
    const [fate] = fates;
    const stays = leaving.at === "never";
    // What was answered and told whole has a price, not a bound.
    const isExact = stays && (fate.is === "whole" || fate.is === "error");
    return spent < billed || (isExact && spent !== billed) ? [{ name, spent, billed }] : [];
  });
  expect(wrong).toEqual([]);
});

function figures(name: string, found: Tortured): string {
  const { requests, sessions, kills, limited, passed, fullest, total, billed, spent, settledDead, ends } = found;
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  return (
    `${name}: ${requests} requests of ${sessions} sessions, ${kills} kills; the provider billed ${billed} micro-USD, ` +
    `${spent} counted as spent; ${passed.length} of ${limited} limits passed, the fullest at ${percent(fullest)}, ` +
    `everybody's at ${percent(total)}; ` +
    `${settledDead} reservations of dead servers settled; ${JSON.stringify(ends)}`
  );
}
