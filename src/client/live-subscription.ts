import { CLIENT_LIMITS } from "../protocol/limits/client.ts";
import type { Failure, StreamFrame } from "../protocol/index.ts";
import { isPassing, type LiveSocket } from "./live-socket.ts";
import { Mailbox } from "./mailbox.ts";

const BOUNDS = { count: CLIENT_LIMITS.liveQueueFrames, chars: CLIENT_LIMITS.liveQueueChars };

/** One reader of one session. */
export class LiveWatcher {
  readonly #box = new Mailbox<StreamFrame>(BOUNDS);
  /** The last seq that it has, or will have once it has read its queue. */
  last: number;
  /** Its queue is full: it gets no more until it has read it. */
  behind = false;

  constructor(after: number) {
    this.last = after;
  }

  get drained(): boolean {
    return this.#box.empty;
  }

  put(frame: StreamFrame, chars: number): void {
    if (this.behind || ("seq" in frame && frame.seq <= this.last)) return;
    if (!this.#box.put(frame, chars)) this.behind = true;
    else if ("seq" in frame) this.last = frame.seq;
  }

  next(): Promise<StreamFrame | undefined> {
    return this.#box.next();
  }

  end(failure?: Failure): void {
    this.#box.end(failure);
  }

  stop(): void {
    this.#box.clear();
    this.#box.end();
  }
}

/** One session on the socket, for all its watchers. The server has one subscription of it, from the position of the slowest. */
export class LiveSubscription {
  readonly #id: string;
  readonly #socket: LiveSocket;
  readonly #watchers = new Set<LiveWatcher>();
  /** What the server was last told. */
  #subscribed = false;
  /** Unanswered `subscribe`s and `unsubscribe`s: until they are answered, frames belong to an older subscription. */
  #subscribing = 0;
  #leaving = 0;
  #tries = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(id: string, socket: LiveSocket) {
    this.#id = id;
    this.#socket = socket;
  }

  get listened(): boolean {
    return this.#watchers.size > 0;
  }

  /** Nobody listens and nothing more will be sent. */
  get over(): boolean {
    return !this.listened && (!this.#socket.open || (this.#subscribing === 0 && this.#leaving === 0));
  }

  join(watcher: LiveWatcher): void {
    this.#watchers.add(watcher);
    this.#subscribe();
  }

  leave(watcher: LiveWatcher): void {
    this.#watchers.delete(watcher);
    if (this.listened) return;
    clearTimeout(this.#retry);
    this.#unsubscribe();
  }

  /** A new socket, which has no subscription yet. */
  begin(): void {
    this.#subscribed = false;
    this.#subscribing = 0;
    this.#leaving = 0;
    this.#subscribe();
  }

  /** A reader has taken a frame: one that was behind and has an empty queue resumes. */
  drained(watcher: LiveWatcher): void {
    if (!watcher.behind || !watcher.drained) return;
    watcher.behind = false;
    this.#subscribe();
  }

  subscribed(): void {
    this.#subscribing -= 1;
  }

  unsubscribed(ended: boolean): void {
    if (this.#leaving > 0) {
      this.#leaving -= 1;
      return;
    }
    // Of an older subscription.
    if (!this.#subscribed || this.#subscribing > 0) return;
    this.#subscribed = false;
    // A watcher that is behind must come back for the rest, and for the end.
    if (ended) for (const watcher of this.#reading()) watcher.end();
    else this.#later();
  }

  refused(failure: Failure): void {
    this.#subscribing -= 1;
    this.#subscribed = false;
    if (isPassing(failure)) this.#later();
    else this.fail(failure);
  }

  frame(frame: StreamFrame, chars: number): void {
    if (this.#subscribing > 0 || !this.#subscribed) return;
    this.#tries = 0;
    let behind = false;
    for (const watcher of this.#reading()) {
      watcher.put(frame, chars);
      behind ||= watcher.behind;
    }
    if (behind && this.#reading().length === 0) this.#unsubscribe();
  }

  fail(failure: Failure): void {
    clearTimeout(this.#retry);
    for (const watcher of this.#watchers) watcher.end(failure);
  }

  stop(): void {
    clearTimeout(this.#retry);
    for (const watcher of this.#watchers) watcher.stop();
  }

  #reading(): readonly LiveWatcher[] {
    return [...this.#watchers].filter(({ behind }) => !behind);
  }

  #subscribe(): void {
    clearTimeout(this.#retry);
    const reading = this.#reading();
    if (reading.length === 0 || !this.#socket.open) return;
    this.#unsubscribe();
    this.#subscribed = true;
    this.#subscribing += 1;
    const after = Math.min(...reading.map(({ last }) => last));
    this.#socket.send({ type: "subscribe", session_id: this.#id, after });
  }

  #unsubscribe(): void {
    if (!this.#subscribed || !this.#socket.open) return;
    this.#subscribed = false;
    this.#leaving += 1;
    this.#socket.send({ type: "unsubscribe", session_id: this.#id });
  }

  /** The server ended the subscription although the session continues: asked again, less and less often. */
  #later(): void {
    clearTimeout(this.#retry);
    const wait = Math.min(CLIENT_LIMITS.liveRetryCapMs, CLIENT_LIMITS.liveRetryMs * 2 ** Math.min(this.#tries, 20));
    this.#tries += 1;
    this.#retry = setTimeout(() => this.#subscribe(), wait * (0.5 + Math.random() / 2));
  }
}
