// A search in one conversation of 10,000 items and across 100 conversations, through the server, beside a plain scan of the same journal in the
// same process; and what a durable append costs while the index follows, beside an append without it.
//
//   npm run build && node bench/search.mjs [--quick]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { searchTerms } from "../dist/protocol/index.js";
import { openSqliteStore, openTextSearch } from "../dist/store/index.js";
import { median } from "./children.mjs";
import { sized } from "./size.mjs";

const ITEMS = sized(10_000, 60);
const OTHERS = sized(100, 3);
const OTHER_ITEMS = sized(1_000, 20);
const ROUNDS = sized(41, 3);
const APPENDS = sized(300, 5);
const AT = Date.UTC(2026, 0, 1);
const WORDS = ["gate", "build", "parser", "socket", "budget", "journal", "worker", "policy", "commit", "handle"];

/** The same pseudo-random numbers each time. */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state;
  };
}

const next = numbers(11);
const sentence = (count) =>
  Array.from({ length: count }, () => `${WORDS[next() % WORDS.length]}${next() % 500}`).join(" ");
const sessionId = (index) => `ses_01k9${String(index).padStart(18, "0")}`;

function eventRow(session, seq, text) {
  const item = { id: `item_${seq}`, type: "agent_message", status: "completed", text };
  const at = new Date(AT + seq * 1_000).toISOString();
  return {
    session_id: session,
    seq,
    at,
    type: "item.completed",
    body: JSON.stringify({ type: "item.completed", item }),
  };
}

function sessionRow(id, seq) {
  const at = new Date(AT).toISOString();
  const rest = { created_by: "tok_1", unsettled: false, engine: "loop", search: id, token_parents: "", state: "{}" };
  return { id, status: "idle", seq, created_at: at, updated_at: at, ...rest };
}

async function fill(store, id, items) {
  const events = Array.from({ length: items }, (_, index) => {
    const rare = index === Math.floor(items / 3) ? " xylophone" : "";
    return eventRow(id, index + 1, `${sentence(60)}${rare}`);
  });
  await store.commit({ sessions: [sessionRow(id, items)], events });
}

/** What somebody does who has no index: every event is read, parsed and looked at. */
async function scan(store, sessions, word) {
  let found = 0;
  for (const session_id of sessions) {
    for (let after = 0; ;) {
      const rows = await store.read.events({ session_id, after, limit: 1_000 });
      for (const { body } of rows) if (JSON.parse(body).item.text.toLowerCase().includes(word)) found += 1;
      if (rows.length < 1_000) break;
      after = rows.at(-1).seq;
    }
  }
  return found;
}

async function timed(work) {
  const begun = performance.now();
  const answer = await work();
  return { ms: performance.now() - begun, answer };
}

async function compare({ store, search, sessions, word, within }) {
  const [ours, plain] = [[], []];
  let counts = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const query = { terms: searchTerms(word), limit: 200, within };
    const one = await timed(() => search.search(query, []));
    ours.push(one.ms);
    // The scan is so slow that a few rounds are enough.
    if (round % 8 !== 0) continue;
    const other = await timed(() => scan(store, sessions, word));
    plain.push(other.ms);
    counts = [one.answer.found.length, other.answer];
  }
  const sorted = [...ours].sort((left, right) => left - right);
  const rounded = (ms) => Math.round(ms * 100) / 100;
  return {
    hits: counts[0],
    hits_of_scan: counts[1],
    search_ms: rounded(median(ours)),
    worst_ms: rounded(sorted.at(-1)),
    scan_ms: rounded(median(plain)),
    scan_per_search: Math.round(median(plain) / median(ours)),
  };
}

/** Durable appends one after the other, each as soon as the last one is on the disk. */
async function appends(store, id, { search }) {
  await store.commit({ sessions: [sessionRow(id, 0)] });
  const over = new AbortController();
  // A server lets the index wait for five seconds; here it follows ten times a second.
  const following = (async () => {
    if (search === undefined) return;
    while (!over.signal.aborted) {
      await search.follow([id]);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  const { ms } = await timed(async () => {
    for (let seq = 1; seq <= APPENDS; seq += 1)
      await store.commit({ sessions: [sessionRow(id, seq)], events: [eventRow(id, seq, sentence(60))] });
  });
  over.abort();
  await following;
  return ms / APPENDS;
}

export async function searchBench() {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-bench-search-"));
  const path = join(folder, "sallyport.db");
  const onFatal = (error) => {
    throw error;
  };
  const store = await openSqliteStore({ path, onFatal });
  const search = openTextSearch({ path });
  try {
    const long = sessionId(0);
    await fill(store, long, ITEMS);
    const others = Array.from({ length: OTHERS }, (_, index) => sessionId(index + 1));
    for (const id of others) await fill(store, id, OTHER_ITEMS);
    const indexed = await timed(async () => {
      while (!(await search.follow([])));
    });
    const within = [{ session_id: long, after: 0, upto: ITEMS }];
    const all = [long, ...others];
    const common = `${WORDS[0]}1`;
    const compared = {
      one_rare: await compare({ store, search, sessions: [long], word: "xylophone", within }),
      one_common: await compare({ store, search, sessions: [long], word: common, within }),
      all_rare: await compare({ store, search, sessions: all, word: "xylophone" }),
      all_common: await compare({ store, search, sessions: all, word: common }),
    };
    const [without, beside] = [[], []];
    for (let round = 0; round < sized(7, 1); round += 1) {
      without.push(await appends(store, sessionId(10_000 + round), {}));
      beside.push(await appends(store, sessionId(20_000 + round), { search }));
    }
    const microseconds = (ms) => Math.round(ms * 1_000);
    return {
      items: ITEMS,
      items_of_all: ITEMS + OTHERS * OTHER_ITEMS,
      indexed_per_s: Math.round(((ITEMS + OTHERS * OTHER_ITEMS) / indexed.ms) * 1_000),
      ...compared,
      append_us: microseconds(median(without)),
      append_beside_index_us: microseconds(median(beside)),
      append_ratio: Math.round((median(beside) / median(without)) * 100) / 100,
    };
  } finally {
    await search.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) console.log(JSON.stringify(await searchBench(), null, 2));
