// The model proxy as the app opens it: its own store with its promises on the disk, ledger, prices, limits, rates,
// request log and metrics. Only the sessions are made up: fifty, each with a key of its own.
import { join } from "node:path";
import { ACCOUNTS, dayOf, openLedger, openPriceBook } from "../../dist/ledger/index.js";
import { makeNewId, makeRedactor } from "../../dist/protocol/index.js";
import { openProviders, openProxy, ProviderBreaker } from "../../dist/proxy/index.js";
import { openSqliteStore } from "../../dist/store/index.js";
import { openRequestLog, openTelemetry } from "../../dist/telemetry/index.js";
import { UPSTREAM_KEY } from "./traffic.mjs";

const SESSIONS = 50;
const AGENTS = 10;
/** A million dollars: limits that are checked and never reached. */
const LIMIT = 1e12;
const RATE = { requests_per_minute: 1e9, tokens_per_minute: 1e12 };
/** Micro-USD per million tokens. */
const PRICES = {
  "claude-*": { input: 3e6, output: 15e6, cache_read: 3e5, cache_write: 3_750_000, cache_write_1h: 6e6 },
};

const [upstream, home] = process.argv.slice(2);
const now = () => Date.now();
const newId = makeNewId(now, (bytes) => crypto.getRandomValues(bytes));
const redact = makeRedactor([UPSTREAM_KEY]);
const complain = (fields, message) => console.error(message, fields);
const log = { info: () => undefined, warn: complain, error: complain };

const store = await openSqliteStore({
  path: join(home, "sallyport.db"),
  onFatal: (error) => {
    throw error;
  },
});
const ledger = await openLedger({ store, now, newId, log });
const prices = openPriceBook(() => PRICES);
const settings = {};
const providers = openProviders({
  settings: () => settings,
  environment: { ANTHROPIC_API_KEY: UPSTREAM_KEY, ANTHROPIC_BASE_URL: upstream },
  now,
  learn: () => undefined,
  log,
});
const telemetry = await openTelemetry({ version: "bench", now, log, redact });
const requestLog = openRequestLog({ folder: join(home, "logs"), redact, now, log });
const told = (exchange) => {
  if (exchange.outcome !== "completed" || exchange.cost_microusd === 0) {
    complain(exchange, "a request was not metered");
  }
  telemetry.exchange(exchange);
  requestLog.exchange(exchange);
};
const elapsed = () => performance.now();
const proxy = await openProxy({
  breaker: new ProviderBreaker(elapsed),
  elapsed,
  home,
  tcpPort: 0,
  ledger,
  prices,
  providers,
  now,
  newId,
  log,
  redact,
  told,
});

function holder(index) {
  const session_id = newId("ses");
  const turn_id = newId("turn");
  const agent = `tok_${index % AGENTS}`;
  return {
    context: () => {
      const day = dayOf(now());
      return {
        session_id,
        turn_id,
        agent,
        engine: "loop",
        provider: "cloud",
        allowedModels: ["claude-*"],
        blockedModels: ["claude-old-*"],
        maxContextTokens: 200_000,
        spendingLimits: [
          { kind: "turn", account: ACCOUNTS.turn(turn_id), limit: LIMIT },
          { kind: "session", account: ACCOUNTS.session(session_id), limit: LIMIT },
          { kind: "agent_day", account: ACCOUNTS.agentDay(agent, day), limit: LIMIT },
          { kind: "day", account: ACCOUNTS.day(day), limit: LIMIT },
          { kind: "total", account: ACCOUNTS.total, limit: LIMIT },
        ],
        sessionRate: RATE,
        agentRate: RATE,
      };
    },
  };
}

const keys = Array.from({ length: SESSIONS }, (_, index) => proxy.lease(holder(index)).key);
let closing = false;
async function close() {
  if (closing) return;
  closing = true;
  await proxy.close();
  await ledger.flush();
  await requestLog.close();
  await telemetry.close();
  await store.close();
  process.exit(0);
}
process.on("disconnect", () => void close());
process.on("SIGTERM", () => void close());
process.send({ url: proxy.tcpUrl, keys });
