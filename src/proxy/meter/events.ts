import { LIMITS } from "../../protocol/index.ts";
import { Gather } from "./gather.ts";

/** Receives the relevant events. */
export interface EventTaker {
  /** `name`: the event's own, if it is a relevant one. The data is valid only during the call. */
  take(data: Buffer, name: string | undefined): void;
  /** The offset in the piece just after an event's empty line. Absent: not needed. */
  endEvent?(end: number): void;
}

/** Which events of a stream are examined. */
export interface EventFilter {
  /** Relevant names: an event with another name is skipped unread. Empty: names mean nothing. */
  readonly names: readonly string[];
  /** Whether the data of an event without such a name may be relevant. Only a filter: what passes is parsed. */
  mayMatter(data: Buffer): boolean;
}

const LF = 10;
const CR = 13;
const SPACE = 32;
const COLON = 58;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const EVENT = Buffer.from("event:");
const DATA = Buffer.from("data:");
const EMPTY = Buffer.alloc(0);
const LINE_FEED = Buffer.from("\n");
/** Enough of a line to identify it. */
const HEAD = EVENT.length;

/**
 * Finds the few relevant events in a stream of server-sent events without decoding the others, however it is split into
 * pieces. JSON text contains no line breaks, so the start of a line is never part of a message.
 */
export class EventScanner {
  readonly #filter: EventFilter;
  readonly #taker: EventTaker;
  /** The beginning of a line whose end has not arrived yet. */
  #line: Gather | undefined = undefined;
  /** Relevant data of the current event, and its lines after the first. */
  #data: Buffer | undefined = undefined;
  #more: Gather | undefined = undefined;
  /** The rest of this line is irrelevant. */
  #skipping = false;
  /** A following line feed belongs to the previous line end. */
  #afterReturn = false;
  #first = true;
  /** Ended events with data, including skipped ones. */
  events = 0;
  /** Whether the current event's name is relevant; undefined: it has none so far. */
  #wanted: boolean | undefined = undefined;
  #name: string | undefined = undefined;
  #sawData = false;
  /** A data line that seems irrelevant, unless another line continues it. */
  #passed: Buffer | undefined = undefined;

  constructor(filter: EventFilter, taker: EventTaker) {
    this.#filter = filter;
    this.#taker = taker;
  }

  feed(piece: Buffer): void {
    const { length } = piece;
    if (length === 0) return;
    let from = this.#afterReturn && piece[0] === LF ? 1 : 0;
    this.#afterReturn = false;
    let back = piece.indexOf(CR, from);
    let feed = -1;
    while (from < length) {
      if (feed < from) feed = nextOf(piece, LF, from);
      if (back !== -1 && back < from) back = piece.indexOf(CR, from);
      const end = back !== -1 && back < feed ? back : feed;
      if (end === length) {
        this.#keep(piece.subarray(from));
        return;
      }
      let next = end + 1;
      if (piece[end] === CR) {
        if (next === length) this.#afterReturn = true;
        else if (piece[next] === LF) next += 1;
      }
      // Most lines belong to irrelevant events, and are not even examined.
      if (this.#wanted !== false || end === from || this.#skipping || this.#line !== undefined) {
        if (this.#endLine(piece, from, end)) this.#taker.endEvent?.(next);
      }
      from = next;
    }
  }

  /** The stream has ended. An event without its empty line counts too: its usage was reported. */
  end(): void {
    if (this.#line !== undefined) this.#endLine(EMPTY, 0, 0);
    this.#dispatch();
  }

  /** Keeps a line that continues in the next piece. */
  #keep(rest: Buffer): void {
    if (this.#skipping) return;
    this.#line ??= new Gather(LIMITS.proxyEventBytes);
    const isKnown = this.#line.length >= HEAD;
    if (!this.#line.add(rest)) {
      this.#line = undefined;
      this.#skipping = true;
      this.#forget();
      return;
    }
    if (isKnown || this.#line.length < HEAD) return;
    const head = this.#line.peek();
    if (head[0] !== COLON && !(this.#wanted === false && startsWith(head, DATA, 0, head.length))) return;
    this.#line = undefined;
    this.#skipping = true;
  }

  /** True when it was the empty line that ends an event. */
  #endLine(piece: Buffer, from: number, end: number): boolean {
    if (this.#skipping) {
      this.#skipping = false;
      return false;
    }
    const begun = this.#line;
    if (begun === undefined) return this.#read(piece, from, end);
    this.#line = undefined;
    if (!begun.add(piece.subarray(from, end))) {
      this.#forget();
      return false;
    }
    return this.#read(begun.peek(), 0, begun.length);
  }

  #read(line: Buffer, start: number, end: number): boolean {
    let from = start;
    if (this.#first) {
      this.#first = false;
      if (startsWith(line, BYTE_ORDER_MARK, from, end)) from += BYTE_ORDER_MARK.length;
    }
    if (from === end) {
      this.#dispatch();
      return true;
    }
    if (startsWith(line, DATA, from, end)) this.#readData(line, from + DATA.length, end);
    else if (startsWith(line, EVENT, from, end)) this.#readName(line, from + EVENT.length, end);
    return false;
  }

  #readName(line: Buffer, start: number, end: number): void {
    const { names } = this.#filter;
    if (names.length === 0) return;
    const from = line[start] === SPACE && start < end ? start + 1 : start;
    this.#name = names.find((name) => isName(line, name, from, end));
    this.#wanted = end === from ? undefined : this.#name !== undefined;
  }

  #readData(line: Buffer, start: number, end: number): void {
    this.#sawData = true;
    if (this.#wanted === false) return;
    const data = line.subarray(line[start] === SPACE && start < end ? start + 1 : start, end);
    if (this.#wanted === undefined && this.#data === undefined) {
      if (this.#passed === undefined && !this.#filter.mayMatter(data)) {
        this.#passed = data;
        return;
      }
      if (this.#passed !== undefined) this.#add(this.#passed);
    }
    this.#add(data);
  }

  #add(data: Buffer): void {
    if (this.#wanted === false) return;
    if (this.#data === undefined) {
      this.#data = data;
      return;
    }
    if (this.#more === undefined) {
      this.#more = new Gather(LIMITS.proxyEventBytes);
      this.#more.add(this.#data);
    }
    if (!this.#more.add(LINE_FEED) || !this.#more.add(data)) this.#forget();
  }

  /** Too long to be examined. */
  #forget(): void {
    this.#data = undefined;
    this.#more = undefined;
    this.#sawData = true;
    this.#wanted = false;
  }

  #dispatch(): void {
    const data = this.#more?.peek() ?? this.#data;
    if (data !== undefined && this.#wanted !== false) this.#taker.take(data, this.#name);
    this.#reset();
  }

  #reset(): void {
    if (this.#sawData || this.#wanted === false) this.events += 1;
    this.#sawData = false;
    this.#data = undefined;
    this.#more = undefined;
    this.#passed = undefined;
    this.#name = undefined;
    this.#wanted = undefined;
  }
}

/** Returns the end of the piece if there is none. */
function nextOf(piece: Buffer, byte: number, from: number): number {
  const at = piece.indexOf(byte, from);
  return at === -1 ? piece.length : at;
}

function isName(line: Buffer, name: string, from: number, end: number): boolean {
  if (end - from !== name.length) return false;
  for (let index = 0; index < name.length; index += 1) if (line[from + index] !== name.charCodeAt(index)) return false;
  return true;
}

function startsWith(line: Buffer, wanted: Buffer, from: number, end: number): boolean {
  if (end - from < wanted.length) return false;
  for (let index = 0; index < wanted.length; index += 1) if (line[from + index] !== wanted[index]) return false;
  return true;
}
