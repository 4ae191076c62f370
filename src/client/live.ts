import { CLIENT_LIMITS } from "../protocol/limits/client.ts";
import type { FeedFrame, Failure, StreamFrame } from "../protocol/index.ts";
import { failureOf, LiveSocket, type LiveSocketOptions, type LiveStatus } from "./live-socket.ts";
import { LiveSubscription, LiveWatcher } from "./live-subscription.ts";
import { Mailbox } from "./mailbox.ts";
import { OfferedPage, type PageOffer } from "./page-tools/page-tools.ts";
import type { PageWindow } from "./page-tools/page-tools-memory.ts";

/** Sent first and after each reconnect: changes meanwhile were not sent, so read the lists again. */
export interface FeedOpened {
  readonly type: "feed.opened";
}

type FeedBox = Mailbox<FeedFrame | FeedOpened>;

export interface LiveConnectionOptions extends LiveSocketOptions {
  /** The browser's, to remember an offer across a reload. Absent: the platform's, if it has one. */
  readonly window?: PageWindow | undefined;
}

const FEED_BOUNDS = { count: CLIENT_LIMITS.liveQueueFrames, chars: CLIENT_LIMITS.liveQueueChars };

/**
 * One WebSocket (`/api/ws`) for many sessions. It reconnects by itself while somebody listens, and resumes each watch
 * after the last received event: every journaled event comes exactly once.
 */
export class LiveConnection {
  readonly #socket: LiveSocket;
  readonly #subscriptions = new Map<string, LiveSubscription>();
  readonly #feeds = new Set<FeedBox>();
  readonly #pages = new Set<OfferedPage>();
  readonly #window: PageWindow | undefined;
  /** What the server was asked for on this connection, and whether it has confirmed. */
  #feed: "none" | "asked" | "open" = "none";
  #closed = false;

  constructor(options: LiveConnectionOptions) {
    this.#window = options.window;
    this.#socket = new LiveSocket(options, {
      opened: () => this.#opened(),
      message: (message, chars) => this.#take(message, chars),
      refused: (failure) => this.#refused(failure),
    });
  }

  get status(): LiveStatus {
    return this.#socket.status;
  }

  /** Call the returned function to stop. */
  onStatus(listener: (status: LiveStatus) => void): () => void {
    return this.#socket.onStatus(listener);
  }

  /** The journal after a seq, then live. Ends when the session has ended or the signal is aborted; throws the Failure of a refusal. */
  async *watch(
    id: string,
    options: { readonly after?: number; readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<StreamFrame> {
    if (this.#closed || options.signal?.aborted === true) return;
    const watcher = new LiveWatcher(options.after ?? 0);
    const stop = (): void => watcher.stop();
    options.signal?.addEventListener("abort", stop);
    const subscription = this.#subscriptions.get(id) ?? this.#subscription(id);
    subscription.join(watcher);
    this.#socket.want();
    try {
      for (let frame = await watcher.next(); frame !== undefined; frame = await watcher.next()) {
        yield frame;
        subscription.drained(watcher);
      }
    } finally {
      options.signal?.removeEventListener("abort", stop);
      subscription.leave(watcher);
      this.#tidy();
    }
  }

  /** Every session and approval that this token may see, as they change. */
  async *feed(options: { readonly signal?: AbortSignal } = {}): AsyncGenerator<FeedFrame | FeedOpened> {
    if (this.#closed || options.signal?.aborted === true) return;
    const box: FeedBox = new Mailbox(FEED_BOUNDS);
    const stop = (): void => {
      box.clear();
      box.end();
    };
    options.signal?.addEventListener("abort", stop);
    this.#feeds.add(box);
    this.#socket.want();
    if (this.#socket.open) this.#startFeed(box);
    try {
      for (let frame = await box.next(); frame !== undefined; frame = await box.next()) yield frame;
    } finally {
      options.signal?.removeEventListener("abort", stop);
      this.#feeds.delete(box);
      this.#tidy();
    }
  }

  /**
   * Offers tools of this page to a session: the agent calls them, the page runs them. They stay until they are withdrawn, across reconnects;
   * each call runs at most once.
   */
  offer(sessionId: string, offer: PageOffer): OfferedPage {
    const page = new OfferedPage(sessionId, offer, {
      socket: this.#socket,
      window: this.#window,
      over: () => {
        this.#pages.delete(page);
        this.#tidy();
      },
    });
    this.#pages.add(page);
    this.#socket.want();
    return page;
  }

  /** Ends everything, for good. */
  close(): void {
    this.#closed = true;
    for (const page of this.#pages) page.stop();
    for (const subscription of this.#subscriptions.values()) subscription.stop();
    for (const box of this.#feeds) {
      box.clear();
      box.end();
    }
    this.#socket.close();
  }

  #subscription(id: string): LiveSubscription {
    const subscription = new LiveSubscription(id, this.#socket);
    this.#subscriptions.set(id, subscription);
    return subscription;
  }

  #opened(): void {
    this.#feed = "none";
    for (const subscription of this.#subscriptions.values()) subscription.begin();
    this.#tidy();
    for (const box of this.#feeds) this.#startFeed(box);
    for (const page of this.#pages) page.begin();
  }

  #startFeed(box: FeedBox): void {
    // The server's `feeding` opens all waiting feeds.
    if (this.#feed === "open") openFeed(box);
    else if (this.#feed === "none") {
      this.#feed = "asked";
      this.#socket.send({ type: "feed" });
    }
  }

  #take(message: Readonly<Record<string, unknown>>, chars: number): void {
    switch (message["type"]) {
      case "feeding":
        this.#feed = "open";
        for (const box of this.#feeds) openFeed(box);
        return;
      case "session.changed":
      case "approval.changed":
        for (const box of this.#feeds) {
          // Too much for this reader: reading the lists is shorter.
          if (!box.put(message as unknown as FeedFrame, chars)) openFeed(box);
        }
        return;
      case "refused":
        if (message["feed"] === true) this.#feedRefused(failureOf(message));
        else if ("command_id" in message) for (const page of this.#pages) page.take(message);
        else this.#of(message)?.refused(failureOf(message));
        break;
      case "subscribed":
        this.#of(message)?.subscribed();
        break;
      case "unsubscribed":
        this.#of(message)?.unsubscribed(message["ended"] === true);
        break;
      case "receipt":
      case "tool.call":
      case "tool.settled":
        for (const page of this.#pages) page.take(message);
        return;
      default:
        this.#of(message)?.frame(message as unknown as StreamFrame, chars);
        return;
    }
    this.#tidy();
  }

  #feedRefused(failure: Failure): void {
    this.#feed = "none";
    for (const box of this.#feeds) box.end(failure);
  }

  #of(message: Readonly<Record<string, unknown>>): LiveSubscription | undefined {
    return this.#subscriptions.get(String(message["session_id"]));
  }

  #refused(failure: Failure): void {
    for (const subscription of this.#subscriptions.values()) subscription.fail(failure);
    for (const box of this.#feeds) box.end(failure);
    for (const page of this.#pages) page.fail(failure);
  }

  /** Forgets what nobody listens to and the server has dropped. */
  #tidy(): void {
    for (const [id, subscription] of this.#subscriptions) if (subscription.over) this.#subscriptions.delete(id);
    const used = this.#feeds.size > 0 || this.#pages.size > 0;
    const listened = used || [...this.#subscriptions.values()].some(({ listened }) => listened);
    if (!listened && !this.#closed) this.#socket.rest();
  }
}

function openFeed(box: FeedBox): void {
  box.clear();
  box.put({ type: "feed.opened" }, 0);
}
