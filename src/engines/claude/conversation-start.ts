import { LIMITS, type Prompt } from "../../protocol/index.ts";
import type { Ancestor, EngineEvent, Host, ConversationOptions, SteeredPrompt } from "../engine.ts";
import { joined, Story, storyOf, type TurnStory } from "./history.ts";
import type { ConversationStart } from "./transport.ts";
import { promptId, readState, type RecordPlace, type StateFile } from "./state.ts";
import { borrowTranscript, mendTranscript, returnTranscript, transcriptOf, type Holdings } from "./transcripts.ts";

const FLUSH_ROUNDS = 20;

/** Where a fork begins. `note` absent: none is known. */
interface BorrowedRecord {
  readonly from: RecordPlace & { readonly uuid: string };
  readonly note?: string;
}

/** Where a conversation continues, and what the model must be told because the vendor's record lacks it. */
export interface ConversationBeginning {
  readonly start: ConversationStart;
  /** Ended turns to retell; empty: all are known. */
  readonly retell: string;
  /** Whether the vendor has no record at all; then all turns are retold. */
  readonly lost: boolean;
  /** What was said and done in the open turn; empty: all is known. */
  readonly sofar: string;
  /** What the model must still be told about the turn before; empty: nothing. */
  readonly note: string;
  /** Whether the vendor's record has the prompt of the open turn. */
  readonly hasPrompt: boolean;
}

/** Determines how a conversation continues in a new process. */
export class ConversationStarter {
  readonly #opening: ConversationOptions;
  readonly #host: Host;
  readonly #state: StateFile;
  readonly #newUuid: () => string;
  /** What happened since the conversation was opened. */
  readonly #since = new Story();
  #before: Promise<readonly TurnStory[]> | undefined;
  #givenUp = false;

  constructor(opening: ConversationOptions, host: Host, state: StateFile, newUuid: () => string) {
    this.#opening = opening;
    this.#host = host;
    this.#state = state;
    this.#newUuid = newUuid;
  }

  /** The vendor's record is unusable: from now on nothing is resumed, only retold. */
  giveUp(): void {
    this.#givenUp = true;
    this.#state.save({ session: undefined, fork: undefined });
  }

  /** A turn begins, or continues after a server restart: then without its prompt. */
  began(prompt: Prompt | undefined): void {
    this.#since.begin(this.#host.turnId(), prompt);
  }

  happened(events: readonly EngineEvent[]): void {
    for (const event of events) this.#since.add(event);
  }

  /** A person said something in the middle of the turn. */
  steered(steered: SteeredPrompt): void {
    this.#since.steer(steered);
  }

  /** The turn that the journal showed as open when the conversation was opened. */
  async left(): Promise<TurnStory | undefined> {
    const last = (await this.#past()).at(-1);
    return last?.end === undefined && last?.turn_id === this.#host.turnId() ? last : undefined;
  }

  /** `prompt`: the vendor's id of the open turn's prompt, which may already be in its record; absent: it cannot be. */
  async find(prompt?: string): Promise<ConversationBeginning> {
    const { folder } = this.#host;
    const { session, fork, turns } = this.#state.kept;
    const own = session === undefined ? undefined : transcriptOf(folder, session);
    const resumed = session === undefined || own === undefined ? undefined : await this.#resume(own, session, prompt);
    if (resumed !== undefined) {
      if (fork !== undefined) await this.#returnBorrowed(fork.session);
      return resumed;
    }
    const { ended, left } = await this.#story();
    const note = turns.at(-1)?.note ?? "";
    const rest = { retell: "", lost: false, sofar: left === undefined ? "" : callsOf(left), hasPrompt: false, note };
    // The vendor's program had not written its own copy yet.
    const borrowed = session === undefined ? await this.#ancestor() : this.#borrowed(fork);
    if (borrowed !== undefined && !this.#givenUp) {
      const { from, note: borrowedNote = note } = borrowed;
      return { ...rest, start: { type: "fork", session: this.#newUuid(), from }, note: borrowedNote };
    }
    return { ...rest, start: { type: "fresh", session: this.#newUuid() }, retell: storyOf(ended), lost: true };
  }

  /** Undefined when the record is empty. */
  async #resume(path: string, session: string, prompt: string | undefined): Promise<ConversationBeginning | undefined> {
    const { ended, left } = await this.#story();
    const { turns } = this.#state.kept;
    const ends = turns.flatMap(({ at }) => (at.uuid === undefined ? [] : [at.uuid]));
    const last = ended.at(-1);
    const steered = [...(left?.calls ?? []), ...(last?.calls ?? [])].flatMap((call) =>
      call.steered === undefined ? [] : [promptId(call.steered)],
    );
    const asked = new Set([prompt ?? "", ...steered, ...ends, ...ended.map(({ turn_id }) => promptId(turn_id))]);
    const done = left?.done ?? new Set<string>();
    const held = await mendTranscript(path, asked, prompt === undefined ? undefined : { prompt, done });
    if (!held.any) return undefined;
    const hasPrompt = prompt !== undefined && held.messages.has(prompt);
    const missing = hasPrompt ? [] : this.#missing(ended, (uuid) => held.messages.has(uuid));
    return {
      start: { type: "resume", session },
      retell: storyOf(missing),
      lost: false,
      sofar: left === undefined ? "" : callsOf(left, hasPrompt ? held : undefined),
      note: [turns.at(-1)?.note ?? "", missing.length > 0 ? "" : unreadWords(last, held)].filter(Boolean).join("\n\n"),
      hasPrompt,
    };
  }

  /** Turns whose end is not in the record. Everything before a recorded prompt was recorded, or was told with that prompt. */
  #missing(ended: readonly TurnStory[], isHeld: (uuid: string) => boolean): readonly TurnStory[] {
    const { session, turns } = this.#state.kept;
    const places = new Map(turns.map(({ turn_id, at }) => [turn_id, at]));
    // What another record contains was told when this one began.
    const isElsewhere = (turn_id: string): boolean => (places.get(turn_id)?.session ?? session) !== session;
    const last = ended.findLastIndex(({ turn_id }) => isElsewhere(turn_id) || isHeld(promptId(turn_id)));
    const newest = ended[last];
    // A fork knows the end of each of its own turns; it had the others when it began.
    const isFork = this.#opening.ancestry.length > 0;
    if (newest === undefined) return ended.filter(({ turn_id }) => !isFork || places.has(turn_id));
    const at = places.get(newest.turn_id);
    const isWhole = at === undefined ? isFork : isElsewhere(newest.turn_id) || at.uuid === undefined || isHeld(at.uuid);
    return ended.slice(isWhole ? last + 1 : last);
  }

  async #story(): Promise<{ readonly ended: readonly TurnStory[]; readonly left: TurnStory | undefined }> {
    const turns = joined(await this.#past(), this.#since.turns);
    return { ended: turns.filter(({ end }) => end !== undefined), left: await this.left() };
  }

  /** The journal as it was when the conversation was opened. */
  #past(): Promise<readonly TurnStory[]> {
    this.#before ??= Story.of(this.#opening.history()).then(({ turns }) => turns);
    return this.#before;
  }

  /** The program has its own copy by now. */
  async #returnBorrowed(session: string): Promise<void> {
    await returnTranscript(this.#host.folder, session);
    this.#state.save({ fork: undefined });
  }

  #borrowed(fork: RecordPlace | undefined): BorrowedRecord | undefined {
    if (fork?.uuid === undefined || transcriptOf(this.#host.folder, fork.session) === undefined) return undefined;
    return { from: { session: fork.session, uuid: fork.uuid } };
  }

  /** The record of the nearest session that has a turn to offer, copied into our own folder. */
  async #ancestor(): Promise<BorrowedRecord | undefined> {
    const ancestor = this.#opening.ancestry.find(({ after_turn }) => after_turn !== undefined);
    const borrowed = ancestor === undefined ? undefined : borrowedFrom(ancestor);
    if (ancestor === undefined || borrowed === undefined) return undefined;
    const path = transcriptOf(ancestor.folder, borrowed.from.session);
    return path !== undefined && (await this.#borrow(path, borrowed.from)) ? borrowed : undefined;
  }

  /** Recent messages may not be on the disk yet. */
  async #borrow(path: string, place: BorrowedRecord["from"]): Promise<boolean> {
    for (let round = 0; round < FLUSH_ROUNDS; round += 1) {
      if (await borrowTranscript(path, place, this.#host.folder)) return true;
      await this.#host.sleep(LIMITS.engineFlushMs / FLUSH_ROUNDS, new AbortController().signal);
    }
    return false;
  }
}

function borrowedFrom({ folder, after_turn }: Ancestor): BorrowedRecord | undefined {
  const turn = readState(folder).turns.find(({ turn_id }) => turn_id === after_turn);
  const { session, uuid } = turn?.at ?? {};
  return session === undefined || uuid === undefined ? undefined : { from: { session, uuid }, note: turn?.note ?? "" };
}

/** What people sent into an ended turn and the record lacks; empty: nothing. */
function unreadWords(turn: TurnStory | undefined, { messages }: Holdings): string {
  const unread = (turn?.calls ?? []).filter(({ steered }) => steered !== undefined && !messages.has(promptId(steered)));
  if (unread.length === 0) return "";
  return `During the last turn the person also said:\n${unread.map(({ words }) => words).join("\n")}`;
}

/** What a turn did that the vendor's record lacks; without a record: all of it. */
function callsOf(turn: TurnStory, held?: Holdings): string {
  // A call approved before a restart runs under another id afterwards: only the journal knows that they are the same.
  const known = turn.resumed > 1 ? undefined : held;
  const calls = turn.calls.filter(
    ({ tool_use_id, said, steered }) =>
      !(tool_use_id !== undefined && known?.results.has(tool_use_id)) &&
      !(said !== undefined && known?.said.has(said.trim())) &&
      !(steered !== undefined && held?.messages.has(promptId(steered))),
  );
  return storyOf([{ ...turn, asked: "", calls }]);
}
