import { Failure, LIMITS } from "../../protocol/index.ts";
import type { ClaudeTree, FollowedSession } from "./claude-tree.ts";
import { changedFiles, pathOf, sessionFileOf } from "./resources.ts";

export interface SubscriptionsOptions {
  readonly tree: ClaudeTree;
  /** The file at this address has changed. */
  readonly tell: (uri: string) => void;
  readonly onError: (error: unknown) => void;
}

interface WatchedSession {
  /** By file name: the addresses that clients used for it, and how often each is wanted. */
  readonly files: Map<string, Map<string, number>>;
  readonly stop: AbortController;
}

/** The files that one client listens to. A session is followed while at least one of its files is wanted. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #sessions = new Map<string, WatchedSession>();
  /** Recently reported files; true: changed again since. */
  readonly #recent = new Map<string, boolean>();
  #count = 0;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /** Resolves when no change can be missed any more. Throws a Failure if there is no such file, or it reports no changes. */
  async add(uri: string): Promise<void> {
    const { tree } = this.#options;
    const path = pathOf(uri);
    const file = sessionFileOf(path);
    if (file === undefined)
      throw new Failure("unsupported", `${uri} does not tell of changes; only the files of sessions do`);
    if (this.#count >= LIMITS.mcpSubscriptions)
      throw new Failure(
        "limit_reached",
        `one client may subscribe to ${LIMITS.mcpSubscriptions} files; unsubscribe from some`,
      );
    if (!(await tree.stat(path)).readable) throw new Failure("forbidden", `${uri} may not be read`);
    const { session_id } = file;
    const watched = this.#sessions.get(session_id) ?? {
      files: new Map<string, Map<string, number>>(),
      stop: new AbortController(),
    };
    if (!this.#sessions.has(session_id)) {
      this.#sessions.set(session_id, watched);
      await this.#begin(session_id, watched);
    }
    const uris = watched.files.get(file.file) ?? new Map<string, number>();
    watched.files.set(file.file, uris);
    uris.set(uri, (uris.get(uri) ?? 0) + 1);
    this.#count += 1;
  }

  remove(uri: string): void {
    const file = sessionFileOf(pathOf(uri));
    const watched = file === undefined ? undefined : this.#sessions.get(file.session_id);
    const uris = file === undefined ? undefined : watched?.files.get(file.file);
    const wanted = uris?.get(uri);
    if (file === undefined || watched === undefined || uris === undefined || wanted === undefined) return;
    this.#count -= 1;
    if (wanted > 1) uris.set(uri, wanted - 1);
    else uris.delete(uri);
    if (uris.size === 0) watched.files.delete(file.file);
    if (watched.files.size > 0) return;
    watched.stop.abort();
    this.#sessions.delete(file.session_id);
  }

  close(): void {
    for (const { stop } of this.#sessions.values()) stop.abort();
    this.#sessions.clear();
    this.#count = 0;
  }

  async #begin(session_id: string, watched: WatchedSession): Promise<void> {
    try {
      void this.#follow(await this.#options.tree.follow(session_id, watched.stop.signal), watched);
    } catch (error) {
      this.#sessions.delete(session_id);
      throw error;
    }
  }

  async #follow({ begun, frames }: FollowedSession, { files, stop }: WatchedSession): Promise<void> {
    try {
      for await (const frame of frames) {
        if (stop.signal.aborted) return;
        if ("seq" in frame && frame.seq <= begun.seq) continue;
        for (const name of changedFiles(frame)) for (const uri of files.get(name)?.keys() ?? []) this.#changed(uri);
      }
    } catch (error) {
      if (!stop.signal.aborted) this.#options.onError(error);
    }
  }

  /** At once, and then at most once per interval: streaming text changes with every word. */
  #changed(uri: string): void {
    if (this.#recent.has(uri)) {
      this.#recent.set(uri, true);
      return;
    }
    this.#recent.set(uri, false);
    this.#options.tell(uri);
    setTimeout(() => {
      const again = this.#recent.get(uri) === true;
      this.#recent.delete(uri);
      if (again && this.#sessions.size > 0) this.#changed(uri);
    }, LIMITS.mcpUpdateMs).unref();
  }
}
