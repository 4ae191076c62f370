/** One event of a server-sent event stream. */
export interface SseEvent {
  /** Absent: it has none. */
  readonly id: string | undefined;
  readonly data: string;
}

/** Cuts a stream of server-sent events into events. Comments, such as heartbeats, and other fields are left out. */
export class SseReader {
  readonly #mostChars: number;
  readonly #Overflow: new (message: string) => Error;
  /** The beginning of an event whose end has not come. */
  #rest: string[] = [];
  #length = 0;

  /** `Overflow` is thrown at an event of more than `mostChars`. */
  constructor(mostChars: number, Overflow: new (message: string) => Error) {
    this.#mostChars = mostChars;
    this.#Overflow = Overflow;
  }

  /** The events that are whole now. */
  *read(chunk: string): Generator<SseEvent> {
    if (!chunk.includes("\n")) {
      this.#keep(chunk);
      return;
    }
    const text = this.#rest.join("") + chunk;
    this.#rest = [];
    this.#length = 0;
    let start = 0;
    let at = 0;
    let id: string | undefined;
    let data: string | undefined;
    for (let end = text.indexOf("\n", at); end !== -1; end = text.indexOf("\n", at)) {
      const line = text.slice(at, text.charAt(end - 1) === "\r" ? end - 1 : end);
      at = end + 1;
      if (line.startsWith("data:")) data = (data === undefined ? "" : `${data}\n`) + valueOf(line, 5);
      else if (line.startsWith("id:")) id = valueOf(line, 3);
      if (line !== "") continue;
      if (data !== undefined) yield { id, data };
      id = undefined;
      data = undefined;
      start = at;
    }
    this.#keep(text.slice(start));
  }

  #keep(piece: string): void {
    this.#length += piece.length;
    if (this.#length > this.#mostChars)
      throw new this.#Overflow(`an event is longer than ${this.#mostChars} characters`);
    if (piece !== "") this.#rest.push(piece);
  }
}

function valueOf(line: string, from: number): string {
  return line.slice(line.charAt(from) === " " ? from + 1 : from);
}
