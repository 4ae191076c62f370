import type { Delta, JournalEvent, Snapshot, StreamFrame } from "../../protocol/index.ts";
import type { EventRow } from "../../store/index.ts";

const encoder = new TextEncoder();

/** One message to watchers, encoded at most once however many watch. */
export class Frame {
  /** Absent: the frame is live only. */
  readonly seq: number | undefined;
  readonly type: StreamFrame["type"];
  #json: string | undefined;
  #value: StreamFrame | undefined;
  #bytes: Uint8Array | undefined;
  #sse: string | undefined;

  private constructor(seq: number | undefined, type: StreamFrame["type"], json?: string, value?: StreamFrame) {
    this.seq = seq;
    this.type = type;
    this.#json = json;
    this.#value = value;
  }

  /** `body` is the event's JSON without its envelope, as stored. */
  static ofEvent(event: JournalEvent, body: string): Frame {
    return new Frame(event.seq, event.type, envelope(event, body), event);
  }

  /** A fork reads inherited rows as its own: `session_id` is the reader's, not the row's. */
  static ofRow(row: EventRow, session_id: string): Frame {
    return new Frame(
      row.seq,
      row.type as StreamFrame["type"],
      envelope({ seq: row.seq, session_id, at: row.at }, row.body),
    );
  }

  static ofLive(live: Delta | Snapshot): Frame {
    return new Frame(undefined, live.type, undefined, live);
  }

  get json(): string {
    this.#json ??= JSON.stringify(this.#value);
    return this.#json;
  }

  get value(): StreamFrame {
    this.#value ??= JSON.parse(this.json) as StreamFrame;
    return this.#value;
  }

  /** The JSON as UTF-8. */
  get bytes(): Uint8Array {
    this.#bytes ??= encoder.encode(this.json);
    return this.#bytes;
  }

  /** As a server-sent event. Only journaled events have an id: `Last-Event-ID` is then always a position in the journal. */
  get sse(): string {
    this.#sse ??= `${this.seq === undefined ? "" : `id: ${this.seq}\n`}event: ${this.type}\ndata: ${this.json}\n\n`;
    return this.#sse;
  }
}

function envelope(head: { seq: number; session_id: string; at: string }, body: string): string {
  return `{"seq":${head.seq},"session_id":${JSON.stringify(head.session_id)},"at":${JSON.stringify(head.at)},${body.slice(1)}`;
}
