import { rm } from "node:fs/promises";
import {
  endToolItem,
  Failure,
  isToolItem,
  LIMITS,
  UNKNOWN_OUTCOME,
  type Item,
  type Prompt,
  type ToolItem,
} from "../../protocol/index.ts";
import { errorResult } from "../../tools/tool.ts";
import { aside, completed, restarted, retold, type CallFate } from "../claude/messages.ts";
import { isOfSubagent, settleOpenCalls } from "../claude/open-calls.ts";
import { StateFile } from "../claude/state.ts";
import type { Conversation, ConversationOptions, EngineEvent, Host, TurnChannel } from "../engine.ts";
import { ABORTED } from "../loop/turn.ts";
import type { VendorFields } from "../vendor/fields.ts";
import type { OutputAllowance } from "../vendor/output.ts";
import { UntoldNotes } from "../vendor/untold-notes.ts";
import { Beginnings, STATE_FILE, type Beginning } from "./beginning.ts";
import { promptIdAt } from "./ids.ts";
import { imagePart, promptParts } from "./prompt.ts";
import { OpenCodeServer } from "./server.ts";
import { answerMcp, servedTools, TOOL_SERVER, type McpTool } from "./tools.ts";
import { OpenCodeTurn } from "./turn.ts";
import { readRecorded } from "./wire.ts";
import { COMPLETED, FORKED, RETOLD } from "./words.ts";

const NOT_BEGUN = {
  code: "engine_failed",
  message: "OpenCode ended before it had begun. Send the prompt again.",
} as const;

/** A process ended before it was given anything of the turn. */
class EndedEarly extends Failure {}

export interface OpenCodeMeans {
  readonly executable: string;
  /** How often OpenCode may ask a model again. */
  readonly retries: number;
  /** For the output of all its processes. */
  readonly allowance: OutputAllowance;
}

/** A process with what it was started with. */
interface OpenServer {
  readonly server: OpenCodeServer;
  readonly model: string;
  /** As it knows them now. */
  tools: readonly McpTool[];
}

/** A beginning with what the model must still be told about earlier turns. Absent: nothing. */
interface NotedBeginning extends Beginning {
  readonly note: string | undefined;
}

/** A process that was started ahead of its first turn. */
interface WarmStart {
  readonly open: OpenServer;
  readonly beginning: Beginning;
}

/** A conversation with OpenCode: one server process, kept between turns. */
export class OpenCodeConversation implements Conversation {
  readonly #opening: ConversationOptions;
  readonly #host: Host;
  readonly #means: OpenCodeMeans;
  readonly #state: StateFile;
  readonly #beginnings: Beginnings;
  readonly #notes: UntoldNotes;
  #open: OpenServer | undefined;
  /** The process that said how the last turn ended; undefined: none that is known to have it in its record. */
  #recorded: OpenServer | undefined;
  /** Resolves when the earlier processes have ended. */
  #gone: Promise<unknown> = Promise.resolve();
  /** A start ahead of time, until its first turn. */
  #warming: Promise<WarmStart> | undefined;
  #turn: OpenCodeTurn | undefined;
  #closed = false;
  #hasMissed = false;
  #isCatchingUp = false;

  constructor(opening: ConversationOptions, host: Host, means: OpenCodeMeans) {
    this.#opening = opening;
    this.#host = host;
    this.#means = means;
    this.#state = new StateFile(host.folder, STATE_FILE);
    this.#beginnings = new Beginnings({ opening, host, state: this.#state });
    this.#notes = new UntoldNotes(() => this.#state.kept.turns.at(-1)?.note);
  }

  turn(prompt: Prompt, channel: TurnChannel): Promise<void> {
    this.#beginnings.began(prompt);
    return this.#drive(channel, async (turn) => {
      const begun = await this.#connect(turn, { isOpen: turn.again });
      if (begun === undefined) return;
      const parts = this.#retell(turn, begun);
      if (begun.hasPrompt) await turn.send([...parts, aside(restarted([], begun.sofar))]);
      else await turn.send([...parts, ...promptParts(prompt)]);
    });
  }

  resumeTurn(open: readonly ToolItem[], channel: TurnChannel): Promise<void> {
    let fates: readonly CallFate[] | undefined;
    this.#beginnings.began(undefined);
    return this.#drive(channel, async (turn) => {
      const left = await this.#beginnings.left();
      if (fates === undefined) {
        const known = left?.open ?? [];
        const nobodys = known.filter((item) => !isOfSubagent(item, open, known));
        void turn.tell(nobodys.flatMap((item) => abandoned(item, open)));
        fates = await settleOpenCalls({ run: turn, host: this.#host, opening: this.#opening }, open);
      }
      if (turn.over || turn.stopped !== undefined) return;
      const begun = await this.#connect(turn, { isOpen: true });
      if (begun === undefined) return;
      const parts = [...this.#retell(turn, begun), ...imagesOf(fates), aside(restarted(fates, begun.sofar))];
      if (begun.hasPrompt || left?.prompt === undefined) await turn.send(parts);
      else await turn.send([...parts, ...promptParts(left.prompt)]);
    });
  }

  /** Starts the process for the first turn, with the slow parts that OpenCode leaves to its first prompt. */
  async warm(): Promise<void> {
    if (this.#turn !== undefined || this.#open !== undefined) return;
    this.#warming = this.#start().then(async (open) => {
      await open.server.demand("GET", "/mcp");
      return { open, beginning: await this.#beginnings.find(open.server, { isOpen: false }) };
    });
    await this.#warming;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const hadTurns = this.#state.kept.turns.length > 0;
    const isWarmed = this.#warming !== undefined;
    this.#drop();
    await this.#warming?.catch(() => undefined);
    this.#drop();
    await this.#gone;
    // It was started ahead of time, and no turn came.
    if (isWarmed && !hadTurns) await rm(this.#host.folder, { recursive: true, force: true });
  }

  async #drive(channel: TurnChannel, begin: (turn: OpenCodeTurn) => Promise<void>): Promise<void> {
    let work: Promise<void> = Promise.resolve();
    const start = (): void => {
      work = work.then(() => begin(turn)).catch((error: unknown) => this.#failed(turn, error));
    };
    const turn = this.#newTurn(channel, start);
    this.#turn = turn;
    const unlisten = this.#host.onRequest?.((request) => turn.metered(request));
    const { signal } = channel;
    const stop = (): void => turn.stop(ABORTED);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    start();
    const watch = turn.watch();
    try {
      await turn.ended;
    } finally {
      signal.removeEventListener("abort", stop);
      unlisten?.();
      // The next turn may begin as soon as this one's end was told.
      if (this.#turn === turn) this.#turn = undefined;
      await work;
      await watch;
    }
  }

  /** A process that cannot be started is a failure of the outside world; anything else is a bug. */
  #failed(turn: OpenCodeTurn, error: unknown): void {
    if (!(error instanceof Failure)) {
      turn.crash(error);
      return;
    }
    // Its process was ended with it.
    if (turn.over) return;
    this.#drop();
    turn.fail({ code: error.code, message: error.message });
  }

  #newTurn(channel: TurnChannel, onGone: () => void): OpenCodeTurn {
    const turn_id = this.#host.turnId();
    const newest = (): string | undefined => {
      const { session, turns } = this.#state.kept;
      return turns.findLast(({ at }) => at.session === session && at.uuid !== undefined)?.at.uuid;
    };
    const save = (uuid: string | undefined, note: string | undefined): void => {
      const { session } = this.#state.kept;
      if (session !== undefined) this.#state.endTurn({ turn_id, at: { session, uuid: uuid ?? newest() }, note });
    };
    return new OpenCodeTurn({
      host: this.#host,
      opening: this.#opening,
      channel,
      retries: this.#means.retries,
      tools: () => this.#open?.tools ?? [],
      onTell: (events) => this.#beginnings.happened(events),
      newPromptId: () => {
        const id = promptIdAt(this.#host.now(), newest());
        // Before it is sent: after a crash OpenCode's record shows whether it has it.
        save(id, this.#state.kept.turns.at(-1)?.note);
        return id;
      },
      onEnd: ({ last, isRecorded, ...end }) => {
        this.#recorded = isRecorded ? this.#open : undefined;
        save(last, this.#notes.ended(end, this.#open?.server));
      },
      onBroken: () => this.#drop(),
      onGone,
    });
  }

  /** A process and a session in it for the turn's prompts. Undefined when the turn has ended meanwhile. */
  async #connect(turn: OpenCodeTurn, terms: { readonly isOpen: boolean }): Promise<NotedBeginning | undefined> {
    for (let begun = 0; ;) {
      // One that was there before may have died between the turns, and nobody has noticed yet: that does not count.
      if (this.#open === undefined) begun += 1;
      try {
        return await this.#connectOnce(turn, terms);
      } catch (error) {
        if (!(error instanceof EndedEarly) || turn.over || this.#closed || begun > 1) throw error;
        // Another one begins where it did.
        this.#drop();
      }
    }
  }

  async #connectOnce(turn: OpenCodeTurn, terms: { readonly isOpen: boolean }): Promise<NotedBeginning | undefined> {
    const warm = await this.#warming?.catch(() => undefined);
    this.#warming = undefined;
    const isKept = await this.#fits();
    if (turn.over) return undefined;
    const open = (isKept ? this.#open : undefined) ?? (await this.#start());
    const begun = this.#known(open, warm, terms) ?? (await this.#beginnings.find(open.server, terms).catch(endEarly));
    this.#recorded = undefined;
    if (turn.over) return undefined;
    if (this.#open !== open) throw new EndedEarly(NOT_BEGUN.code, NOT_BEGUN.message);
    this.#beginnings.begun(open.server);
    this.#host.identify?.(begun.session);
    turn.attach(open.server, begun.session);
    return { ...begun, note: this.#notes.due(open.server) };
  }

  /** How the conversation goes on, where OpenCode need not be asked: an answer takes it as long as to take a prompt. */
  #known(
    open: OpenServer,
    warm: WarmStart | undefined,
    { isOpen }: { readonly isOpen: boolean },
  ): Beginning | undefined {
    if (isOpen) return undefined;
    if (warm?.open === open) return warm.beginning;
    return this.#recorded === open ? this.#beginnings.ongoing() : undefined;
  }

  /** Whether the current process can take the next turn: it asks the same model, and knows the tools that there are now. */
  async #fits(): Promise<boolean> {
    await this.#gone;
    const open = this.#open;
    if (open === undefined) return false;
    const tools = servedTools(this.#host.toolbox, this.#opening.settings);
    if (open.model === this.#host.model.name && (await this.#offer(open, tools))) return true;
    this.#drop();
    await this.#gone;
    return false;
  }

  /** OpenCode reads a server's tools when it connects to it. */
  async #offer(open: OpenServer, tools: readonly McpTool[]): Promise<boolean> {
    if (JSON.stringify(tools) === JSON.stringify(open.tools)) return true;
    open.tools = tools;
    for (const step of ["disconnect", "connect"]) {
      const { status } = await open.server.request("POST", `/mcp/${TOOL_SERVER}/${step}`);
      if (status !== 200) return false;
    }
    return this.#open === open;
  }

  async #start(): Promise<OpenServer> {
    await this.#gone;
    if (this.#closed) throw new Failure("session_closed", "The session is closed.");
    const host = this.#host;
    const lost = new AbortController();
    let isCurrent = (): boolean => true;
    const server = await OpenCodeServer.start(
      { executable: this.#means.executable, host, settings: this.#opening.settings, allowance: this.#means.allowance },
      {
        heard: (event) => (isCurrent() ? this.#turn?.heard(event) : undefined),
        missed: () => this.#missed(),
        mcp: (message) => this.#mcp(message),
        drained: () => this.#turn?.drained() ?? Promise.resolve(),
        ended: (end) => {
          lost.abort();
          if (!isCurrent()) return;
          // Its children may have outlived it.
          this.#drop();
          this.#turn?.lost(end);
        },
      },
    );
    const tools = servedTools(host.toolbox, this.#opening.settings);
    const open: OpenServer = { server, model: host.model.name, tools };
    this.#open = open;
    isCurrent = () => this.#open === open;
    const late = host.sleep(LIMITS.engineStartMs, lost.signal).then(() => !lost.signal.aborted);
    const isLate = await Promise.race([server.ready.then(() => false), late]);
    const { status } = await server.request("GET", "/global/health");
    if (status === 200 && isCurrent()) return open;
    if (isCurrent()) this.#drop();
    const words = "OpenCode was started, but did not get ready. Send the prompt again.";
    throw isLate ? new Failure("engine_failed", words) : new EndedEarly("engine_failed", words);
  }

  #mcp(message: unknown): Promise<VendorFields | undefined> {
    return answerMcp(message, {
      tools: this.#open?.tools ?? [],
      call: async (tool, input) => this.#turn?.runTool(tool, input) ?? errorResult("The turn is over."),
    });
  }

  /** Events were missed: the record has what they said. More of them meanwhile are looked for once more, after that. */
  #missed(): void {
    this.#hasMissed = true;
    if (!this.#isCatchingUp) void this.#catchUpAll();
  }

  async #catchUpAll(): Promise<void> {
    this.#isCatchingUp = true;
    while (this.#hasMissed) {
      this.#hasMissed = false;
      await this.#catchUp().catch(() => undefined);
    }
    this.#isCatchingUp = false;
  }

  async #catchUp(): Promise<void> {
    const { session } = this.#state.kept;
    const turn = this.#turn;
    if (session === undefined || turn === undefined || this.#open === undefined) return;
    const { server } = this.#open;
    const messages = await server.demand("GET", `/session/${session}/message?limit=50`);
    for (const message of Array.isArray(messages) ? messages : [])
      for (const event of readRecorded(message)) turn.heard(event);
    const busy = await server.demand("GET", "/session/status");
    if (!JSON.stringify(busy).includes(session)) turn.heard({ type: "idle", session });
  }

  #drop(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open !== undefined) this.#gone = Promise.all([this.#gone, open.server.kill()]);
  }

  /** What OpenCode does not know. What must be told of earlier turns came with the prompt of this one. */
  #retell(turn: OpenCodeTurn, { retell, isWhole, note, hasPrompt }: NotedBeginning): readonly VendorFields[] {
    const notes = note === undefined || hasPrompt ? [] : [aside(note)];
    if (retell === "") return notes;
    const isFork = this.#opening.ancestry.length > 0 && this.#state.kept.turns.length === 0;
    turn.notice(isFork ? FORKED : isWhole ? RETOLD : COMPLETED);
    return [aside(isWhole ? retold(retell) : completed(retell)), ...notes];
  }
}

function endEarly(error: unknown): never {
  throw error instanceof Failure && error.code === "engine_failed" ? new EndedEarly(error.code, error.message) : error;
}

function imagesOf(fates: readonly CallFate[]): readonly VendorFields[] {
  return fates.flatMap(({ images = [] }) => images).map(imagePart);
}

/** What a dead server left open, other than the calls that are asked about again. */
function abandoned(item: Item, asked: readonly ToolItem[]): readonly EngineEvent[] {
  if (asked.some(({ id }) => id === item.id)) return [];
  if (!isToolItem(item)) return [{ type: "item.completed", item: { ...item, status: "superseded" } }];
  const output = [{ type: "text" as const, text: UNKNOWN_OUTCOME }];
  return [{ type: "item.completed", item: endToolItem(item, { status: "interrupted", output, is_error: true }) }];
}
