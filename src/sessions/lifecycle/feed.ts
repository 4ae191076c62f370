import { LIMITS, type FeedFrame, type JournalEvent } from "../../protocol/index.ts";
import { authorize, type Caller } from "../access/access.ts";
import type { Dependencies } from "../dependencies.ts";
import { view, type SessionState } from "../core/state.ts";

const encoder = new TextEncoder();

interface FeedLine {
  readonly bytes: Uint8Array;
}

export interface FeedBatch {
  /** Too much was waiting and was dropped: the client must read the lists again. */
  readonly anew: boolean;
  readonly lines: readonly FeedLine[];
}

/** The current state of every session and question, for callers that may see them. Sent after it is on the disk; nothing is stored. */
export class Feed {
  readonly #dependencies: Pick<Dependencies, "store" | "clock" | "log">;
  readonly #readers = new Set<FeedReader>();
  /** Sessions sent within the last interval, with the newest state since, if any. */
  readonly #recent = new Map<string, SessionState | undefined>();

  constructor(dependencies: Pick<Dependencies, "store" | "clock" | "log">) {
    this.#dependencies = dependencies;
  }

  /** Called for every event once it is on the disk. */
  observe(event: JournalEvent, state: SessionState): void {
    if (this.#readers.size === 0) return;
    if (event.type === "approval.requested")
      this.#say({ type: "approval.changed", approval: event.approval }, state.created_by.id);
    else if (event.type === "approval.resolved") void this.#sayResolved(event.approval_id, state.created_by.id);
    if (this.#recent.has(state.id)) this.#recent.set(state.id, state);
    else this.#saySession(state);
  }

  /** Rights are checked before anything is sent. Ends when the signal is aborted. */
  open(caller: Caller, signal: AbortSignal): AsyncGenerator<FeedBatch> {
    const reader = new FeedReader(caller.id, {
      "session.changed": authorize(caller, "session.read"),
      "approval.changed": authorize(caller, "approval.read"),
    });
    const stop = (): void => {
      this.#readers.delete(reader);
      reader.stop();
    };
    this.#readers.add(reader);
    signal.addEventListener("abort", stop, { once: true });
    // Aborted before the listener was registered: otherwise this reader would never be removed.
    if (signal.aborted) stop();
    return reader.batches();
  }

  #saySession(state: SessionState): void {
    this.#say({ type: "session.changed", session: view(state) }, state.created_by.id);
    this.#recent.set(state.id, undefined);
    this.#dependencies.clock.after(LIMITS.feedIntervalMs, () => {
      const newer = this.#recent.get(state.id);
      this.#recent.delete(state.id);
      if (newer !== undefined) this.#saySession(newer);
    });
  }

  /** The event holds the answer; the row holds the question with it. */
  async #sayResolved(id: string, owner: string): Promise<void> {
    try {
      const approval = await this.#dependencies.store.read.approval(id);
      if (approval !== undefined) this.#say({ type: "approval.changed", approval }, owner);
    } catch (error) {
      this.#dependencies.log.warn({ err: error, approval: id }, "the feed could not read an approval");
    }
  }

  #say(frame: FeedFrame, owner: string): void {
    const readers = [...this.#readers].filter((reader) => reader.sees(frame, owner));
    if (readers.length === 0) return;
    const json = JSON.stringify(frame);
    const line = { bytes: encoder.encode(json), chars: json.length };
    const id = frame.type === "session.changed" ? frame.session.id : frame.approval.id;
    for (const reader of readers) reader.put(id, line);
  }
}

/** What waits for one socket: the last state of each session and question. */
class FeedReader {
  readonly #caller: string;
  readonly #scopes: Readonly<Record<FeedFrame["type"], "all" | "own">>;
  #waiting = new Map<string, FeedLine & { readonly chars: number }>();
  #chars = 0;
  #anew = false;
  #stopped = false;
  #wake: () => void = () => undefined;

  constructor(caller: string, scopes: Readonly<Record<FeedFrame["type"], "all" | "own">>) {
    this.#caller = caller;
    this.#scopes = scopes;
  }

  sees(frame: FeedFrame, owner: string): boolean {
    return this.#scopes[frame.type] === "all" || owner === this.#caller;
  }

  put(id: string, line: FeedLine & { readonly chars: number }): void {
    this.#chars += line.chars - (this.#waiting.get(id)?.chars ?? 0);
    this.#waiting.delete(id);
    this.#waiting.set(id, line);
    const many = this.#waiting.size > LIMITS.feedWaiting;
    if (many || (this.#chars > LIMITS.feedWaitingChars && this.#waiting.size > 1)) {
      this.#clear();
      this.#anew = true;
    }
    this.#wake();
  }

  stop(): void {
    this.#stopped = true;
    this.#clear();
    this.#wake();
  }

  async *batches(): AsyncGenerator<FeedBatch> {
    while (!this.#stopped) {
      if (this.#waiting.size === 0 && !this.#anew) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      const batch = { anew: this.#anew, lines: [...this.#waiting.values()] };
      this.#clear();
      this.#anew = false;
      yield batch;
    }
  }

  #clear(): void {
    this.#waiting = new Map();
    this.#chars = 0;
  }
}
