// The callers: plain sockets that look at no more of an answer than where it ends and, in paced streams, at the times in it.
import { connect } from "node:net";
import { percentile } from "../children.mjs";
import { CONNECTIONS, microseconds, PACE_MS, PACED_EVENTS, requestBody, requestHead } from "./traffic.mjs";

const ANSWER_END = "0\r\n\r\n";
const STATUS = "HTTP/1.1 200";
/** A paced stream takes a second and a half; nothing here waits longer than this for anything. */
const PATIENCE_MS = 20_000;
const STREAM_MS = PACED_EVENTS * PACE_MS;

function requests(subject, paced) {
  const body = requestBody(paced);
  return Array.from({ length: CONNECTIONS }, (_, index) => {
    const headers = subject.headers[index % subject.headers.length];
    return Buffer.from(requestHead(headers, Buffer.byteLength(body)) + body, "latin1");
  });
}

/** One keep-alive connection that asks again as soon as it is told to. */
class Caller {
  constructor(subject, request) {
    const { hostname, port } = new URL(subject.url);
    this.request = request;
    this.asked = 0;
    this.tail = "";
    this.onPiece = () => undefined;
    this.settle = undefined;
    this.socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.socket.setTimeout(PATIENCE_MS, () => this.fail(new Error("no answer in time")));
    this.socket.on("error", (error) => this.fail(error));
    this.socket.on("close", () => this.fail(new Error("the connection was closed")));
    this.socket.on("data", (piece) => this.take(piece));
  }

  opened() {
    return new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
      this.socket.once("connect", () => this.done());
    });
  }

  /** Resolves when the answer is whole. */
  ask() {
    this.asked = microseconds();
    this.first = true;
    this.tail = "";
    return new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
      this.socket.write(this.request);
    });
  }

  take(piece) {
    const now = microseconds();
    const text = piece.latin1Slice();
    if (this.first) {
      this.first = false;
      this.onFirst?.(now - this.asked, now);
      if (!text.startsWith(STATUS)) return this.fail(new Error(`answered ${text.slice(0, 200)}`));
    }
    this.onText?.(text, now);
    if (text.endsWith(ANSWER_END)) return this.end(this.tail + text);
    this.tail = (text.length < 256 ? this.tail + text : text).slice(-256);
    if (this.tail.endsWith(ANSWER_END)) this.end(this.tail);
  }

  end(text) {
    if (text.includes("message_stop")) this.done();
    else this.fail(new Error(`the answer ends with ${text.slice(-200)}`));
  }

  done() {
    const { settle } = this;
    this.settle = undefined;
    settle?.resolve();
  }

  fail(error) {
    const { settle } = this;
    this.settle = undefined;
    this.socket.destroy();
    settle?.reject(error);
  }

  close() {
    this.settle = undefined;
    this.socket.destroy();
  }
}

async function callers(subject, paced) {
  const all = requests(subject, paced).map((request) => new Caller(subject, request));
  await Promise.all(all.map((caller) => caller.opened()));
  return all;
}

function wait(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** All connections ask without a pause: how many answers a second in `ms` after `warm_ms`. */
async function throughput({ subject, warm_ms, ms }) {
  const all = await callers(subject, false);
  const began = microseconds();
  const from = began + warm_ms * 1e3;
  const until = from + ms * 1e3;
  let answers = 0;
  let counted = 0;
  let failed = 0;
  let why;
  await Promise.all(
    all.map(async (caller) => {
      try {
        for (let now = began; now < until;) {
          await caller.ask();
          now = microseconds();
          answers += 1;
          if (now >= from && now < until) counted += 1;
        }
      } catch (error) {
        failed += 1;
        why ??= error.message;
      }
    }),
  );
  for (const caller of all) caller.close();
  return { per_second: counted / (ms / 1e3), requests: answers, failed, why };
}

/**
 * All connections stream, begun one after the other over the length of one stream, two streams each. Counted is what
 * comes while all of them are open.
 */
async function paced({ subject }) {
  const all = await callers(subject, true);
  const began = microseconds();
  const from = began + STREAM_MS * 1e3;
  const until = from + STREAM_MS * 1e3;
  const firsts = [];
  const delays = [];
  let events = 0;
  let streams = 0;
  let failed = 0;
  let why;
  await Promise.all(
    all.map(async (caller, index) => {
      let seen = 0;
      let rest = "";
      caller.onFirst = (took, now) => {
        if (now >= from && now < until) firsts.push(took);
      };
      caller.onText = (text, now) => {
        rest += text;
        let at = 0;
        for (let open = rest.indexOf("@", at); open !== -1; open = rest.indexOf("@", at)) {
          const close = rest.indexOf("@", open + 1);
          if (close === -1) break;
          seen += 1;
          if (now >= from && now < until) delays.push(now - Number(rest.slice(open + 1, close)));
          at = close + 1;
        }
        const open = rest.indexOf("@", at);
        rest = open === -1 ? "" : rest.slice(open);
      };
      try {
        await wait((index / CONNECTIONS) * STREAM_MS);
        for (let round = 0; round < 2; round += 1) {
          seen = 0;
          await caller.ask();
          streams += 1;
          events += seen;
          if (seen !== PACED_EVENTS) throw new Error(`${seen} of ${PACED_EVENTS} events came`);
        }
      } catch (error) {
        failed += 1;
        why ??= error.message;
      }
    }),
  );
  for (const caller of all) caller.close();
  const figures = (values) => ({ p50: percentile(values, 0.5) / 1e3, p99: percentile(values, 0.99) / 1e3 });
  return { first_byte_ms: figures(firsts), event_ms: figures(delays), events, streams, failed, why };
}

const answers = { throughput, paced };
process.on("message", (question) => {
  void answers[question.part](question).then(
    (answer) => process.send(answer),
    (error) => process.send({ failed: CONNECTIONS, why: error.message }),
  );
});
process.on("disconnect", () => process.exit(0));
process.send({});
