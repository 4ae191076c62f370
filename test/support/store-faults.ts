import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { array, constantFrom, type Arbitrary, integer, record } from "fast-check";
import type { SallyportClient } from "../../src/client/index.ts";
import { Failure } from "../../src/protocol/index.ts";
import { SQLITE } from "../../src/store/sqlite/binding.ts";
import type { Faults } from "../../src/store/index.ts";
import { approveWith, openTestApp, script, untilTurnEnds, type TestApp } from "./app.ts";
import { faultsOf, journalOf, NO_FAULTS, type JournalFaults } from "./journals.ts";

/** So many transactions fail, from the time when so many events were seen. */
export interface Fault {
  readonly atEvent: number;
  readonly transactions: number;
  readonly step: 0 | 1;
  readonly code: number;
}

export const faultPlans: Arbitrary<Fault[]> = array(
  record({
    atEvent: integer({ min: 0, max: 60 }),
    transactions: integer({ min: 1, max: 6 }),
    step: constantFrom(0 as const, 1 as const),
    code: constantFrom(SQLITE.busy, SQLITE.readOnly, SQLITE.io, SQLITE.full, SQLITE.cannotOpen),
  }),
  { minLength: 1, maxLength: 8 },
);

export interface FaultyApp extends TestApp {
  readonly faults: Faults;
}

/** A server whose disk fails when the test says so, with real SQLite beneath. */
export async function openFaultyApp(): Promise<FaultyApp> {
  const faults: Faults = new Int32Array(new SharedArrayBuffer(12));
  const app = await openTestApp({}, { store: { faults, tuning: { busyMs: 20, retryMs: 1, closeMs: 50 } } });
  return Object.assign(app, { faults });
}

const bash = (word: string): object => ({ tool: "Bash", input: { command: `echo ${word} >> effects.txt` } });

/** Sends a request again as long as the store cannot take it. */
async function insist<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "store_failed") throw error;
    }
  }
  throw new Error("the store never came back");
}

interface Outcome {
  readonly faults: readonly JournalFaults[];
  readonly effects: readonly string[];
  readonly pending: number;
  readonly ends: readonly string[];
}

/** Three sessions at work, with questions and a queue, while the disk fails by plan. */
export async function liveThrough(app: FaultyApp, plan: readonly Fault[], name: string): Promise<Outcome> {
  const { client, faults } = app;
  let seen = 0;
  const left = [...plan];
  const count = (): void => {
    seen += 1;
    for (const fault of left.filter(({ atEvent }) => atEvent <= seen)) {
      left.splice(left.indexOf(fault), 1);
      Atomics.store(faults, 1, fault.step);
      Atomics.store(faults, 2, fault.code);
      Atomics.store(faults, 0, fault.transactions);
    }
  };
  const words = ["a", "b", "c"].map((letter) => `${name}-${letter}`);
  const sessions = await Promise.all(words.map((word) => live(client, word, count)));
  Atomics.store(faults, 0, 0);
  const journals = await Promise.all(sessions.map((id) => insist(() => journalOf(client, id))));
  const text = await readFile(join(app.place.workspace, "effects.txt"), "utf8").catch(() => "");
  const { approvals } = await insist(() => client.approvals({ status: "pending" }));
  return {
    faults: journals.map(faultsOf),
    effects: text
      .split("\n")
      .filter((line) => line.startsWith(name))
      .toSorted(),
    pending: approvals.length,
    ends: journals.flat().flatMap(({ type }) => (type === "turn.completed" || type === "turn.failed" ? [type] : [])),
  };
}

/** What must come out, whatever the plan. */
export function expectedOf(name: string): Outcome {
  return {
    faults: [NO_FAULTS, NO_FAULTS, NO_FAULTS],
    effects: ["a", "b", "c"].map((letter) => `${name}-${letter}`),
    pending: 0,
    ends: Array.from({ length: 6 }, () => "turn.completed"),
  };
}

async function live(client: SallyportClient, word: string, count: () => void): Promise<string> {
  const { id } = await insist(() => client.createSession({}, { key: `${word} create` }));
  const first = script({ say: "I begin." }, bash(word), { say: "It is done." });
  await insist(() => client.prompt(id, { text: first }, { key: `${word} first` }));
  await insist(() => client.prompt(id, { text: script({ say: "And more." }) }, { key: `${word} second` }));
  const approve = approveWith(client);
  const answer = (approval: Parameters<typeof approve>[0]): Promise<unknown> =>
    insist(() => approve(approval)).catch((error: unknown) => {
      // It was taken, only the word for it was lost.
      if (!(error instanceof Failure) || error.code !== "already_answered") throw error;
    });
  const events = await untilTurnEnds(client, id, { answer, onFrame: count });
  await untilTurnEnds(client, id, { after: events.at(-1)?.seq ?? 0, onFrame: count });
  return id;
}
