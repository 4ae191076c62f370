import { useEffect, useState, useSyncExternalStore } from "react";
import { LIMITS, type JournalEvent } from "../../../protocol/index.ts";
import type { LiveConnection, SallyportClient } from "../../../client/index.ts";
import { useConnection } from "../../ui/app/connection.tsx";
import { noteRefusal } from "../app/signed-out.ts";
import { BACKGROUND_EVENTS, EndFirstTranscript } from "./end-first.ts";
import type { TranscriptView } from "./transcript.ts";

/** How often a hidden page is updated. */
const HIDDEN_MS = 500;
/** The pause before older events are read that nobody waits for, and after a failure. */
const IDLE_MS = 150;
const RETRY_MS = 2_000;
const TRIES = 5;

interface FollowedJournal {
  readonly live: LiveConnection;
  readonly client: Pick<SallyportClient, "events">;
  readonly id: string;
  /** The journal's last event, as far as known. */
  readonly seq: number;
}

/**
 * One session's journal, followed while the page shows it: its end first, then what comes, and older events behind the reader's back or when
 * they are wanted. Everything that arrives is painted at most once a frame.
 */
class Follower {
  readonly #listeners = new Set<() => void>();
  #transcript = new EndFirstTranscript(0);
  #scheduled = false;
  /** Older events are read down to this one. */
  #wanted = 0;
  /** Ends the pause before older events are read. */
  #hurry: () => void = () => undefined;
  /** Events down to this one are wanted now. */
  readonly reach = (seq: number): void => {
    this.#wanted = Math.min(this.#wanted, Math.max(0, seq - 1));
    this.#hurry();
  };
  #shown: FollowedTranscript = this.#show(undefined);

  get shown(): FollowedTranscript {
    return this.#shown;
  }

  /** Call the returned function to end it. */
  start({ live, client, id, seq }: FollowedJournal): () => void {
    const stop = new AbortController();
    const transcript = new EndFirstTranscript(seq);
    this.#transcript = transcript;
    this.#wanted = Math.max(0, seq - BACKGROUND_EVENTS);
    this.#shown = this.#show(undefined);
    void this.#run(live.watch(id, { after: transcript.from, signal: stop.signal }), transcript, stop.signal);
    void this.#fill({ transcript, signal: stop.signal, goal: seq, read: (query) => client.events(id, query) });
    return () => {
      stop.abort();
      this.#hurry();
    };
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #run(
    frames: ReturnType<LiveConnection["watch"]>,
    transcript: EndFirstTranscript,
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

  async #fill({ transcript, signal, goal, read }: Filling): Promise<void> {
    let failures = 0;
    while (transcript.from > 0 && failures < TRIES) {
      // First the end, and what has to be painted of it.
      const isEnough = transcript.from <= this.#wanted;
      await this.#pause(failures > 0 ? RETRY_MS : isEnough ? undefined : IDLE_MS);
      if (signal.aborted) return;
      if (transcript.view.seq < goal || transcript.from <= this.#wanted) continue;
      try {
        transcript.prepend(await older(transcript, read));
        failures = 0;
        if (!signal.aborted) this.#schedule();
      } catch {
        failures += 1;
      }
    }
  }

  /** Without a time: until somebody wants more. */
  #pause(ms: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
      this.#hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #schedule(error?: Error): void {
    if (this.#scheduled && error === undefined) return;
    this.#scheduled = true;
    const paint = (): void => {
      this.#scheduled = false;
      this.#shown = this.#show(error);
      for (const listener of this.#listeners) listener();
    };
    if (document.hidden) setTimeout(paint, HIDDEN_MS);
    else requestAnimationFrame(paint);
  }

  #show(error: Error | undefined): FollowedTranscript {
    return { view: this.#transcript.view, error, from: this.#transcript.from, reach: this.reach };
  }
}

interface Filling {
  readonly transcript: EndFirstTranscript;
  readonly signal: AbortSignal;
  readonly goal: number;
  readonly read: (query: { after: number; limit: number }) => Promise<{ events: JournalEvent[] }>;
}

/** The next older events, whole or not at all. */
async function older({ from, next }: EndFirstTranscript, read: Filling["read"]): Promise<readonly JournalEvent[]> {
  const events: JournalEvent[] = [];
  let after = from - next;
  while (after < from) {
    const page = await read({ after, limit: Math.min(from - after, LIMITS.pageSizeMax) });
    const last = page.events.at(-1);
    if (last === undefined) throw new Error("the journal has a gap");
    events.push(...page.events);
    after = last.seq;
  }
  return events;
}

export interface FollowedTranscript {
  readonly view: TranscriptView;
  /** Why it is not followed any more. */
  readonly error: Error | undefined;
  /** The event before the first one that is here; 0: the conversation is whole. */
  readonly from: number;
  /** Reads older events, down to this one. */
  readonly reach: (seq: number) => void;
}

/** For one session: a component that shows another one is another component (`key`). */
export function useTranscript(id: string, seq: number): FollowedTranscript {
  const { live, client } = useConnection();
  const [follower] = useState(() => new Follower());
  // The journal's end when the page was opened; later events are followed live.
  const [goal] = useState(seq);
  useEffect(() => follower.start({ live, client, id, seq: goal }), [follower, live, client, id, goal]);
  return useSyncExternalStore(
    (changed) => follower.subscribe(changed),
    () => follower.shown,
  );
}
