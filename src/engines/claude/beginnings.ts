import { LIMITS } from "../../protocol/index.ts";
import type { Ancestor, Host, Opening } from "../engine.ts";
import { readPast, type Past } from "./history.ts";
import type { Start } from "./link.ts";
import { readState, type Place, type StateFile } from "./state.ts";
import { borrowTranscript, holdsMessage, mendTranscript, returnTranscript, transcriptOf } from "./transcripts.ts";

const FLUSH_ROUNDS = 20;

/** Where a fork begins. `note` absent: nobody knows of any. */
interface Lent {
  readonly from: Place & { readonly uuid: string };
  readonly note?: string;
}

/** Where a conversation goes on. `retell`: the vendor's own record is lost, and the model must be told what was said. */
export interface Beginning {
  readonly start: Start;
  readonly retell: string;
  /** What the model must still be told of the turn before; empty: nothing. */
  readonly note: string;
  /** Whether the vendor's record has the prompt of the open turn. */
  readonly hasPrompt: boolean;
}

/** Finds out how a conversation goes on in a new process. */
export class Beginnings {
  readonly #opening: Opening;
  readonly #host: Host;
  readonly #state: StateFile;
  readonly #newUuid: () => string;
  #past: Promise<Past> | undefined;
  #givenUp = false;

  constructor(opening: Opening, host: Host, state: StateFile, newUuid: () => string) {
    this.#opening = opening;
    this.#host = host;
    this.#state = state;
    this.#newUuid = newUuid;
  }

  /** The vendor's record is of no use: from now on nothing is taken up, only told. */
  giveUp(): void {
    this.#givenUp = true;
    this.#state.save({ session: undefined, fork: undefined });
  }

  /** The journal as it was when the conversation was opened. */
  past(): Promise<Past> {
    this.#past ??= readPast(this.#opening.history());
    return this.#past;
  }

  /** `prompt`: the vendor's id of the open turn's prompt, which may be in its record already; absent: it cannot be. */
  async find(prompt?: string): Promise<Beginning> {
    const { folder } = this.#host;
    const { session, fork, turns } = this.#state.kept;
    const rest = { retell: "", hasPrompt: false, note: turns.at(-1)?.note ?? "" };
    const own = session === undefined ? undefined : transcriptOf(folder, session);
    if (session !== undefined && own !== undefined) {
      if (fork !== undefined) this.#returnBorrowed(fork.session);
      await mendTranscript(own);
      const hasPrompt = prompt !== undefined && (await holdsMessage(own, prompt));
      return { ...rest, start: { type: "resume", session }, hasPrompt };
    }
    // The vendor's program had not written its own copy yet.
    const lent = session === undefined ? await this.#ancestor() : this.#borrowed(fork);
    if (lent !== undefined && !this.#givenUp) {
      const { from, note = rest.note } = lent;
      return { ...rest, start: { type: "fork", session: this.#newUuid(), from }, note };
    }
    const { text } = await this.past();
    return { ...rest, start: { type: "fresh", session: this.#newUuid() }, retell: text };
  }

  /** The program has its own copy by now. */
  #returnBorrowed(session: string): void {
    returnTranscript(this.#host.folder, session);
    this.#state.save({ fork: undefined });
  }

  #borrowed(fork: Place | undefined): Lent | undefined {
    if (fork?.uuid === undefined || transcriptOf(this.#host.folder, fork.session) === undefined) return undefined;
    return { from: { session: fork.session, uuid: fork.uuid } };
  }

  /** The record of the nearest session that lends a turn, put into our own folder. */
  async #ancestor(): Promise<Lent | undefined> {
    const ancestor = this.#opening.ancestry.find(({ after_turn }) => after_turn !== undefined);
    const lent = ancestor === undefined ? undefined : lentBy(ancestor);
    if (ancestor === undefined || lent === undefined) return undefined;
    const path = transcriptOf(ancestor.folder, lent.from.session);
    return path !== undefined && (await this.#borrow(path, lent.from)) ? lent : undefined;
  }

  /** What was said a moment ago may not be on the disk yet. */
  async #borrow(path: string, place: Lent["from"]): Promise<boolean> {
    for (let round = 0; round < FLUSH_ROUNDS; round += 1) {
      if (await borrowTranscript(path, place, this.#host.folder)) return true;
      await this.#host.sleep(LIMITS.engineFlushMs / FLUSH_ROUNDS, new AbortController().signal);
    }
    return false;
  }
}

function lentBy({ folder, after_turn }: Ancestor): Lent | undefined {
  const turn = readState(folder).turns.find(({ turn_id }) => turn_id === after_turn);
  const { session, uuid } = turn?.at ?? {};
  return session === undefined || uuid === undefined ? undefined : { from: { session, uuid }, note: turn?.note ?? "" };
}
