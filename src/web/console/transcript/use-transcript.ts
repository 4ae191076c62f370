import { useEffect, useState, useSyncExternalStore } from "react";
import type { LiveConnection } from "../../../client/index.ts";
import { useConnection } from "../../ui/app/connection.tsx";
import { noteRefusal } from "../app/signed-out.ts";
import { ConsoleTranscript, type TranscriptView } from "./transcript.ts";

/** How often a hidden page is updated. */
const HIDDEN_MS = 500;

/** One session's journal, followed while the page shows it. Everything that arrives is painted at most once a frame. */
class Follower {
  readonly #listeners = new Set<() => void>();
  #transcript = new ConsoleTranscript();
  #scheduled = false;
  #shown: FollowedTranscript = { view: this.#transcript.view, error: undefined };

  get shown(): FollowedTranscript {
    return this.#shown;
  }

  /** From the first event on. Call the returned function to end it. */
  start(live: LiveConnection, id: string): () => void {
    const stop = new AbortController();
    const transcript = new ConsoleTranscript();
    this.#transcript = transcript;
    void this.#run(live.watch(id, { signal: stop.signal }), transcript, stop.signal);
    return () => stop.abort();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #run(
    frames: ReturnType<LiveConnection["watch"]>,
    transcript: ConsoleTranscript,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      for await (const frame of frames) {
        transcript.apply(frame);
        this.#schedule();
      }
    } catch (error) {
      noteRefusal(error);
      if (!signal.aborted) this.#schedule(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #schedule(error?: Error): void {
    if (this.#scheduled && error === undefined) return;
    this.#scheduled = true;
    const paint = (): void => {
      this.#scheduled = false;
      this.#shown = { view: this.#transcript.view, error };
      for (const listener of this.#listeners) listener();
    };
    if (document.hidden) setTimeout(paint, HIDDEN_MS);
    else requestAnimationFrame(paint);
  }
}

export interface FollowedTranscript {
  readonly view: TranscriptView;
  /** Why it is not followed any more. */
  readonly error: Error | undefined;
}

/** For one session: a component that shows another one is another component (`key`). */
export function useTranscript(id: string): FollowedTranscript {
  const { live } = useConnection();
  const [follower] = useState(() => new Follower());
  useEffect(() => follower.start(live, id), [follower, live, id]);
  return useSyncExternalStore(
    (changed) => follower.subscribe(changed),
    () => follower.shown,
  );
}
