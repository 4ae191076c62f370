import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  createClaudeCliEngine,
  createClaudeSdkEngine,
  createLoopEngine,
  type Capabilities,
  type Engine,
} from "../../../src/engines/index.ts";
import { isFullRun } from "../../support/sample.ts";
import { ANSWERS } from "./answers.ts";
import { Bench } from "./bench.ts";
import { CALLS, LIMITED } from "./calls.ts";
import { beginFailures, FAILURES, REFUSALS } from "./failures.ts";
import { LIVES } from "./lives.ts";
import { MONEY } from "./money.ts";
import type { Scenario } from "./scenario.ts";
import { SETTINGS } from "./settings.ts";
import { ALONE, STOPS } from "./stops.ts";
import { paperWith, writePaper } from "./table.ts";
import { WORDS } from "./words.ts";

const ENGINES: readonly Engine[] = [createLoopEngine(), createClaudeSdkEngine(), createClaudeCliEngine()];

/** In the order in which they are played: a restart spares nothing, so what runs beside the others ends before. */
const SCENARIOS: readonly Scenario[] = [
  ...WORDS,
  ...CALLS,
  ...SETTINGS,
  ...STOPS,
  ...FAILURES,
  ...MONEY,
  ...REFUSALS,
  ...LIVES,
  ...LIMITED,
  ...ANSWERS,
  ...ALONE,
];

/**
 * A process of the vendor's costs seconds. Both engines that start one share most of their code: every day each plays what it declares of
 * itself, and of the rest one plays every other scenario and one those in between. In a full run both play all.
 */
const TURN_TAKERS: readonly string[] = ["claude-sdk", "claude-cli"];

function scenariosOf(id: string): readonly Scenario[] {
  const turn = TURN_TAKERS.indexOf(id);
  if (isFullRun || turn < 0) return SCENARIOS;
  return SCENARIOS.filter(({ shows }, index) => shows !== undefined || index % TURN_TAKERS.length === turn);
}

/** Set: the table in docs/internals/engines.md is written anew instead of compared. */
const REWRITE = "SALLYPORT_WRITE_ENGINES";

/** Puts an engine through everything, in the real server, and compares what it does with what it says of itself. */
export function engineConformance(id: string): void {
  describe(`engine ${id}`, () => {
    const engine = ENGINES.find((each) => each.id === id);
    const observed: Partial<Record<keyof Capabilities, boolean>> = {};
    const column = new Map<string, string>();
    let bench: Bench;
    beforeAll(async () => {
      const missing = engine === undefined ? `there is no engine ${id}` : engine.missing?.();
      if (missing !== undefined) throw new Error(`engine ${id} cannot be tested: ${missing}`);
      bench = await Bench.open(id);
      bench.failures = beginFailures(bench);
    });
    afterEach(() => bench.rest());
    afterAll(() => bench?.remove());

    for (const scenario of scenariosOf(id)) {
      const { name, shows } = scenario;
      it(name, async () => {
        const { can, words = can ? "yes" : "no" } = await scenario.run(bench);
        if (shows !== undefined) observed[shows] = can;
        column.set(name, words);
        await bench.allSound();
      });
    }

    it("does what it declares, no more and no less", () => {
      expect(observed).toEqual(engine?.capabilities);
    });

    it("leaves no process behind", async () => {
      await bench.close();
      expect(await bench.left()).toEqual([]);
    });

    it(`is described by its table, which ${REWRITE}=1 writes`, () => {
      const { is, must } = paperWith(id, column, { engines: ENGINES.map((each) => each.id), scenarios: SCENARIOS });
      if (process.env[REWRITE] === "1" && column.size === SCENARIOS.length) writePaper(must);
      else expect(is).toBe(must);
    });
  });
}
