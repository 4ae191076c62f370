// The least server that keeps the promises of a turn with one tool call: a prompt over HTTP, the same rows in three durable
// commits of the same store, two model calls, and a stream of events to a watcher. It checks, judges and folds nothing.
import { createServer } from "node:http";
import { openSqliteStore } from "../dist/store/index.js";
import { toolDefinitions } from "../dist/tools/index.js";
import { byHand } from "./by-hand.mjs";

const [path, sim] = process.argv.slice(2);
const tools = toolDefinitions("anthropic");
const store = await openSqliteStore({
  path,
  onFatal: (error) => {
    throw error;
  },
});
const ACCOUNTS = ["turn/1", "session/1", "agent/1", "agent/1/day", "day", "total"];
const STATE = JSON.stringify({ settings: "x".repeat(700) });
const BODY = JSON.stringify({ type: "item.completed", item: { text: "x".repeat(200) } });
const MONEY = { agent: "tok_1", engine: "loop", provider: "cloud", model: "sim" };
const TOKENS = { input: 1, output: 1, cache_read: 0, cache_write: 0, cache_write_1h: 0, reasoning: 0, web_searches: 0 };
const watchers = new Set();
let turns = 0;

/** One turn, as often in a session of its own as a turn of the bench is. */
class Turn {
  #id = `ses_${(turns += 1)}`;
  #seq = 0;
  #at = new Date().toISOString();
  #reserved = 0;

  /** Commits these rows, then tells the watcher. */
  async #keep(types, { beside = {}, status = "running" } = {}) {
    const events = types.map((type) => ({ ...this.#event(), type, body: BODY }));
    const row = {
      id: this.#id,
      status,
      seq: this.#seq,
      created_at: this.#at,
      updated_at: this.#at,
      created_by: "tok_1",
    };
    const session = { ...row, unsettled: status === "running", engine: "loop", search: this.#id, token_parents: "" };
    await store.commit({ sessions: [{ ...session, state: STATE }], events, ...beside }, { atOnce: true });
    const text = events.map(({ seq, type }) => `id: ${seq}\nevent: ${type}\ndata: ${BODY}\n\n`).join("");
    for (const watcher of watchers) watcher.write(text);
  }

  #event() {
    this.#seq += 1;
    return { session_id: this.#id, seq: this.#seq, at: this.#at };
  }

  #reservation() {
    this.#reserved += 1;
    const id = `${this.#id}/${this.#reserved}`;
    return [{ id, at: this.#at, session_id: this.#id, turn_id: this.#id, ...MONEY, accounts: ACCOUNTS, amount: 1 }];
  }

  #settled() {
    const usage = {
      day: "2026-11-16",
      session: this.#id,
      turn: this.#id,
      key: "",
      ...MONEY,
      requests: 1,
      tokens: TOKENS,
    };
    return {
      endedReservations: [`${this.#id}/${this.#reserved}`],
      spending: ACCOUNTS.map((account) => ({ account, amount: 1 })),
      usage: [{ ...usage, cost_microusd: 1, bound_microusd: 0 }],
    };
  }

  async run(prompt, accepted) {
    const before = async () => {
      if (this.#reserved === 0) {
        await this.#keep(["turn.started", "session.updated"], { beside: { reservations: this.#reservation() } });
        accepted();
        return;
      }
      const beside = { ...this.#settled(), reservations: this.#reservation() };
      await this.#keep(["budget.updated", "usage.updated", "item.started", "item.completed"], { beside });
    };
    await byHand(sim, { prompt, tools, before });
    const last = ["budget.updated", "item.started", "item.completed", "usage.updated", "turn.completed"];
    await this.#keep(last, { beside: this.#settled(), status: "idle" });
  }
}

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    watchers.add(response);
    response.once("close", () => watchers.delete(response));
    return;
  }
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (text) => {
    body += text;
  });
  request.on("end", () => {
    const accepted = () => response.writeHead(202, { "content-type": "application/json" }).end("{}");
    void new Turn().run(JSON.parse(body).text, accepted);
  });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
  void store.close().then(() => process.exit(0));
});
