// Durable journal appends through the store, beside a bare prepared insert on a plain connection of the same engine, with the
// same tables and the same durability; and what an append and a fork cost as the journal grows.
//
//   npm run build && node bench/journal.mjs [--json]
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { LIMITS } from "../dist/protocol/index.js";
import { loadSqlite } from "../dist/store/sqlite/binding.js";
import { openSqliteStore } from "../dist/store/index.js";
import { encode } from "../dist/store/sqlite/operations.js";
import { WRITES } from "../dist/store/sqlite/statements.js";
import { sized } from "./size.mjs";

const SESSIONS = sized(100, 2);
const ROUNDS = sized(9, 1);
const LENGTHS = sized([1e2, 1e3, 1e4, 1e5, 1e6], [2, 3]);
/** Round 0 warms up and does not count. */
const FIRST_ROUND = sized(0, 1);
/** Growing journals are measured in so many rounds. */
const GROWN_ROUNDS = sized(ROUNDS * 3, 1);
/** Writes of each session in one round of a case. */
const STEPS = sized({ events: 30, rows: 20, batches: 30, single: 200 }, { events: 2, rows: 2, batches: 2, single: 2 });
const AT = "2026-01-01T00:00:00.000Z";
const BODY = JSON.stringify({
  type: "item.completed",
  item: { id: "item_1", type: "agent_message", text: "x".repeat(330) },
});
const STATE = JSON.stringify({ turns: 1, text: "y".repeat(1_000) });

const sessionId = (index) => `ses_01k9${String(index).padStart(18, "0")}`;
const median = (values) => values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];

function eventRow(session, seq) {
  return { session_id: sessionId(session), seq, at: AT, type: "item.completed", body: BODY };
}

function sessionRow(session, seq, parent) {
  return {
    id: sessionId(session),
    status: "working",
    seq,
    created_at: AT,
    updated_at: AT,
    created_by: "tok_1",
    ...(parent === undefined ? {} : { parent_id: sessionId(parent.session), parent_seq: parent.seq }),
    unsettled: true,
    engine: "loop",
    search: `${sessionId(session)}\nmend the gate\n/srv/work/gate\nzoe`,
    token_parents: "",
    state: STATE,
  };
}

function openStore(path) {
  return openSqliteStore({
    path,
    onFatal: (error) => {
      throw error;
    },
  });
}

/** A plain connection to tables that the store made, with the store's own settings. */
async function openPlain(path) {
  await (await openStore(path)).close();
  const database = (await loadSqlite())(path);
  database.exec(`
    PRAGMA synchronous = FULL;
    PRAGMA cache_size = -${LIMITS.storeCacheKib};
    PRAGMA wal_autocheckpoint = ${LIMITS.storeCheckpointPages};
    PRAGMA journal_size_limit = ${LIMITS.storeWalBytes};
  `);
  const event = rowMaker(database, { sql: WRITES.event, write: { events: [eventRow(0, 0)] } });
  const session = rowMaker(database, { sql: WRITES.session, write: { sessions: [sessionRow(0, 0)] } });
  return {
    transaction(work) {
      database.exec("BEGIN IMMEDIATE");
      work();
      database.exec("COMMIT");
    },
    event: (index, seq) => event({ session_id: sessionId(index), seq }),
    session: (index, seq) => session({ id: sessionId(index), seq, search: sessionRow(index, seq).search }),
    close: () => database.close(),
  };
}

/** The store's own statement with the store's own values, but for those columns that are given. */
function rowMaker(database, { sql, write }) {
  const statement = database.prepare(sql);
  const columns = /\(([^)]+)\)/
    .exec(sql)[1]
    .split(",")
    .map((name) => name.trim());
  const [[, usual]] = encode(write).operations;
  const places = new Map(columns.map((name, place) => [name, place]));
  return (given) => {
    const values = [...usual];
    for (const name in given) values[places.get(name)] = given[name];
    statement.run(...values);
  };
}

/** Each case appends `rows` events; `from` is the last seq of every session so far. */
const CASES = [
  {
    name: `${SESSIONS} sessions, one event each, group commit`,
    rows: SESSIONS * STEPS.events,
    store: async (store, from) => {
      await Promise.all(
        Array.from({ length: SESSIONS }, async (_, session) => {
          for (let step = 1; step <= STEPS.events; step += 1)
            await store.commit({ events: [eventRow(session, from + step)] });
        }),
      );
      return from + STEPS.events;
    },
    plain: (plain, from) => {
      for (let step = 1; step <= STEPS.events; step += 1) {
        plain.transaction(() => {
          for (let session = 0; session < SESSIONS; session += 1) plain.event(session, from + step);
        });
      }
    },
  },
  {
    name: `${SESSIONS} sessions, one event and the session's row each, group commit`,
    rows: SESSIONS * STEPS.rows,
    store: async (store, from) => {
      await Promise.all(
        Array.from({ length: SESSIONS }, async (_, session) => {
          for (let step = 1; step <= STEPS.rows; step += 1) {
            const seq = from + step;
            await store.commit({ sessions: [sessionRow(session, seq)], events: [eventRow(session, seq)] });
          }
        }),
      );
      return from + STEPS.rows;
    },
    plain: (plain, from) => {
      for (let step = 1; step <= STEPS.rows; step += 1) {
        plain.transaction(() => {
          for (let session = 0; session < SESSIONS; session += 1) {
            plain.session(session, from + step);
            plain.event(session, from + step);
          }
        });
      }
    },
  },
  {
    name: "1 session, 100 events in one write",
    rows: 100 * STEPS.batches,
    store: async (store, from) => {
      for (let step = 0; step < STEPS.batches; step += 1) {
        const events = Array.from({ length: 100 }, (_, index) => eventRow(0, from + step * 100 + index + 1));
        await store.commit({ events });
      }
      return from + STEPS.batches * 100;
    },
    plain: (plain, from) => {
      for (let step = 0; step < STEPS.batches; step += 1) {
        plain.transaction(() => {
          for (let index = 1; index <= 100; index += 1) plain.event(0, from + step * 100 + index);
        });
      }
    },
  },
  {
    name: "1 session, one event at a time",
    rows: STEPS.single,
    store: async (store, from) => {
      for (let step = 1; step <= STEPS.single; step += 1) await store.commit({ events: [eventRow(0, from + step)] });
      return from + STEPS.single;
    },
    plain: (plain, from) => {
      for (let step = 1; step <= STEPS.single; step += 1) plain.transaction(() => plain.event(0, from + step));
    },
  },
];

async function compare(folder) {
  const results = [];
  for (const [index, { name, rows, store: throughStore, plain: byHand }] of CASES.entries()) {
    const store = await openStore(join(folder, `store-${index}.db`));
    const plain = await openPlain(join(folder, `plain-${index}.db`));
    const rates = { store: [], plain: [], ratio: [] };
    let from = 0;
    // They take turns at who goes first.
    for (let round = FIRST_ROUND; round <= ROUNDS; round += 1) {
      const took = {};
      let next = from;
      const runs = [
        ["store", async () => (next = await throughStore(store, from))],
        ["plain", async () => byHand(plain, from)],
      ];
      if (round % 2 === 1) runs.reverse();
      for (const [who, run] of runs) {
        const start = performance.now();
        await run();
        took[who] = performance.now() - start;
      }
      from = next;
      if (round === 0) continue;
      rates.store.push((rows / took.store) * 1_000);
      rates.plain.push((rows / took.plain) * 1_000);
      rates.ratio.push(took.plain / took.store);
    }
    plain.close();
    await store.close();
    results.push({
      name,
      store_per_second: Math.round(median(rates.store)),
      plain_per_second: Math.round(median(rates.plain)),
      ratio: Number(median(rates.ratio).toFixed(2)),
    });
  }
  return results;
}

async function grown(folder, length) {
  const path = join(folder, `grown-${length}.db`);
  const plain = await openPlain(path);
  for (let from = 0; from < length; from += 10_000) {
    plain.transaction(() => {
      if (from === 0) plain.session(0, length);
      for (let seq = from + 1; seq <= Math.min(from + 10_000, length); seq += 1) plain.event(0, seq);
    });
  }
  plain.close();
  return { length, store: await openStore(path), seq: length, forks: 0, append: [], fork: [] };
}

/** All lengths are open at once and take turns, so that a slow moment of the machine hits all of them. */
async function growth(folder) {
  const journals = [];
  for (const length of LENGTHS) journals.push(await grown(folder, length));
  for (let round = FIRST_ROUND; round <= GROWN_ROUNDS; round += 1) {
    for (const journal of journals) {
      const { store } = journal;
      const writes = Array.from({ length: 100 }, () => ({ events: [eventRow(0, (journal.seq += 1))] }));
      const appendStart = performance.now();
      await Promise.all(writes.map((write) => store.commit(write)));
      const append = performance.now() - appendStart;
      const forks = Array.from({ length: 100 }, () => {
        const child = (journal.forks += 1);
        const parent = { session: 0, seq: journal.length };
        return {
          sessions: [sessionRow(child, journal.length + 1, parent)],
          events: [eventRow(child, journal.length + 1)],
        };
      });
      const forkStart = performance.now();
      await Promise.all(forks.map((write) => store.commit(write)));
      const fork = performance.now() - forkStart;
      if (round === 0) continue;
      journal.append.push((append / 100) * 1_000);
      journal.fork.push((fork / 100) * 1_000);
    }
  }
  for (const { store } of journals) await store.close();
  return journals.map(({ length, append, fork }) => ({
    length,
    append_us: Math.round(median(append)),
    fork_us: Math.round(median(fork)),
  }));
}

/** Answers the figures of one run. */
export async function journalBench() {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-journal-"));
  try {
    const cpu = cpus();
    return {
      machine: { node: process.version, cpus: cpu.length, model: cpu[0]?.model ?? "unknown" },
      appends: await compare(folder),
      growth: await growth(folder),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function markdown({ machine, appends, growth }) {
  return [
    `Node ${machine.node}, ${machine.cpus} x ${machine.model}; medians of ${ROUNDS} rounds, control and subject in turn.`,
    "",
    "| durable appends (events/s) | store | bare insert | ratio |",
    "| --- | ---: | ---: | ---: |",
    ...appends.map((row) => `| ${row.name} | ${row.store_per_second} | ${row.plain_per_second} | ${row.ratio} |`),
    "",
    "| events in the journal | append (µs each, 100 per commit) | fork (µs each, 100 per commit) |",
    "| ---: | ---: | ---: |",
    ...growth.map((row) => `| ${row.length} | ${row.append_us} | ${row.fork_us} |`),
  ].join("\n");
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const figures = await journalBench();
  console.log(process.argv.includes("--json") ? JSON.stringify(figures) : markdown(figures));
}
