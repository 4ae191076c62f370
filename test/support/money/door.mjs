// The rooms behind a model request (store, ledger, prices, providers, proxy) on a home folder, as a process that can be
// killed. With "relay": "check-then-add" the proxy is replaced by the control.
//   node door.mjs <config.json>
// Prints {"kind":"open",…} with the sessions' keys, then answers commands on standard input: `books` and `stop`.
import { randomBytes } from "node:crypto";
import { readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openLedger, openPriceBook } from "../../../dist/ledger/index.js";
import { makeNewId, makeRedactor } from "../../../dist/protocol/index.js";
import { openProviders, openProxy, ProviderBreaker } from "../../../dist/proxy/index.js";
import { openSqliteStore } from "../../../dist/store/index.js";
import { openControl } from "./control.mjs";

const SETTLE_MS = 10_000;

const say = (message) => writeSync(1, `${JSON.stringify(message)}\n`);
const config = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const { home, relay, startAt, sessions, prices, providers, accounts } = config;
const begun = performance.now();
const now = () => startAt + Math.floor(performance.now() - begun);
const newId = makeNewId(now, (bytes) => randomBytes(bytes.length).copy(bytes) && bytes);
const log = {
  info: () => undefined,
  warn: () => undefined,
  error: (fields, text) => say({ kind: "log", text, fields }),
};

const store = await openSqliteStore({
  path: join(home, "sallyport.db"),
  onFatal: (error) => {
    throw error;
  },
});
const tally = { outcomes: {}, shortages: {}, told: 0 };
const count = (of, name) => {
  of[name] = (of[name] ?? 0) + 1;
};
const told = (exchange) => {
  tally.told += 1;
  count(tally.outcomes, exchange.code ?? exchange.outcome);
  const kind = exchange.shortage?.kind;
  if (kind === undefined) return;
  // A kill must not lose which limits were reached.
  if (tally.shortages[kind] === undefined) say({ kind: "short", of: kind });
  count(tally.shortages, kind);
};

const app =
  relay === "ledger"
    ? await openReal()
    : await openControl({ home, store, prices, sessions, provider: providers.bank, key: process.env.BANK_KEY_1 });

async function openReal() {
  const redact = makeRedactor([]);
  const ledger = await openLedger({ store, now, newId, log });
  const book = openProviders({
    settings: () => providers,
    environment: process.env,
    now,
    learn: (secret) => redact.learn(secret),
    log,
  });
  // An hour passes between any two of its looks, so that it never stops the requests: it would spare the ledger the faults.
  let hour = 0;
  const breaker = new ProviderBreaker(() => (hour += 3_600_000));
  const proxy = await openProxy({
    breaker,
    home,
    tcpPort: 0,
    ledger,
    prices: openPriceBook(() => prices),
    providers: book,
    now,
    elapsed: now,
    newId,
    log,
    redact,
    told,
  });
  const keys = Object.fromEntries(
    sessions.map((session) => [session.session_id, proxy.lease({ context: () => session }).key]),
  );
  return {
    tcpUrl: proxy.tcpUrl,
    socketUrl: proxy.socketUrl,
    keys,
    balance: (account) => ledger.balance(account),
    flush: () => ledger.flush(),
    close: async () => {
      await proxy.close();
      book.close();
      await ledger.flush();
    },
  };
}

/** Requests whose caller left are settled when the proxy has noticed: nothing may stay set aside. */
async function settled() {
  const until = performance.now() + SETTLE_MS;
  while ((await app.balance("total")).reserved > 0 && performance.now() < until)
    await new Promise((resolve) => setTimeout(resolve, 5));
  await app.flush();
}

async function books() {
  await settled();
  const balances = {};
  for (const account of accounts) balances[account] = await app.balance(account);
  const usage = await store.read.usage({ by: ["provider"], limit: 10 });
  const reservations = await store.read.reservations();
  say({
    kind: "books",
    balances,
    reservations: reservations.length,
    usage,
    tally,
    memoryMib: Math.round(process.memoryUsage.rss() / 2 ** 20),
  });
}

say({ kind: "open", tcpUrl: app.tcpUrl, socketPath: app.socketUrl.replace(/^unix:/, ""), keys: app.keys });
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "books") await books();
  if (line === "stop") break;
}
await app.close();
await store.close();
say({ kind: "closed" });
