import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  createClaudeCliEngine,
  createClaudeSdkEngine,
  createLoopEngine,
  type Capabilities,
  type Engine,
} from "../../../src/engines/index.ts";
import { Bench } from "./bench.ts";
import { CALLS, LIMITED } from "./calls.ts";
import { beginFailures, FAILURES, REFUSALS } from "./failures.ts";
import { LIVES } from "./lives.ts";
import { MONEY } from "./money.ts";
import type { Scenario } from "./scenario.ts";
import { ALONE, STOPS } from "./stops.ts";
import { WORDS } from "./words.ts";

const SCENARIOS: readonly Scenario[] = [
  ...WORDS,
  ...CALLS,
  ...STOPS,
  ...FAILURES,
  ...MONEY,
  ...REFUSALS,
  ...LIVES,
  ...LIMITED,
  ...ALONE,
];

const ENGINES: readonly Engine[] = [createLoopEngine(), createClaudeSdkEngine(), createClaudeCliEngine()];

/** Puts an engine through everything, in the real server, and compares what it does with what it says of itself. */
export function engineConformance(id: string): void {
  describe(`engine ${id}`, () => {
    const engine = ENGINES.find((each) => each.id === id);
    const observed: Partial<Record<keyof Capabilities, boolean>> = {};
    const cells = new Map<string, string>();
    let bench: Bench;
    beforeAll(async () => {
      const missing = engine === undefined ? `there is no engine ${id}` : engine.missing?.();
      if (missing !== undefined) throw new Error(missing);
      bench = await Bench.open(id);
      bench.failures = beginFailures(bench);
    });
    afterEach(() => bench.rest());
    afterAll(async () => {
      await bench.close();
      await bench.remove();
    });

    for (const scenario of SCENARIOS) {
      it(scenario.name, async () => {
        const seen = await scenario.run(bench);
        if (scenario.shows !== undefined) observed[scenario.shows] = seen.can;
        cells.set(scenario.name, seen.words ?? (seen.can ? "yes" : "no"));
        await bench.allSound();
      }, 60_000);
    }

    it("does what it declares", () => {
      expect(observed).toEqual(engine?.capabilities);
      console.log(Object.fromEntries(cells));
    });
  });
}
