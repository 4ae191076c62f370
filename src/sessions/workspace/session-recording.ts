import { Failure } from "../../protocol/index.ts";
import {
  beginRecording,
  readBook,
  recordPoint,
  type RecordedPlace,
  type RecordingBook,
} from "../../workspaces/index.ts";
import type { Dependencies } from "../dependencies.ts";
import type { SessionState } from "../core/state.ts";

/** What a recording needs of its session. */
interface RecordedSession {
  readonly state: SessionState;
  readonly dependencies: Pick<Dependencies, "recordings" | "trees" | "clock" | "log">;
}

/** A recording that can be compared with. */
export interface OpenedRecording {
  readonly place: RecordedPlace;
  /** Where it is noted what is being written into the files. Absolute. */
  readonly notes: string;
  /** Absent: the session has run nothing that could change a file, or nothing could be recorded. */
  readonly book: RecordingBook | undefined;
  /** Why nothing could be recorded; absent: it could. */
  readonly problem?: string | undefined;
}

type RecordingWork<Answer> = (place: RecordedPlace, notes: OpenedRecording["notes"]) => Promise<Answer>;

/**
 * Records a session's files before its first call that could change something, and after each turn with such a call. What cannot be
 * recorded never holds up a call.
 */
export class SessionRecording {
  readonly #session: RecordedSession;
  #work: Promise<unknown> = Promise.resolve();
  #pending = 0;
  /** It is recorded where the session began, or never will be. */
  #isBegun = false;
  /** The turn in which that was tried last. */
  #tried: string | undefined;
  /** The turn that ran something, until it is recorded. */
  #changed: { readonly id: string; readonly seq: number } | undefined;
  #problem: string | undefined;

  constructor(session: RecordedSession) {
    this.#session = session;
  }

  get isBusy(): boolean {
    return this.#pending > 0;
  }

  /** Waited for before a call that could change something. */
  async before(): Promise<void> {
    if (!this.#isRecorded()) return;
    const { turn } = this.#session.state;
    if (turn !== undefined) this.#changed = { id: turn.id, seq: turn.started_seq };
    if (this.#isBegun || (turn !== undefined && this.#tried === turn.id)) {
      // The last turn's end may still be looked at.
      await this.#work;
      return;
    }
    // A disk that is full may have room at the next turn.
    this.#tried = turn?.id;
    await this.#trying(async (place) => {
      await this.#begin(place);
      this.#isBegun = true;
    });
  }

  /** A turn that a dead server left had run something already. */
  resume(): void {
    const { turn } = this.#session.state;
    if (turn !== undefined && turn.running.length > 0) this.#changed = { id: turn.id, seq: turn.started_seq };
  }

  /** A turn may have ended. */
  look(): void {
    const changed = this.#changed;
    if (changed === undefined || this.#session.state.turn?.id === changed.id) return;
    this.#changed = undefined;
    void this.#trying(async (place) => {
      const book = await readBook(place);
      if (book === undefined || book.stopped !== undefined) return;
      await recordPoint(place, book, { turn_id: changed.id, seq: changed.seq, at: this.#now() });
    });
  }

  /** Resolves when nothing is being recorded. */
  async settled(): Promise<void> {
    await this.#work;
  }

  /** One after the other: two would write the same files. */
  use<Answer>(work: (opened: OpenedRecording) => Promise<Answer>): Promise<Answer> {
    return this.#enqueue(async (place, notes) => {
      const book = await readBook(place);
      const missed = book === undefined && this.#session.state.acted === true ? "nothing was recorded" : undefined;
      return work({ place, notes, book, problem: this.#problem ?? this.#off() ?? missed });
    });
  }

  async #begin(place: RecordedPlace): Promise<void> {
    if ((await readBook(place)) === undefined) await beginRecording(place, this.#now(), this.#session.state.acted);
  }

  async #trying(work: (place: RecordedPlace) => Promise<void>): Promise<void> {
    try {
      await this.#enqueue(work);
      this.#problem = undefined;
    } catch (error) {
      // A folder with too much in it is not looked through again.
      if (error instanceof Failure && error.code === "limit_reached") this.#isBegun = true;
      this.#problem = error instanceof Failure ? error.message : "the server's log says why";
      const { log } = this.#session.dependencies;
      log.info({ session: this.#session.state.id, err: error }, "the files of a session could not be recorded");
    }
  }

  #enqueue<Answer>(work: RecordingWork<Answer>): Promise<Answer> {
    this.#pending += 1;
    const done = this.#work
      .then(() => this.#inPlace(work))
      .finally(() => {
        this.#pending -= 1;
      });
    this.#work = done.catch(() => undefined);
    return done;
  }

  async #inPlace<Answer>(work: RecordingWork<Answer>): Promise<Answer> {
    const { state, dependencies } = this.#session;
    const { settings, id } = state;
    const { folder, home } = dependencies.recordings;
    const place = { folder: folder(id), home, workspace: settings.workspace };
    if (settings.source === undefined) return work(place, place.folder);
    // A snapshot may have to be mounted.
    const { tree, release } = await dependencies.trees.use(id);
    try {
      return await work(place, tree.folder);
    } finally {
      await release();
    }
  }

  /** The files of a job are for nobody. */
  #isRecorded(): boolean {
    const { state, dependencies } = this.#session;
    const { settings } = state;
    return dependencies.recordings.isOn && settings.job === undefined && settings.workspace_mode !== "empty";
  }

  #off(): string | undefined {
    return this.#session.dependencies.recordings.isOn ? undefined : "this server records no files (record_files)";
  }

  #now(): number {
    return this.#session.dependencies.clock.now();
  }
}
