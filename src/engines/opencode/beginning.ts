import { Failure, type Prompt } from "../../protocol/index.ts";
import { joined, Story, storyOf, type TurnStory } from "../claude/history.ts";
import type { StateFile } from "../claude/state.ts";
import type { ConversationOptions, EngineEvent, Host } from "../engine.ts";
import { record, text } from "../vendor/fields.ts";
import type { OpenCodeServer } from "./server.ts";
import { readRecorded } from "./wire.ts";

/** What an engine's session remembers between turns. */
export const STATE_FILE = "opencode.jsonl";

/** Where a conversation continues, and what the model must be told because OpenCode's record lacks it. */
export interface Beginning {
  /** OpenCode's id. */
  readonly session: string;
  /** Ended turns to retell; empty: all are known. */
  readonly retell: string;
  /** Whether those are all turns that there were: OpenCode has no record at all. */
  readonly isWhole: boolean;
  /** What was said and done in the open turn; empty: all is known. */
  readonly sofar: string;
  /** Whether OpenCode's record has the prompt of the open turn. */
  readonly hasPrompt: boolean;
}

interface RecordEnd {
  readonly messages: ReadonlySet<string>;
  /** Calls that have a result, and those that have ended at all. */
  readonly results: ReadonlySet<string>;
  readonly ended: ReadonlySet<string>;
  readonly said: ReadonlySet<string>;
}

/** A process that dies takes at most its last prompts with it. */
const MISSING_TURNS = 3;

const ENDED: ReadonlySet<string> = new Set(["completed", "error"]);

const NOTHING: RecordEnd = { messages: new Set(), results: new Set(), ended: new Set(), said: new Set() };

export interface BeginningOptions {
  readonly opening: ConversationOptions;
  readonly host: Host;
  readonly state: StateFile;
}

/** Determines how a conversation continues in a process. */
export class Beginnings {
  readonly #opening: ConversationOptions;
  readonly #host: Host;
  readonly #state: StateFile;
  /** What happened since the conversation was opened. */
  readonly #since = new Story();
  #before: Promise<readonly TurnStory[]> | undefined;
  /** The process that a turn has begun in. */
  #begun: OpenCodeServer | undefined;

  constructor({ opening, host, state }: BeginningOptions) {
    this.#opening = opening;
    this.#host = host;
    this.#state = state;
  }

  /** A turn begins, or continues after a server restart: then without its prompt. */
  began(prompt: Prompt | undefined): void {
    this.#since.begin(this.#host.turnId(), prompt);
  }

  happened(events: readonly EngineEvent[]): void {
    for (const event of events) this.#since.add(event);
  }

  /** A turn begins in this process, and its model is told what was found. */
  begun(server: OpenCodeServer): void {
    this.#begun = server;
  }

  /** The turn that the journal showed as open when the conversation was opened. */
  async left(): Promise<TurnStory | undefined> {
    const last = (await this.#past()).at(-1);
    return last?.end === undefined && last?.turn_id === this.#host.turnId() ? last : undefined;
  }

  /** For a process that has just said how the last turn ended. Its record has all that was, so that it need not be asked. */
  ongoing(): Beginning | undefined {
    const { session } = this.#state.kept;
    if (session === undefined) return undefined;
    return { session, retell: "", isWhole: false, sofar: "", hasPrompt: false };
  }

  /** `isOpen`: the record may have a part of the open turn. */
  async find(server: OpenCodeServer, { isOpen }: { readonly isOpen: boolean }): Promise<Beginning> {
    const { session } = this.#state.kept;
    const resumed = session === undefined ? undefined : await this.#resume(server, session, isOpen);
    if (resumed !== undefined) return resumed;
    const created = record(await server.demand("POST", "/session", { title: "Sallyport" }));
    const fresh = text(created["id"]) ?? "";
    this.#state.save({ session: fresh });
    const all = joined(await this.#past(), this.#since.turns);
    const left = await this.left();
    return {
      session: fresh,
      retell: storyOf(all.filter(({ end }) => end !== undefined)),
      isWhole: true,
      sofar: left === undefined ? "" : callsOf(left, NOTHING),
      hasPrompt: false,
    };
  }

  /** Undefined when OpenCode's record is gone, or lacks the end of the conversation. */
  async #resume(server: OpenCodeServer, session: string, isOpen: boolean): Promise<Beginning | undefined> {
    if (!(await exists(server, `/session/${session}`))) return undefined;
    const { turns } = this.#state.kept;
    const own = turns.filter(({ at }) => at.session === session);
    const turn_id = this.#host.turnId();
    const missing = await this.#missing(
      server,
      session,
      own.filter((turn) => turn.turn_id !== turn_id),
    );
    if (missing === undefined) return undefined;
    const isNew = this.#begun !== server;
    const recorded = isNew || isOpen ? await this.#recorded(server, session) : NOTHING;
    const prompt = own.find((turn) => turn.turn_id === turn_id)?.at.uuid;
    const hasPrompt = isOpen && prompt !== undefined && recorded.messages.has(prompt);
    // What it lacked was told with that prompt.
    const retell = await this.#storyOf(missing, isNew && !hasPrompt ? recorded : undefined);
    const left = isOpen ? await this.left() : undefined;
    const sofar = left === undefined ? "" : callsOf(left, hasPrompt ? recorded : NOTHING);
    return { session, retell, isWhole: false, sofar, hasPrompt };
  }

  /** The newest turns whose end is not in the record: OpenCode died before it had taken their prompts. Undefined: too many, so it is not the record. */
  async #missing(
    server: OpenCodeServer,
    session: string,
    own: StateFile["kept"]["turns"],
  ): Promise<ReadonlySet<string> | undefined> {
    const missing = new Set<string>();
    for (const { turn_id, at } of own.toReversed()) {
      if (at.uuid === undefined || (await exists(server, `/session/${session}/message/${at.uuid}`))) return missing;
      missing.add(turn_id);
      if (missing.size > MISSING_TURNS) return undefined;
    }
    return own.length === 0 ? missing : undefined;
  }

  /** `recorded`: of a new process. The one before it may have died before it wrote down the results of the last turn. */
  async #storyOf(missing: ReadonlySet<string>, recorded: RecordEnd | undefined): Promise<string> {
    if (missing.size === 0 && recorded === undefined) return "";
    const ended = joined(await this.#past(), this.#since.turns).filter(({ end }) => end !== undefined);
    const last = recorded === undefined ? undefined : ended.findLast(({ turn_id }) => !missing.has(turn_id));
    const unread = last === undefined || recorded === undefined ? [] : unreadCalls(last, recorded);
    const untold = ended.filter(({ turn_id }) => missing.has(turn_id));
    return storyOf(
      last === undefined || unread.length === 0 ? untold : [{ ...last, asked: "", calls: unread }, ...untold],
    );
  }

  /** What the end of OpenCode's record has. */
  async #recorded(server: OpenCodeServer, session: string): Promise<RecordEnd> {
    const answer = await server.request("GET", `/session/${session}/message?limit=200`);
    const messages = new Set<string>();
    const results = new Set<string>();
    const ended = new Set<string>();
    const said = new Set<string>();
    for (const event of (Array.isArray(answer.body) ? answer.body : []).flatMap(readRecorded)) {
      if (event.type === "message") messages.add(event.id);
      if (event.type === "call" && event.state.status === "completed") results.add(event.id);
      if (event.type === "call" && ENDED.has(event.state.status)) ended.add(event.id);
      if (event.type === "words" && event.kind === "text") said.add(event.text.trim());
    }
    return { messages, results, ended, said };
  }

  /** The journal as it was when the conversation was opened. */
  #past(): Promise<readonly TurnStory[]> {
    this.#before ??= Story.of(this.#opening.history()).then(({ turns }) => turns);
    return this.#before;
  }
}

/** Throws where there is no answer: only what OpenCode says is gone is gone. */
async function exists(server: OpenCodeServer, path: string): Promise<boolean> {
  const { status } = await server.request("GET", path);
  if (status === 200) return true;
  if (status === 404 || status === 400) return false;
  throw new Failure("engine_failed", "OpenCode did not answer. Send the prompt again.");
}

/** Calls of a turn that failed which OpenCode has without a result: it tells its model that they were interrupted. */
function unreadCalls({ calls, end }: TurnStory, { ended }: RecordEnd): TurnStory["calls"] {
  if (end === "") return [];
  return calls.filter(({ tool_use_id }) => tool_use_id !== undefined && !ended.has(tool_use_id));
}

/** What a turn did that the record lacks. */
function callsOf(turn: TurnStory, recorded: RecordEnd): string {
  const calls = turn.calls.filter(
    ({ tool_use_id, said }) =>
      !(tool_use_id !== undefined && recorded.results.has(tool_use_id)) &&
      !(said !== undefined && recorded.said.has(said.trim())),
  );
  return storyOf([{ ...turn, asked: "", calls }]);
}
