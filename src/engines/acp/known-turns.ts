import type { TurnStory } from "../claude/history.ts";
import { UntoldNotes } from "../vendor/untold-notes.ts";
import type { ReplayedConversation } from "./replay.ts";
import type { AgentStateFile } from "./state.ts";

/**
 * How a turn ended for the agent. `completed`: as it says. `stopped`: it answered, but the turn failed. `failed`: it refused the prompt or
 * answered it with an error, and may have dropped it. `none`: it did not answer, so it may have nothing of the turn.
 */
export type PromptEnd = "completed" | "stopped" | "failed" | "none";

/** What an agent knows for certain. */
interface Knowledge {
  /** The last turn that it has. Absent: none. */
  readonly turn_id?: string | undefined;
  /** The name of the system prompt that it was told. Absent: none. */
  readonly prompt?: string | undefined;
}

interface TurnEnding {
  readonly turn_id: string;
  readonly end: PromptEnd;
  readonly note: string;
  /** The name of the system prompt in the turn. */
  readonly prompt: string;
}

interface UntoldOptions {
  /** What the agent replayed when its process began. Absent: nothing, or the process has had a prompt. */
  readonly replayed: ReplayedConversation | undefined;
  /** The open turn, and whether it goes on after a restart: then the agent may have its prompt. */
  readonly open: string;
  readonly isResumed: boolean;
}

interface WalkOptions {
  readonly known: number;
  readonly replayed: ReplayedConversation;
  readonly isResumed: boolean;
}

/**
 * What an agent knows about its conversation. A process knows what it answered. Only completed turns surely outlive it:
 * until then all that it was told is told again to the next process.
 */
export class KnownTurns {
  readonly #state: AgentStateFile;
  readonly #notes: UntoldNotes;
  #process: object | undefined;
  /** Of the current process, once it has answered. */
  #alive: Knowledge | undefined;
  /** The open turn began with turns that the agent lacked. */
  #isTelling = false;

  constructor(state: AgentStateFile) {
    this.#state = state;
    this.#notes = new UntoldNotes(() => state.state.note);
  }

  /** A turn begins in a process. `session`: the agent's conversation; a new one knows nothing. `note`: what it must still be told. */
  begin(process: object, session: string): Knowledge & { readonly note: string | undefined } {
    if (this.#process !== process) this.#alive = undefined;
    this.#process = process;
    this.#isTelling = false;
    const isNew = this.#state.state.session !== session;
    this.#state.save({ session, ...(isNew ? { turn_id: undefined, prompt: undefined } : {}) });
    return { ...this.#known, note: this.#notes.due(process) };
  }

  /** Ended turns that the agent must be told of, oldest first. */
  untold(ended: readonly TurnStory[], { replayed, open, isResumed }: UntoldOptions): readonly TurnStory[] {
    const { turn_id: newest } = this.#known;
    // The server died as the open turn ended.
    const known = newest === open ? ended.length - 1 : ended.findLastIndex(({ turn_id }) => turn_id === newest);
    const first = replayed === undefined ? known + 1 : firstLacking(ended, { known, replayed, isResumed });
    this.#isTelling = first < ended.length;
    return ended.slice(first);
  }

  /** `process`: the one that had the turn; absent: it has ended. */
  ended({ turn_id, end, note, prompt }: TurnEnding, process: object | undefined): void {
    const isKnown = end === "completed" || end === "stopped" || (end === "failed" && !this.#isTelling);
    const isCompleted = end === "completed";
    const now = { turn_id, prompt };
    if (process !== undefined && process === this.#process) this.#alive = isKnown ? now : this.#known;
    const words = note === "" ? undefined : note;
    const untold = this.#notes.ended({ note: words, isTold: isKnown, isCompleted }, process);
    this.#state.save({ ...(isCompleted ? now : {}), note: untold });
  }

  get #known(): Knowledge {
    return this.#alive ?? this.#state.state;
  }
}

/** Where the turns begin that an agent must be told. `known`: the last turn that it completed; without it -1. */
function firstLacking(ended: readonly TurnStory[], { known, replayed, isResumed }: WalkOptions): number {
  let first = known + 1;
  for (const [at, turn] of [...ended.entries()].toReversed()) {
    const isLast = at === ended.length - 1 && !isResumed;
    const verdict = replayed.verdict(turn, { isLast, isCompleted: at <= known });
    // It was told what it lacked of earlier turns with the prompt of this one.
    if (verdict === "held") return Math.max(first, at + 1);
    if (verdict === "lacking") first = Math.min(first, at);
  }
  return first;
}
