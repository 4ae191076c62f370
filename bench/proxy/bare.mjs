// The control: the barest relay that Node allows, `node:http` in front and undici's `Pool.dispatch` behind. It puts a key
// on the request and nothing else: it knows nobody, counts nothing and writes nothing down.
import { createServer } from "node:http";
import { Pool } from "undici";
import { CONNECTIONS, UPSTREAM_KEY } from "./traffic.mjs";

const [upstream, manner] = process.argv.slice(2);
const pool = new Pool(upstream, { connections: CONNECTIONS * 2, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
/** Of one connection only, and the caller's own key. */
const NOT_FORWARDED = new Set(["connection", "keep-alive", "transfer-encoding", "content-length", "host", "x-api-key"]);

function forwarded(rawHeaders) {
  const headers = ["x-api-key", UPSTREAM_KEY];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (!NOT_FORWARDED.has(rawHeaders[index].toLowerCase())) headers.push(rawHeaders[index], rawHeaders[index + 1]);
  }
  return headers;
}

/** Undici's own, older handler: it gets the headers as they came, not as an object. */
class Relay {
  constructor(response) {
    this.response = response;
    this.abort = undefined;
    this.waiting = undefined;
  }

  onConnect(abort) {
    this.abort = abort;
  }

  onHeaders(status, rawHeaders, resume) {
    const headers = [];
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index].latin1Slice();
      if (name !== "transfer-encoding" && name !== "connection")
        headers.push(name, rawHeaders[index + 1].latin1Slice());
    }
    this.response.writeHead(status, headers);
    this.response.on("drain", resume);
    return true;
  }

  /** What comes in one piece from the network goes on in one piece. */
  onData(piece) {
    if (this.waiting === undefined) {
      this.waiting = [piece];
      process.nextTick(flush, this);
    } else this.waiting.push(piece);
    return !this.response.writableNeedDrain;
  }

  onComplete() {
    this.response.end(this.taken());
  }

  onError() {
    if (this.response.headersSent) this.response.destroy();
    else this.response.writeHead(502).end();
  }

  taken() {
    const { waiting } = this;
    this.waiting = undefined;
    return waiting === undefined || waiting.length === 1 ? waiting?.[0] : Buffer.concat(waiting);
  }
}

/** As it is usually written: each chunk of the answer goes on by itself, which costs a third more. */
class PlainRelay extends Relay {
  onData(piece) {
    return this.response.write(piece);
  }
}

const Manner = manner === "plain" ? PlainRelay : Relay;

function flush(relay) {
  if (relay.waiting !== undefined) relay.response.write(relay.taken());
}

function relay(request, response) {
  const pieces = [];
  request.on("data", (piece) => pieces.push(piece));
  request.on("end", () => {
    const relay = new Manner(response);
    response.on("close", () => {
      if (!response.writableFinished) relay.abort?.();
    });
    pool.dispatch(
      {
        method: request.method,
        path: request.url,
        headers: forwarded(request.rawHeaders),
        body: pieces.length === 1 ? pieces[0] : Buffer.concat(pieces),
      },
      relay,
    );
  });
}

const server = createServer({ keepAliveTimeout: 60_000 }, relay);
server.listen({ host: "127.0.0.1", port: 0, backlog: 1_024 }, () => {
  process.send({ url: `http://127.0.0.1:${server.address().port}` });
});
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));
