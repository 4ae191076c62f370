import {
  atVerbosity,
  Failure,
  LIMITS,
  mappingFor,
  openThread,
  threadRows,
  type SessionSettings,
  type ThreadMapping,
  type ThreadRow,
} from "../../protocol/index.ts";
import type { Caller, Frame } from "../../sessions/index.ts";
import type { SurfaceOptions } from "../surface.ts";
import type { BridgeRun } from "./bridge.ts";
import type { BridgeChoices } from "./choices.ts";
import type { RowFeed } from "./feed.ts";

interface FollowedThread {
  readonly controller: AbortController;
  /** A turn is open. */
  running: boolean;
}

interface WatchedThread {
  readonly thread: FollowedThread;
  readonly settings: SessionSettings;
  readonly frames: AsyncIterable<readonly Frame[]>;
  /** Called when everything up to a position in the journal was sent. */
  readonly told: (seq: number) => void;
}

/** The threads that one client follows: each is a watcher of its session, with the client's own rights. */
export class FollowedThreads {
  readonly #options: SurfaceOptions;
  readonly #caller: Caller;
  readonly #feed: RowFeed;
  readonly #choices: BridgeChoices;
  /** By session; least recently active first. */
  readonly #threads = new Map<string, FollowedThread>();
  #closed = false;

  constructor(
    options: SurfaceOptions,
    client: { readonly caller: Caller; readonly feed: RowFeed; readonly choices: BridgeChoices },
  ) {
    this.#options = options;
    this.#caller = client.caller;
    this.#feed = client.feed;
    this.#choices = client.choices;
  }

  /** Threads with an open turn. */
  get running(): readonly string[] {
    return [...this.#threads].flatMap(([id, { running }]) => (running ? [id] : []));
  }

  /**
   * Shows a thread from a position in its journal on. Resolves when everything up to `upto` was sent, or at once if the
   * client may not see it: then it does not exist for it.
   */
  async follow({ session_id, after }: BridgeRun, upto = 0): Promise<void> {
    if (this.#closed || this.#threads.has(session_id)) return;
    const thread: FollowedThread = { controller: new AbortController(), running: false };
    this.#makeRoom();
    this.#threads.set(session_id, thread);
    const { sessions } = this.#options.gateway;
    let frames: AsyncIterable<readonly Frame[]>;
    let settings: SessionSettings;
    try {
      ({ settings } = await sessions.get(this.#caller, session_id));
      frames = await sessions.watch(this.#caller, session_id, after, thread.controller.signal);
    } catch (error) {
      this.#forget(session_id, thread);
      if (error instanceof Failure && (error.code === "not_found" || error.code === "forbidden")) return;
      throw error;
    }
    await new Promise<void>((toldSoFar) => {
      if (upto <= after) toldSoFar();
      const told = (seq: number): void => {
        if (seq >= upto) toldSoFar();
      };
      void this.#show(session_id, { thread, settings, frames, told }).finally(() => {
        this.#forget(session_id, thread);
        toldSoFar();
      });
    });
  }

  close(): void {
    this.#closed = true;
    for (const { controller } of this.#threads.values()) controller.abort();
    this.#threads.clear();
  }

  async #show(id: string, watched: WatchedThread): Promise<void> {
    const chosen = (): ThreadMapping => mappingFor(this.#choices.mapping, watched.settings.engine);
    let state = openThread(chosen());
    try {
      for await (const batch of watched.frames) {
        const rows: ThreadRow[] = [];
        for (const frame of batch) {
          // A mapping takes effect with the next turn: in the middle of one, rows would not fit together.
          if (frame.type === "turn.started") state = openThread(chosen());
          const step = threadRows(state, frame.value);
          state = step.state;
          rows.push(...step.rows.map((row) => marked(row, watched.settings)));
          this.#note(id, watched.thread, frame.type);
        }
        const shown = atVerbosity(this.#choices.verbosity, rows);
        await this.#feed.tell({ thread_id: id, rows: shown, mapping: state.mapping });
        watched.told(batch.findLast(({ seq }) => seq !== undefined)?.seq ?? 0);
      }
    } catch (error) {
      this.#options.log.warn({ err: error, session: id }, "a bridge client's thread ended early");
    }
  }

  #note(id: string, thread: FollowedThread, type: Frame["type"]): void {
    if (this.#threads.get(id) !== thread) return;
    if (type === "turn.started" || type === "turn.resumed") {
      thread.running = true;
      this.#threads.delete(id);
      this.#threads.set(id, thread);
    } else if (type === "turn.completed" || type === "turn.failed") thread.running = false;
  }

  /** Unless it was dropped meanwhile, and another watcher took its place. */
  #forget(id: string, thread: FollowedThread): void {
    if (this.#threads.get(id) === thread) this.#threads.delete(id);
  }

  /** Idle threads are dropped first, and come back with their next run. */
  #makeRoom(): void {
    if (this.#threads.size < LIMITS.bridgeThreads) return;
    const candidates = [...this.#threads];
    const [id, thread] = candidates.find(([, { running }]) => !running) ?? candidates[0] ?? [];
    if (id === undefined || thread === undefined) return;
    this.#threads.delete(id);
    thread.controller.abort();
    if (!thread.running) return;
    const message = `more than ${LIMITS.bridgeThreads} runs are open; the rest of this one is not shown here`;
    void this.#feed.tell({ thread_id: id, rows: [{ type: "error", message }], mapping: this.#choices.mapping });
  }
}

/** A turn's cost is an estimate where a person's login was used. */
function marked(row: ThreadRow, { own_login }: SessionSettings): ThreadRow {
  return own_login === undefined || !("cost_microusd" in row) ? row : { ...row, own_login };
}
