import { LIMITS, type Prompt } from "../../protocol/index.ts";
import { joined, Story, storyOf, type TurnStory } from "../claude/history.ts";
import { readState, type StateFile } from "../claude/state.ts";
import type { ConversationOptions, EngineEvent, Host, SteeredPrompt } from "../engine.ts";
import type { CodexStart } from "./process.ts";
import { borrowRecord, holdingsOf, recordOf, retool, type RecordHoldings } from "./records.ts";
import type { CodexTools } from "./tools.ts";

/** In a session's folder: its thread, and where each turn ended in Codex's record. */
export const STATE_FILE = "codex.jsonl";

const FLUSH_ROUNDS = 20;

/** Where a conversation continues, and what the model must be told because Codex's record lacks it. */
export interface CodexBeginning {
  readonly start: CodexStart;
  /** Ended turns to retell; empty: all are known. */
  readonly retell: string;
  /** Whether Codex has no record at all; then all turns are retold. */
  readonly isLost: boolean;
  /** What was said and done in the open turn; empty: all is known. */
  readonly sofar: string;
  /** Whether the record has the prompt of the open turn. */
  readonly hasPrompt: boolean;
}

/** For a process that has been running all the time. */
export const ALL_KNOWN = { retell: "", isLost: false, sofar: "", hasPrompt: false } as const;

/** Determines how a conversation continues in a new process. */
export class CodexStarter {
  readonly #opening: ConversationOptions;
  readonly #host: Host;
  readonly #state: StateFile;
  /** What happened since the conversation was opened. */
  readonly #since = new Story();
  #before: Promise<readonly TurnStory[]> | undefined;
  #isGivenUp = false;
  /** Of a fork: what the model must still be told of its parent's last turn. */
  #inherited: string | undefined;

  constructor(opening: ConversationOptions, host: Host, state: StateFile) {
    this.#opening = opening;
    this.#host = host;
    this.#state = state;
  }

  /** Codex's record is unusable: nothing is resumed, only retold. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#state.save({ session: undefined });
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

  /** What the model must still be told about earlier turns. Absent: nothing. */
  get note(): string | undefined {
    const { turns } = this.#state.kept;
    return turns.length === 0 ? this.#inherited : turns.at(-1)?.note;
  }

  /** The turn that the journal showed as open when the conversation was opened. */
  async left(): Promise<TurnStory | undefined> {
    const last = (await this.#past()).at(-1);
    return last?.end === undefined && last?.turn_id === this.#host.turnId() ? last : undefined;
  }

  async find(tools: CodexTools): Promise<CodexBeginning> {
    const { session } = this.#state.kept;
    const left = await this.left();
    const resumed = session === undefined ? await this.#fork(tools) : await this.#resume(session, tools);
    if (resumed !== undefined) return resumed;
    const ended = await this.#ended();
    return {
      start: { type: "fresh" },
      retell: storyOf(ended),
      isLost: ended.length > 0,
      sofar: left === undefined ? "" : storyOf([{ ...left, asked: "" }]),
      hasPrompt: false,
    };
  }

  /** Undefined when there is no record that can be continued. */
  async #resume(thread: string, tools: CodexTools): Promise<CodexBeginning | undefined> {
    const path = recordOf(this.#host.folder, thread);
    const left = await this.left();
    const held = path === undefined ? undefined : await holdingsOf(path, steeredIn(left));
    if (path === undefined || held === undefined) return undefined;
    const isAsItMustBe = held.isWhole && held.tools === JSON.stringify(tools.specs);
    if (!isAsItMustBe && !(await retool(path, tools.specs))) return undefined;
    const hasPrompt = held.prompts.has(this.#host.turnId());
    return {
      start: { type: "resume", thread, path },
      retell: hasPrompt ? "" : storyOf(this.#missing(await this.#ended(), held)),
      isLost: false,
      sofar: left === undefined ? "" : callsOf(left, hasPrompt ? held : undefined),
      hasPrompt,
    };
  }

  /** Continues a copy of the record of the nearest session that has a turn to offer. */
  async #fork(tools: CodexTools): Promise<CodexBeginning | undefined> {
    const ancestor = this.#opening.ancestry.find(({ after_turn }) => after_turn !== undefined);
    if (ancestor === undefined || this.#isGivenUp) return undefined;
    const turn = readState(ancestor.folder, STATE_FILE).turns.find(({ turn_id }) => turn_id === ancestor.after_turn);
    const { session, uuid } = turn?.at ?? {};
    const path = session === undefined ? undefined : recordOf(ancestor.folder, session);
    if (path === undefined || uuid === undefined) return undefined;
    const { folder } = this.#host;
    for (let round = 0; round < FLUSH_ROUNDS; round += 1) {
      const thread = await borrowRecord(path, { folder, tools: tools.specs, upto: uuid });
      if (thread !== undefined) {
        this.#state.save({ session: thread });
        this.#inherited = turn?.note;
        return this.#resume(thread, tools);
      }
      // Its end may not be on the disk yet.
      await this.#host.sleep(LIMITS.engineFlushMs / FLUSH_ROUNDS, new AbortController().signal);
    }
    return undefined;
  }

  async #ended(): Promise<readonly TurnStory[]> {
    return joined(await this.#past(), this.#since.turns).filter(({ end }) => end !== undefined);
  }

  /**
   * Turns after the last one whose prompt is recorded, and what the record lacks of that one: the power may have failed after its end. What
   * came before was recorded, or was told with that prompt.
   */
  #missing(ended: readonly TurnStory[], held: RecordHoldings): readonly TurnStory[] {
    const last = ended.findLastIndex(({ turn_id }) => held.prompts.has(turn_id));
    const turn = ended[last];
    const rest = ended.slice(last + 1);
    if (turn === undefined || this.#hasEnd(turn, held)) return rest;
    const calls = lacking(turn, held);
    return calls.length === 0 ? rest : [{ ...turn, asked: "", calls }, ...rest];
  }

  #hasEnd({ turn_id }: TurnStory, { ends }: RecordHoldings): boolean {
    const { uuid } = this.#state.kept.turns.findLast((turn) => turn.turn_id === turn_id)?.at ?? {};
    return uuid === undefined ? ends.size > 0 : ends.has(uuid);
  }

  /** The journal as it was when the conversation was opened. */
  #past(): Promise<readonly TurnStory[]> {
    this.#before ??= Story.of(this.#opening.history()).then(({ turns }) => turns);
    return this.#before;
  }
}

function steeredIn(turn: TurnStory | undefined): ReadonlySet<string> {
  return new Set(turn?.calls.flatMap(({ steered }) => steered ?? []));
}

/** What a turn did that the record lacks; without a record: all of it. */
function callsOf(turn: TurnStory, held: RecordHoldings | undefined): string {
  return storyOf([{ ...turn, asked: "", calls: lacking(turn, held) }]);
}

function lacking(turn: TurnStory, held: RecordHoldings | undefined): TurnStory["calls"] {
  // A call approved before a restart has its result in our own words only.
  const known = turn.resumed > 1 ? undefined : held;
  return turn.calls.filter(
    ({ tool_use_id, said, steered }) =>
      !(tool_use_id !== undefined && known?.results.has(tool_use_id)) &&
      !(said !== undefined && known?.said.has(said.trim())) &&
      !(steered !== undefined && held?.prompts.has(steered)),
  );
}
