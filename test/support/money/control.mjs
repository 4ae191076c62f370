// The control: a relay that guards money the way gateways usually do. It reads what was spent, compares, forwards, and adds
// the cost when the answer has told its usage. Same wires, same prices, same store; only the meter is another.
import { randomBytes } from "node:crypto";
import { createServer, request as httpRequest } from "node:http";
import { join } from "node:path";
import { costOf, openPriceBook } from "../../../dist/ledger/index.js";
import { NO_TOKENS } from "../../../dist/protocol/index.js";

export async function openControl({ home, store, prices, sessions, provider, key }) {
  const book = openPriceBook(() => prices);
  const keys = Object.fromEntries(sessions.map(({ session_id }) => [session_id, randomBytes(16).toString("hex")]));
  const byKey = new Map(sessions.map((session) => [keys[session.session_id], session]));
  const writing = new Set();

  async function hasMoney({ spendingLimits }) {
    for (const { account, limit } of spendingLimits)
      if (limit !== undefined && (await store.read.spent(account)) >= limit) return false;
    return true;
  }

  function add({ spendingLimits }, { model, text }) {
    const tokens = usageIn(text);
    const price = book.priceOf({ id: "bank", free: false }, model)?.price;
    if (tokens === undefined || price === undefined) return;
    const amount = costOf(price, tokens);
    const accounts = [...new Set(spendingLimits.map(({ account }) => account))];
    const durable = store.commit({ spending: accounts.map((account) => ({ account, amount })) });
    writing.add(durable);
    durable.finally(() => writing.delete(durable));
  }

  async function serve(incoming, response) {
    const given = incoming.headers["x-api-key"] ?? incoming.headers.authorization?.replace(/^Bearer /, "");
    const session = byKey.get(given);
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (session === undefined || !(await hasMoney(session))) {
      response.writeHead(402, { "x-sallyport-code": "budget_exceeded" }).end("{}");
      return;
    }
    const anthropic = incoming.url === "/v1/messages";
    const parsed = JSON.parse(body.toString("utf8"));
    const asked =
      incoming.url === "/v1/chat/completions" && parsed.stream
        ? { ...parsed, stream_options: { include_usage: true } }
        : parsed;
    const sent = Buffer.from(JSON.stringify(asked));
    const outgoing = httpRequest(`${provider.base_url}${incoming.url}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "content-length": String(sent.length),
        ...(anthropic ? { "x-api-key": key } : { authorization: `Bearer ${key}` }),
      },
    });
    const gone = () => {
      outgoing.destroy();
      response.destroy();
    };
    response.on("close", () => outgoing.destroy());
    outgoing.on("error", gone);
    outgoing.on("response", (answer) => {
      let text = "";
      response.writeHead(answer.statusCode ?? 502, { "content-type": answer.headers["content-type"] ?? "text/plain" });
      answer.on("error", gone);
      answer.on("data", (chunk) => {
        text += chunk.toString("utf8");
        response.write(chunk);
      });
      answer.on("end", () => {
        add(session, { model: asked.model, text });
        response.end();
      });
    });
    outgoing.end(sent);
  }

  const handle = (incoming, response) => {
    response.on("error", () => undefined);
    serve(incoming, response).catch(() => response.destroy());
  };
  const tcp = createServer(handle);
  const unix = createServer(handle);
  const path = join(home, `control-${process.pid}.sock`);
  await new Promise((resolve) => tcp.listen(0, "127.0.0.1", resolve));
  await new Promise((resolve) => unix.listen(path, resolve));
  return {
    tcpUrl: `http://127.0.0.1:${tcp.address().port}`,
    socketUrl: `unix:${path}`,
    keys,
    balance: async (account) => ({ spent: await store.read.spent(account), reserved: 0 }),
    flush: () => Promise.all(writing),
    close: async () => {
      for (const server of [tcp, unix]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

/** The last usage that an answer tells, whatever its wire. */
function usageIn(text) {
  const found = [];
  for (const line of text.split("\n")) {
    const data = line.startsWith("data: ") ? line.slice(6) : line;
    if (!data.startsWith("{")) continue;
    try {
      const value = JSON.parse(data);
      found.push(value.usage ?? value.message?.usage ?? value.response?.usage ?? {});
    } catch {
      // Half an answer tells nothing.
    }
  }
  const usage = Object.assign({}, ...found);
  if (Object.keys(usage).length === 0) return undefined;
  const cached = usage.prompt_tokens_details?.cached_tokens ?? usage.input_tokens_details?.cached_tokens ?? 0;
  return {
    ...NO_TOKENS,
    input: (usage.prompt_tokens ?? usage.input_tokens ?? 0) - cached,
    output: usage.completion_tokens ?? usage.output_tokens ?? 0,
    cache_read: cached + (usage.cache_read_input_tokens ?? 0),
    cache_write: usage.cache_creation?.ephemeral_5m_input_tokens ?? 0,
    cache_write_1h: usage.cache_creation?.ephemeral_1h_input_tokens ?? 0,
  };
}
