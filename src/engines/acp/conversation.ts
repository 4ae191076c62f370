import { rm } from "node:fs/promises";
import {
  endToolItem,
  Failure,
  isToolItem,
  LIMITS,
  UNKNOWN_OUTCOME,
  type ErrorDetail,
  type Item,
  type Prompt,
  type ToolItem,
} from "../../protocol/index.ts";
import { errorResult } from "../../tools/tool.ts";
import { joined, Story, storyOf, type TurnStory } from "../claude/history.ts";
import { aside, newPrompt, perhapsMissing, restarted, retold, type CallFate } from "../claude/messages.ts";
import { settleOpenCalls } from "../claude/open-calls.ts";
import { promptName } from "../claude/state.ts";
import type { Conversation, ConversationOptions, EngineEvent, Host, TurnChannel } from "../engine.ts";
import { ABORTED } from "../loop/turn.ts";
import type { VendorFields } from "../vendor/fields.ts";
import type { OutputAllowance } from "../vendor/output.ts";
import { AgentProcess, AgentUnusable, type ProcessEars } from "./agent-process.ts";
import type { AgentProgram } from "./agents.ts";
import { CallReports } from "./call-reports.ts";
import { AgentGone, RPC, RpcError } from "./connection.ts";
import { KnownTurns } from "./known-turns.ts";
import { endWords } from "./outcome.ts";
import { attachedBlocks, imageBlock, openingBlocks, promptBlocks } from "./prompt.ts";
import { AgentStateFile } from "./state.ts";
import { AgentTurn } from "./turn.ts";

export interface AgentConversationMeans {
  readonly agent: AgentProgram;
  readonly argv: readonly [string, ...string[]];
  readonly allowance: OutputAllowance;
}

const RETOLD = "own record of this conversation is gone; the model was told what was said before as text.";
const UNMETERED =
  "asks its models without Sallyport: nothing is known of what this session costs, and no budget limits it.";

/** A process that is ready, and what its model must be told before the prompt. */
interface ReadyAgent {
  readonly process: AgentProcess;
  /** The agent has its own record of the conversation. */
  readonly isKnown: boolean;
  readonly preface: readonly VendorFields[];
}

/** One conversation with an agent: one process, kept between turns. */
export class AcpConversation implements Conversation {
  readonly #opening: ConversationOptions;
  readonly #host: Host;
  readonly #means: AgentConversationMeans;
  readonly #state: AgentStateFile;
  readonly #known: KnownTurns;
  readonly #reports: CallReports;
  /** What happened since the conversation was opened. */
  readonly #since = new Story();
  #before: Promise<readonly TurnStory[]> | undefined;
  #process: AgentProcess | undefined;
  #starting: Promise<AgentProcess | undefined> | undefined;
  #gone: Promise<unknown> = Promise.resolve();
  /** Resolves when an interrupted turn is over for the agent too, or its process has ended. */
  #stopping: Promise<void> = Promise.resolve();
  #turn: AgentTurn | undefined;
  #isClosed = false;
  #saidUnmetered = false;

  constructor(opening: ConversationOptions, host: Host, means: AgentConversationMeans) {
    this.#opening = opening;
    this.#host = host;
    this.#means = means;
    this.#state = new AgentStateFile(host.folder);
    this.#known = new KnownTurns(this.#state);
    this.#reports = new CallReports({ areUsual: means.agent.reportsCalls === true });
  }

  turn(prompt: Prompt, channel: TurnChannel): Promise<void> {
    this.#since.begin(this.#host.turnId(), prompt);
    return this.#drive(channel, (turn) => this.#prompt(turn, () => promptBlocks(prompt)));
  }

  resumeTurn(open: readonly ToolItem[], channel: TurnChannel): Promise<void> {
    this.#since.begin(this.#host.turnId(), undefined);
    return this.#drive(channel, async (turn) => {
      const left = (await this.#past()).at(-1);
      void turn.tell((left?.open ?? []).flatMap((item) => abandoned(item, open)));
      const run = {
        signal: turn.signal,
        ask: (item: ToolItem, _signal: AbortSignal, terms = {}) => turn.calls.ask(item, terms),
        stop: (error: ErrorDetail) => turn.stop(error),
        tell: (events: readonly EngineEvent[]) => turn.tell(events),
      };
      const fates = await settleOpenCalls({ run, host: this.#host, opening: this.#opening }, open);
      if (turn.over || turn.stopped !== undefined) return;
      turn.calls.resume(open.map(({ tool, input }, at) => ({ tool, input, message: fates[at]?.message ?? "" })));
      await this.#prompt(turn, (ready) => goOn(left, fates, ready));
    });
  }

  async warm(): Promise<void> {
    if (this.#turn !== undefined || this.#process !== undefined) return;
    const over = new AbortController();
    const late = this.#host.sleep(LIMITS.engineStartMs, over.signal).then(() => undefined);
    const process = await Promise.race([this.#start(), late]).finally(() => over.abort("over"));
    if (process !== undefined) return;
    this.#drop();
    throw new Failure("engine_failed", `${this.#means.agent.title} was started ahead of time, but did not get ready.`);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#drop();
    await this.#starting?.catch(() => undefined);
    this.#drop();
    await this.#gone;
    // It was started ahead of time, and no turn came.
    if (
      this.#state.state.turn_id === undefined &&
      this.#since.turns.length === 0 &&
      this.#state.state.session === undefined
    )
      await rm(this.#host.folder, { recursive: true, force: true }).catch(() => undefined);
  }

  async #drive(channel: TurnChannel, begin: (turn: AgentTurn) => Promise<void>): Promise<void> {
    const turn_id = this.#host.turnId();
    const turn = new AgentTurn({
      agent: this.#means.agent,
      host: this.#host,
      settings: this.#opening.settings,
      channel,
      reports: this.#reports,
      onTell: (events) => {
        for (const event of events) this.#since.add(event);
      },
      onEnd: (end, note) => this.#known.ended({ turn_id, end, note, prompt: this.#promptName }, this.#process),
      onBroken: () => this.#drop(),
      onSlow: () => {
        this.#stopping = this.#stopped(this.#process);
      },
    });
    this.#turn = turn;
    const unlisten = this.#host.onRequest?.((request) => turn.metered(request));
    const { signal } = channel;
    const stop = (): void => turn.stop(ABORTED);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    if (this.#means.agent.wire === undefined && !this.#saidUnmetered) {
      this.#saidUnmetered = true;
      turn.notice(`${this.#means.agent.title} ${UNMETERED}`);
    }
    const work = begin(turn).catch((error: unknown) => turn.crash(error));
    const watch = turn.watch();
    try {
      await turn.ended;
    } finally {
      signal.removeEventListener("abort", stop);
      unlisten?.();
      await work;
      await watch;
      if (this.#turn === turn) this.#turn = undefined;
    }
  }

  /** Prompts the agent. A process that dies before it reported anything is replaced, once. */
  async #prompt(turn: AgentTurn, words: (ready: ReadyAgent) => readonly VendorFields[]): Promise<void> {
    for (let begun = 0; ;) {
      // One that was there before may have died between the turns, and nobody has noticed yet: that does not count.
      if (this.#process === undefined) begun += 1;
      const mayRestart = begun < 2;
      const ready = await this.#ready(turn, { mayRestart });
      if (ready === undefined) return;
      if (ready !== "gone" && !(await turn.run(ready.process, [...ready.preface, ...words(ready)], { mayRestart })))
        return;
      this.#drop();
    }
  }

  /** A process for the turn. Undefined: the turn has ended. `gone`: it died as it began, which may happen where another one may be started. */
  async #ready(
    turn: AgentTurn,
    { mayRestart }: { readonly mayRestart: boolean },
  ): Promise<ReadyAgent | "gone" | undefined> {
    try {
      await this.#starting?.catch(() => undefined);
      await this.#stopping;
      if (this.#process !== undefined && !this.#process.fits()) this.#drop();
      await this.#gone;
      const current = this.#process;
      const process = current ?? (await this.#start());
      if (process === undefined || turn.over) {
        turn.fail({ code: "engine_failed", message: `${this.#means.agent.title} did not start.` });
        return undefined;
      }
      const isKnown = this.#state.state.session === process.session;
      const { turn_id, prompt, note } = this.#known.begin(process, process.session);
      const opening = this.#opened({ isBegun: turn_id !== undefined, prompt });
      const notes = note === undefined ? [] : [aside(note)];
      const preface = [...opening, ...(await this.#retell(turn, { isSame: isKnown, process })), ...notes];
      this.#host.identify?.(process.session);
      return turn.over ? undefined : { process, isKnown, preface };
    } catch (error) {
      if (error instanceof AgentGone && mayRestart && !turn.over && turn.stopped === undefined) return "gone";
      turn.fail(startFailure(this.#means.agent, error));
      return undefined;
    }
  }

  /** The system prompt, where the agent's conversation began without it or with another one. */
  #opened({
    isBegun,
    prompt,
  }: {
    readonly isBegun: boolean;
    readonly prompt: string | undefined;
  }): readonly VendorFields[] {
    const { settings } = this.#opening;
    if (!isBegun) return openingBlocks(this.#means.agent, settings);
    if (prompt === undefined || prompt === this.#promptName) return [];
    return [aside(newPrompt(settings.system_prompt ?? ""))];
  }

  get #promptName(): string {
    return promptName(this.#opening.settings.system_prompt ?? "");
  }

  /** What the agent does not know about earlier turns. */
  async #retell(
    turn: AgentTurn,
    { isSame, process }: { readonly isSame: boolean; readonly process: AgentProcess },
  ): Promise<readonly VendorFields[]> {
    const replayed = process.takeReplayed();
    const turns = joined(await this.#past(), this.#since.turns);
    const ended = turns.filter(({ end }) => end !== undefined);
    const isResumed = this.#since.turns.at(-1)?.prompt === undefined;
    const story = storyOf(this.#known.untold(ended, { replayed, open: this.#host.turnId(), isResumed }));
    if (story === "") return [];
    if (isSame) return [aside(perhapsMissing(story))];
    if (this.#opening.ancestry.length === 0) turn.notice(`${this.#means.agent.title}'s ${RETOLD}`);
    return [aside(retold(story))];
  }

  #past(): Promise<readonly TurnStory[]> {
    this.#before ??= Story.of(this.#opening.history()).then(({ turns }) => turns);
    return this.#before;
  }

  #start(): Promise<AgentProcess | undefined> {
    const starting = this.#open();
    this.#starting = starting;
    void starting
      .catch(() => undefined)
      .then(() => {
        if (this.#starting === starting) this.#starting = undefined;
      });
    return starting;
  }

  async #open(): Promise<AgentProcess | undefined> {
    const { agent, argv, allowance } = this.#means;
    if (this.#isClosed) return undefined;
    const ears: ProcessEars = {
      requested: (method, params) =>
        this.#turn?.requested(method, params) ?? Promise.reject(new RpcError(RPC.internal, "There is no turn.")),
      notified: (method, params) => this.#turn?.notified(method, params),
      noise: (line) => this.#turn?.noise(line),
      drained: () => this.#turn?.drained() ?? Promise.resolve(),
      ended: (end) => {
        if (this.#process !== process) return;
        this.#turn?.lost(end);
        // Its children may have outlived it.
        this.#drop();
      },
    };
    const process = await AgentProcess.start(
      {
        agent,
        argv,
        host: this.#host,
        settings: this.#opening.settings,
        allowance,
        runOfferedTool: async (call) => this.#turn?.runOfferedTool(call) ?? errorResult("The turn is over."),
      },
      ears,
    );
    this.#process = process;
    try {
      await process.open(this.#state.state.session);
    } catch (error) {
      if (this.#process === process) this.#drop();
      throw error;
    }
    return this.#process === process ? process : undefined;
  }

  /** A new process is slow to start. So one that was told to stop gets a moment, although the turn is over for people. */
  async #stopped(process: AgentProcess | undefined): Promise<void> {
    if (process === undefined) return;
    const over = new AbortController();
    void process.idle.then(() => over.abort("over"));
    await this.#host.sleep(LIMITS.agentStopMs, over.signal);
    if (!over.signal.aborted && this.#process === process) this.#drop();
  }

  #drop(): void {
    const process = this.#process;
    this.#process = undefined;
    if (process !== undefined) this.#gone = Promise.all([this.#gone, process.kill()]);
  }
}

/** The agent may have written down all of the open turn, or nothing of it: it is told what the journal has. */
function goOn(
  left: TurnStory | undefined,
  fates: readonly CallFate[],
  { isKnown }: Pick<ReadyAgent, "isKnown">,
): readonly VendorFields[] {
  const asked = left?.prompt === undefined ? "" : `The prompt was: ${JSON.stringify(left.prompt.text)}\n`;
  const sofar = left === undefined ? "" : storyOf([{ ...left, asked: "" }]);
  const images = fates.flatMap((fate) => fate.images ?? []).map(imageBlock);
  const attached = left?.prompt === undefined ? [] : attachedBlocks(left.prompt);
  if (isKnown) return [...attached, ...images, aside(restarted(fates, `${asked}${sofar}`))];
  return [...images, aside(restarted(fates, sofar)), ...(left?.prompt === undefined ? [] : promptBlocks(left.prompt))];
}

function startFailure({ title }: AgentProgram, error: unknown): ErrorDetail {
  if (error instanceof AgentUnusable) return { code: "engine_failed", message: error.message };
  if (error instanceof RpcError)
    return { code: "engine_failed", message: `${title} could not begin: ${error.message}. See how it is set up.` };
  if (error instanceof AgentGone) return endWords(title, undefined);
  if (error instanceof Failure) return { code: "engine_failed", message: error.message };
  throw error;
}

/** What a dead server left open, other than the calls that are asked about again. */
function abandoned(item: Item, asked: readonly ToolItem[]): readonly EngineEvent[] {
  if (asked.some(({ id }) => id === item.id)) return [];
  if (!isToolItem(item)) return [{ type: "item.completed", item: { ...item, status: "superseded" } }];
  const output = [{ type: "text" as const, text: UNKNOWN_OUTCOME }];
  return [{ type: "item.completed", item: endToolItem(item, { status: "interrupted", output, is_error: true }) }];
}
