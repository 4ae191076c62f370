import { isUtf8 } from "node:buffer";
import { Failure, LIMITS } from "../../protocol/index.ts";
import type { ProxyCall } from "../call.ts";
import { Gather } from "../meter/gather.ts";

/** The total size of all bodies in memory, in bytes. */
export class BodyAllowance {
  #bytes = 0;

  /** False: there is no room for that many more. */
  take(bytes: number): boolean {
    if (this.#bytes + bytes > LIMITS.proxyBodiesBytes) return false;
    this.#bytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
  }
}

export interface BodyTaker {
  taken(call: ProxyCall, body: Buffer): void;
  /** The body is refused, and the rest of it is discarded. */
  refused(call: ProxyCall, failure: Failure): void;
}

/** Collects a body without ever holding more than allowed. Calls nothing if the caller leaves meanwhile. */
export function readBody(call: ProxyCall, taker: BodyTaker): void {
  const { request, response } = call;
  const { "content-encoding": encoding, "content-length": announced, expect } = request.headers;
  if (encoding !== undefined && encoding !== "identity") {
    taker.refused(call, new Failure("unsupported", `a body in ${encoding} is not read here: send it as it is`));
    return;
  }
  // Node has already refused values that are not numbers.
  const length = announced === undefined ? undefined : Number(announced);
  if (length !== undefined && length > LIMITS.proxyBodyBytes) {
    taker.refused(call, tooLarge());
    return;
  }
  if (!call.hold(length ?? 0)) {
    taker.refused(call, noRoom());
    return;
  }
  if (request.wholeBody !== undefined) {
    taker.taken(call, request.wholeBody);
    return;
  }
  if (expect !== undefined) response.writeContinue();
  const collecting = new Collecting(call, length, taker);
  request.on("data", (piece: Buffer) => collecting.add(piece)).on("end", () => collecting.end());
}

class Collecting {
  readonly #call: ProxyCall;
  readonly #announced: number | undefined;
  readonly #taker: BodyTaker;
  #first: Buffer | undefined = undefined;
  #more: Gather | undefined = undefined;
  #isOver = false;

  constructor(call: ProxyCall, announced: number | undefined, taker: BodyTaker) {
    this.#call = call;
    this.#announced = announced;
    this.#taker = taker;
  }

  add(piece: Buffer): void {
    if (this.#isOver) return;
    if (this.#announced === undefined && !this.#call.hold(piece.length)) {
      this.#refuse(noRoom());
      return;
    }
    // Nearly every body comes in one piece, which is used without copying.
    if (this.#first === undefined) {
      this.#first = piece;
      return;
    }
    if (this.#more === undefined) {
      this.#more = new Gather(LIMITS.proxyBodyBytes, this.#announced);
      this.#more.add(this.#first);
    }
    if (!this.#more.add(piece)) this.#refuse(tooLarge());
  }

  end(): void {
    if (this.#isOver) return;
    const body = this.#more?.take() ?? this.#first ?? Buffer.alloc(0);
    this.#end();
    this.#taker.taken(this.#call, body);
  }

  #refuse(failure: Failure): void {
    this.#end();
    this.#taker.refused(this.#call, failure);
  }

  #end(): void {
    this.#isOver = true;
    this.#first = undefined;
    this.#more = undefined;
  }
}

const MARKS = new Set(Buffer.from("[{,:"));
/** Shorter bodies cannot grow beyond reason. */
const HARMLESS_BYTES = 1_048_576;

/** The fields of a body, or what is wrong with it. */
export function parseBody(body: Buffer): Readonly<Record<string, unknown>> | Failure {
  if (!isUtf8(body)) return invalid("is not UTF-8");
  if (body.length > HARMLESS_BYTES && countMarks(body) > LIMITS.proxyBodyMarks) return invalid("has too many parts");
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    return invalid("is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return invalid("is not a JSON object");
  return value as Readonly<Record<string, unknown>>;
}

function countMarks(body: Buffer): number {
  let marks = 0;
  for (const byte of body) if (MARKS.has(byte)) marks += 1;
  return marks;
}

const QUOTE = 34;
const BACKSLASH = 92;
const COLON = 58;
/** The end of a longer string is found with native search. */
const SHORT_STRING = 48;

/**
 * Counts the keys in an already parsed JSON text. If its objects have fewer, some key occurs twice. Another reader might then
 * take the other value, and this judgement would not hold there.
 */
export function countNames(body: Buffer): number {
  let names = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === COLON) names += 1;
    else if (byte === QUOTE) at = endOfString(body, at + 1);
  }
  return names;
}

function endOfString(body: Buffer, from: number): number {
  let at = from;
  for (const near = Math.min(body.length, from + SHORT_STRING); at < near; at += 1) {
    if (body[at] === QUOTE) return at;
    if (body[at] === BACKSLASH) at += 1;
  }
  for (;;) {
    const end = body.indexOf(QUOTE, at);
    if (end === -1) return body.length;
    let slashes = 0;
    while (end - 1 - slashes >= at && body[end - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
    at = end + 1;
  }
}

function invalid(what: string): Failure {
  return new Failure("invalid_request", `the body ${what}: send one JSON object`);
}

function tooLarge(): Failure {
  return new Failure("payload_too_large", `the body is longer than ${LIMITS.proxyBodyBytes} bytes: send less`);
}

function noRoom(): Failure {
  return new Failure("limit_reached", "too many large requests at once: try again in a moment");
}
