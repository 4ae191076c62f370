import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Failure, LIMITS } from "../protocol/index.ts";
import { Gather } from "./meter/gather.ts";

/** The bytes of all bodies that are in memory. */
export class BodyAllowance {
  #bytes = 0;

  /** False: there is no room for so many more. */
  take(bytes: number): boolean {
    if (this.#bytes + bytes > LIMITS.proxyBodiesBytes) return false;
    this.#bytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
  }

  get bytes(): number {
    return this.#bytes;
  }
}

export interface BodyTaker {
  /** All of it. The taker gives its bytes back to the allowance when it needs them no more. */
  taken(body: Buffer): void;
  /** It is not taken, and what is left of it is not wanted. */
  refused(failure: Failure): void;
}

/** Collects a body without ever holding more than it may. Answers how to give it up when the caller is gone. */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  allowance: BodyAllowance,
  taker: BodyTaker,
): (() => void) | undefined {
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    taker.refused(new Failure("unsupported", `a body in ${encoding} is not read here: send it as it is`));
    return undefined;
  }
  // Node has refused what is not a number.
  const announced = request.headers["content-length"];
  const length = announced === undefined ? undefined : Number(announced);
  if (length !== undefined && length > LIMITS.proxyBodyBytes) {
    taker.refused(tooLarge());
    return undefined;
  }
  if (!allowance.take(length ?? 0)) {
    taker.refused(noRoom());
    return undefined;
  }
  if (request.headers.expect !== undefined) response.writeContinue();
  const collecting = new Collecting(length, allowance, taker);
  request.on("data", (piece: Buffer) => collecting.add(piece)).on("end", () => collecting.end());
  return () => collecting.giveUp();
}

class Collecting {
  readonly #announced: number | undefined;
  readonly #allowance: BodyAllowance;
  readonly #taker: BodyTaker;
  #held: number;
  #first: Buffer | undefined;
  #more: Gather | undefined;
  #isOver = false;

  constructor(announced: number | undefined, allowance: BodyAllowance, taker: BodyTaker) {
    this.#announced = announced;
    this.#allowance = allowance;
    this.#taker = taker;
    this.#held = announced ?? 0;
  }

  add(piece: Buffer): void {
    if (this.#isOver) return;
    if (this.#announced === undefined) {
      if (!this.#allowance.take(piece.length)) {
        this.#refuse(noRoom());
        return;
      }
      this.#held += piece.length;
    }
    // Nearly every body comes in one piece, which is kept as it is.
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
    this.#isOver = true;
    this.#taker.taken(this.#more?.take() ?? this.#first ?? Buffer.alloc(0));
  }

  giveUp(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#first = undefined;
    this.#more = undefined;
    this.#allowance.give(this.#held);
  }

  #refuse(failure: Failure): void {
    this.giveUp();
    this.#taker.refused(failure);
  }
}

const MARKS = new Set(Buffer.from("[{,:"));
/** Nothing that is shorter can grow beyond reason. */
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
/** A string that is longer is searched for its end by the machine. */
const SHORT_STRING = 48;

/**
 * Names with a value in a JSON text that has been parsed. If its objects have fewer, one of them had the same name twice: then
 * another reader might take the other value, and what is judged here is not what would happen there.
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
