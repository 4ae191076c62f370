import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import { gate, json, MESSAGE, World } from "./world.ts";

const BODY = JSON.stringify(MESSAGE);
const ANSWER = { type: "message", usage: { input_tokens: 10, output_tokens: 5 } };

let world: World;
beforeAll(async () => {
  world = await World.open();
  world.behaviour = (_, response) => json(response, ANSWER);
});
beforeEach(() => {
  world.exchanges.length = 0;
});
afterAll(() => world[Symbol.asyncDispose]());

/** The head of a request that would be taken, with lines of the test's own. */
function head(lines: readonly string[], end = "\r\n"): string {
  return ["POST /v1/messages HTTP/1.1", "host: x", `x-api-key: ${world.lease.key}`, ...lines, "", ""].join(end);
}

const good = (): string => head([`content-length: ${BODY.length}`]) + BODY;
/** A good request where a body might be. */
const hidden = (): string => `0\r\n\r\n${good()}`;

/** The status and the code of each answer in what came back. */
function answersIn(text: string): readonly string[] {
  return text
    .split("HTTP/1.1 ")
    .slice(1)
    .map((answer) => `${answer.slice(0, 3)} ${/^x-sallyport-code: (\w+)/m.exec(answer)?.[1] ?? ""}`.trim());
}

const SMUGGLING: readonly (readonly [string, () => string])[] = [
  ["both lengths", () => head([`content-length: ${hidden().length}`, "transfer-encoding: chunked"]) + hidden()],
  ["both lengths, turned round", () => head(["transfer-encoding: chunked", "content-length: 6"]) + hidden()],
  ["two lengths", () => head(["content-length: 5", `content-length: ${good().length}`]) + good()],
  ["the same length twice", () => head([`content-length: ${BODY.length}`, `content-length: ${BODY.length}`]) + BODY],
  ["a list of lengths", () => head([`content-length: 5, ${BODY.length}`]) + BODY],
  ["a length with a sign", () => head([`content-length: +${BODY.length}`]) + BODY],
  ["a length that is none", () => head(["content-length: 0x10"]) + BODY],
  ["a length beyond numbers", () => head(["content-length: 99999999999999999999999"]) + BODY],
  ["another coding after chunked", () => head(["transfer-encoding: chunked, identity"]) + hidden()],
  ["an unknown coding", () => head(["transfer-encoding: xchunked"]) + hidden()],
  ["a coding in disguise", () => head(["transfer-encoding: \u000bchunked"]) + hidden()],
  ["a space before the colon", () => head([`content-length : ${BODY.length}`]) + BODY],
  ["a folded header", () => head(["x-a: b", " transfer-encoding: chunked", `content-length: ${BODY.length}`]) + BODY],
  ["line feeds alone", () => head([`content-length: ${BODY.length}`], "\n") + BODY],
  ["a lone carriage return", () => head([`x-a: b\rcontent-length: ${BODY.length}`]) + BODY],
  ["a zero byte", () => head(["x-a: b\0c", `content-length: ${BODY.length}`]) + BODY],
  ["a chunk of no size", () => head(["transfer-encoding: chunked"]) + `zz\r\n${BODY}\r\n0\r\n\r\n`],
  [
    "a chunk of a size in hex with a prefix",
    () => head(["transfer-encoding: chunked"]) + `0x5\r\n${BODY}\r\n0\r\n\r\n`,
  ],
  ["a chunk of a size below zero", () => head(["transfer-encoding: chunked"]) + `-5\r\n${BODY}\r\n0\r\n\r\n`],
  ["a chunk of a size beyond numbers", () => head(["transfer-encoding: chunked"]) + `ffffffffffffffffff\r\n${BODY}`],
  ["a chunk that is longer than it says", () => head(["transfer-encoding: chunked"]) + `5\r\n${BODY}\r\n0\r\n\r\n`],
  [
    "chunks that end in line feeds",
    () => head(["transfer-encoding: chunked"]) + `${BODY.length.toString(16)}\n${BODY}\n0\n\n`,
  ],
  ["no HTTP at all", () => "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003".repeat(10)],
  ["a version that there is not", () => good().replace("HTTP/1.1", "HTTP/9.9")],
  ["no host", () => good().replace("host: x\r\n", "")],
];

describe("what can be read in two ways is not read at all", () => {
  test.each(SMUGGLING)("%s", async (_, bytes) => {
    const text = await world.raw(Buffer.from(bytes(), "latin1"), (socket) => void socket.end());
    expect([answersIn(text).slice(0, 1), world.arrivals, await world.balance()]).toEqual([
      [expect.stringMatching(/^400/)],
      [],
      { spent: 0, reserved: 0 },
    ]);
    expect(world.exchanges.filter(({ outcome }) => outcome !== "refused")).toEqual([]);
  });
});

test("an error that nobody's format is known for can be read by all", async () => {
  const text = await world.raw("nonsense\r\n\r\n");
  const body = JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4)) as { request_id: string };
  expect(body).toEqual({
    type: "error",
    error: {
      type: "invalid_request_error",
      message: "this is not HTTP as it is written down (RFC 9112)",
      param: null,
      code: "invalid_request",
      sallyport_code: "invalid_request",
    },
    request_id: body.request_id,
  });
});

test("an address in full is no address here", async () => {
  const text = await world.raw(
    good().replace("/v1/messages", "http://elsewhere.example/v1/messages"),
    (socket) => void socket.end(),
  );
  expect([answersIn(text), world.arrivals]).toEqual([["404 not_found"], []]);
});

test("one request at a time on a connection", async () => {
  const asked = gate();
  world.behaviour = async (_, response) => {
    await asked.promise;
    json(response, ANSWER);
  };
  const text = world.raw(good() + good(), (socket) => {
    socket.on("data", () => undefined);
    setImmediate(asked.resolve);
  });
  expect(answersIn(await text)).toEqual(["200", "400 invalid_request"]);
  expect([world.arrivals.length, world.exchanges.length]).toEqual([1, 1]);
  world.behaviour = (_, response) => json(response, ANSWER);
  // One after the other is as good as ever.
  const twice = await world.raw(good(), (socket) => {
    socket.once("data", () => {
      socket.write(good());
      socket.once("data", () => socket.end());
    });
  });
  expect(answersIn(twice)).toEqual(["200", "200"]);
});

test.each([
  ["a header that is too long", () => [`x-a: ${"x".repeat(LIMITS.proxyHeaderBytes)}`]],
  ["many headers", () => Array.from({ length: LIMITS.proxyHeaders }, (_, index) => `x-${index}: y`)],
])("%s", async (_, lines) => {
  const before = world.arrivals.length;
  const text = await world.raw(
    head([...lines(), `content-length: ${BODY.length}`]) + BODY,
    (socket) => void socket.end(),
  );
  expect([answersIn(text), world.arrivals.length - before]).toEqual([["431 invalid_request"], 0]);
});

const FIFTY_MEGABYTES = 50 * 1_048_576;

/** Writes until it is told to stop. */
function pump(socket: Socket, piece: Buffer, most: number): void {
  let written = 0;
  const more = (): void => {
    while (written < most && socket.writable) {
      written += piece.length;
      if (!socket.write(piece)) {
        socket.once("drain", more);
        return;
      }
    }
  };
  more();
}

test.each([
  ["announced", () => head([`content-length: ${FIFTY_MEGABYTES}`]), Buffer.alloc(65_536, " "), 16 * 1_048_576],
  [
    "in chunks",
    () => head(["transfer-encoding: chunked"]),
    Buffer.from(`10000\r\n${" ".repeat(65_536)}\r\n`),
    FIFTY_MEGABYTES - 1_048_576,
  ],
])("fifty megabytes, %s: answered before they are read", async (_, start, piece, most) => {
  const before = world.arrivals.length;
  let socket: Socket | undefined;
  const text = await world.raw(start(), (open) => {
    socket = open;
    pump(open, piece, FIFTY_MEGABYTES);
  });
  expect([answersIn(text), world.arrivals.length - before]).toEqual([["413 payload_too_large"], 0]);
  expect(socket?.bytesWritten).toBeLessThan(most);
  expect(await world.exchange()).toMatchObject({ outcome: "refused", code: "payload_too_large" });
});

test("large bodies together have a bound, which comes free again", async () => {
  const { port } = new URL(world.proxy.tcpUrl);
  const count = LIMITS.proxyBodiesBytes / LIMITS.proxyBodyBytes;
  const waiting = Array.from({ length: count }, () => connect(Number(port), "127.0.0.1"));
  for (const socket of waiting) {
    socket.write(head([`content-length: ${LIMITS.proxyBodyBytes}`, "expect: 100-continue"]));
    await new Promise((resolve) => socket.once("data", resolve));
  }
  const full = await world.ask();
  expect([full.status, full.headers["x-sallyport-code"], full.headers["retry-after"]]).toEqual([
    503,
    "limit_reached",
    "1",
  ]);
  for (const socket of waiting) socket.destroy();
  expect(await world.exchange()).toMatchObject({ code: "limit_reached" });
  for (let left = count; left > 0; left -= 1) {
    expect(await world.exchange()).toMatchObject({ outcome: "caller_gone", status: 0, request_bytes: 0 });
  }
  expect((await world.ask()).status).toBe(200);
});

test("who asks whether to go on is told", async () => {
  const lines = [`content-length: ${BODY.length}`, "expect: 100-continue"];
  const taken = await world.raw(head(lines), (socket) => {
    socket.once("data", () => {
      socket.write(BODY);
      socket.once("data", () => socket.end());
    });
  });
  expect(answersIn(taken)).toEqual(["100", "200"]);
  const refused = await world.raw(head([`content-length: ${FIFTY_MEGABYTES}`, "expect: 100-continue"]));
  expect(answersIn(refused)).toEqual(["413 payload_too_large"]);
});

test("a body that is packed, or of too many parts", async () => {
  const packed = await world.ask({ headers: { "content-encoding": "gzip" } });
  expect([packed.status, packed.headers["x-sallyport-code"]]).toEqual([400, "unsupported"]);
  const parts = await world.ask({ body: `{"model":"claude-test","x":[${"[],".repeat(2_000_000)}1]}` });
  expect([parts.status, parts.headers["x-sallyport-code"]]).toEqual([400, "invalid_request"]);
  const deep = await world.ask({
    body: `{"model":"claude-test","metadata":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
  });
  expect(deep.status).toBe(200);
});

test("slow callers and too many of them", async () => {
  await using small = await World.open({ bounds: { headersMs: 300, requestMs: 600, connections: 2 } });
  const slowHead = small.raw("POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-a: ");
  const slowBody = small.raw(
    `POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: ${small.lease.key}\r\ncontent-length: 99\r\n\r\n{`,
  );
  const surplus = await small.ask();
  expect([surplus.status, surplus.headers["x-sallyport-code"]]).toEqual([503, "limit_reached"]);
  expect(answersIn(await slowHead)).toEqual(["408 timed_out"]);
  expect(answersIn(await slowBody)).toEqual(["408 timed_out"]);
  expect([small.arrivals, await small.balance()]).toEqual([[], { spent: 0, reserved: 0 }]);
  expect(await small.exchange()).toMatchObject({ outcome: "refused", code: "timed_out", status: 408 });
});
