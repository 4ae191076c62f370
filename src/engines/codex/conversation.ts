import { rm } from "node:fs/promises";
import {
  endToolItem,
  Failure,
  isToolItem,
  outputText,
  type Item,
  type Prompt,
  type ToolItem,
  UNKNOWN_OUTCOME,
} from "../../protocol/index.ts";
import { completed, restarted, retold } from "../claude/messages.ts";
import { imagesIn, isOfSubagent } from "../claude/open-calls.ts";
import { StateFile } from "../claude/state.ts";
import type { Conversation, ConversationOptions, EngineEvent, Host, TurnChannel } from "../engine.ts";
import { openCallRunner } from "../loop/engine.ts";
import { ABORTED } from "../loop/turn.ts";
import type { VendorFields } from "../vendor/fields.ts";
import type { OutputAllowance } from "../vendor/output.ts";
import { UntoldNotes } from "../vendor/untold-notes.ts";
import { ALL_KNOWN, CodexStarter, STATE_FILE, type CodexBeginning } from "./beginning.ts";
import { CodexGone } from "./connection.ts";
import { asideWords, imageInput, promptInput } from "./messages.ts";
import { endWords } from "./outcome.ts";
import { CodexProcess, LostRecord, type OpenThread } from "./process.ts";
import { codexTools, type CodexTools } from "./tools.ts";
import { CodexTurn } from "./turn.ts";

const RETOLD =
  "Codex's own record of this conversation is gone; the model was told what was said before as text. Files it had read it may read again.";
const COMPLETED =
  "Codex's own record of this conversation lacked its end; the model was told what was said and done there as text.";
const NOT_BEGUN = {
  code: "engine_failed",
  message: "Codex ended before it had begun. Send the prompt again.",
} as const;

export interface CodexMeans {
  readonly executable: string;
  readonly retries: number;
  readonly allowance: OutputAllowance;
}

interface Known extends Omit<CodexBeginning, "start"> {
  /** What the model must still be told about earlier turns. Absent: nothing. */
  readonly note?: string | undefined;
}
interface BegunCodex {
  readonly open: OpenThread;
  readonly known: Known;
}
type BeginTurn = (run: CodexTurn, tools: CodexTools) => Promise<void>;

/** A conversation with Codex: one process, which stays between turns. */
export class CodexConversation implements Conversation {
  readonly #opening: ConversationOptions;
  readonly #host: Host;
  readonly #means: CodexMeans;
  readonly #state: StateFile;
  readonly #beginnings: CodexStarter;
  readonly #process: CodexProcess;
  readonly #notes: UntoldNotes;
  /** A process started ahead of time, until its first turn. */
  #warming: Promise<BegunCodex | undefined> | undefined;
  #run: CodexTurn | undefined;

  constructor(opening: ConversationOptions, host: Host, means: CodexMeans) {
    this.#opening = opening;
    this.#host = host;
    this.#means = means;
    this.#state = new StateFile(host.folder, STATE_FILE);
    this.#beginnings = new CodexStarter(opening, host, this.#state);
    this.#notes = new UntoldNotes(() => this.#beginnings.note);
    this.#process = new CodexProcess({
      ...means,
      host,
      settings: opening.settings,
      listener: {
        heard: (notice) => this.#run?.heard(notice),
        asked: (call, answer) => this.#run?.asked(call, answer),
        refused: (method) => this.#run?.refused(method),
        noise: (line) => this.#run?.noise(line),
        drained: () => this.#run?.drained() ?? Promise.resolve(),
        ended: (end) => this.#run?.lost(end),
      },
    });
  }

  turn(prompt: Prompt, channel: TurnChannel): Promise<void> {
    this.#beginnings.began(prompt);
    return this.#drive(channel, { isResumed: false }, async (run, tools) => {
      const known = await this.#connect(run, tools);
      if (known === undefined) return;
      const before = this.#retell(run, known);
      // The process died once in this turn; it may have written the prompt down.
      if (known.hasPrompt) run.send([...before, asideWords(restarted([], known.sofar))]);
      else run.send([...before, ...promptInput(prompt)], this.#host.turnId());
    });
  }

  resumeTurn(open: readonly ToolItem[], channel: TurnChannel): Promise<void> {
    let settled: readonly ToolItem[] | undefined;
    this.#beginnings.began(undefined);
    return this.#drive(channel, { isResumed: true }, async (run, tools) => {
      const left = await this.#beginnings.left();
      if (settled === undefined) {
        const items = left?.open ?? [];
        const nobodys = items.filter((item) => !isOfSubagent(item, open, items));
        void run.tell(nobodys.flatMap((item) => abandoned(item, open)));
        settled = await run.settle(open.filter((item) => !isOfSubagent(item, open, items)));
      }
      if (run.over || run.stopped !== undefined) return;
      const known = await this.#connect(run, tools);
      if (known === undefined) return;
      const fates = settled.map((item) => ({ item, message: outputText(item.output ?? []) }));
      const images = settled.flatMap(({ output = [] }) => imagesIn(output)).map(imageInput);
      const before = [...this.#retell(run, known), ...images, asideWords(restarted(fates, known.sofar))];
      if (known.hasPrompt || left?.prompt === undefined) run.send(before);
      else run.send([...before, ...promptInput(left.prompt)], this.#host.turnId());
    });
  }

  /** Starts the process for the first turn. */
  async warm(): Promise<void> {
    if (this.#run !== undefined || this.#process.open !== undefined) return;
    this.#warming = this.#begin(this.#tools());
    const started = await this.#warming;
    if (started === undefined) throw new Failure("engine_failed", "Codex was started ahead of time, but ended.");
  }

  async close(): Promise<void> {
    await this.#process.close();
    // A process that is just starting is ended too.
    await this.#warming?.catch(() => undefined);
    await this.#process.close();
    // It was started ahead of time, and no turn came.
    if (this.#warming !== undefined && this.#state.kept.turns.length === 0)
      await rm(this.#host.folder, { recursive: true, force: true });
  }

  #tools(): CodexTools {
    return codexTools(this.#host.toolbox, this.#opening.settings);
  }

  async #drive(channel: TurnChannel, { isResumed }: { readonly isResumed: boolean }, begin: BeginTurn): Promise<void> {
    let work: Promise<void> = Promise.resolve();
    const tools = this.#tools();
    const start = (): void => {
      work = work.then(() => begin(run, tools)).catch((error: unknown) => failOrCrash(run, error));
    };
    const run = this.#newRun(channel, { tools, onGone: start });
    this.#run = run;
    const { signal } = channel;
    const stop = (): void => run.stop(ABORTED);
    signal.addEventListener("abort", stop, { once: true });
    const parts = { opening: this.#opening, host: this.#host, isResumed };
    const ownChannel: TurnChannel = { signal, tell: (events) => run.tell(events) };
    run.runWith(await openCallRunner({ ...parts, channel: ownChannel }));
    if (signal.aborted) stop();
    start();
    const watch = run.watch();
    try {
      await run.ended;
    } finally {
      signal.removeEventListener("abort", stop);
      await work;
      await watch;
      this.#run = undefined;
    }
  }

  #newRun(
    channel: TurnChannel,
    { tools, onGone }: { readonly tools: CodexTools; readonly onGone: () => void },
  ): CodexTurn {
    const turn_id = this.#host.turnId();
    return new CodexTurn({
      host: this.#host,
      settings: this.#opening.settings,
      retries: this.#means.retries,
      tools,
      channel,
      onTell: (events) => this.#beginnings.happened(events),
      onSteer: (steered) => this.#beginnings.steered(steered),
      onEnd: ({ turn, note, isCompleted }) => {
        const { session, turns } = this.#state.kept;
        const end = { note, isTold: turn !== undefined, isCompleted };
        const untold = this.#notes.ended(end, this.#process.open?.connection);
        if (session === undefined) return;
        const uuid = turn ?? turns.findLast(({ at }) => at.session === session)?.at.uuid;
        this.#state.endTurn({ turn_id, at: { session, uuid }, note: untold });
      },
      onBroken: () => this.#process.drop(),
      onGone,
    });
  }

  /** A process for the turn's messages. Undefined when the turn has ended meanwhile. */
  async #connect(run: CodexTurn, tools: CodexTools): Promise<Known | undefined> {
    const warm = await this.#warming?.catch(() => undefined);
    this.#warming = undefined;
    const current = (await this.#process.fits(tools)) ? this.#process.open : undefined;
    if (run.over || run.stopped !== undefined) return undefined;
    if (current !== undefined) {
      return this.#attach(run, { open: current, known: warm?.open === current ? warm.known : ALL_KNOWN });
    }
    const begun = await this.#begin(tools);
    if (begun === undefined) {
      run.fail(NOT_BEGUN);
      return undefined;
    }
    if (run.over) {
      this.#process.drop();
      return undefined;
    }
    return this.#attach(run, begun);
  }

  #attach(run: CodexTurn, { open, known }: BegunCodex): Known {
    this.#host.identify?.(open.thread);
    run.attach(open);
    return { ...known, note: this.#notes.due(open.connection) };
  }

  /** Undefined when it was closed meanwhile. A process that ends before it is given anything is started again, once. */
  async #begin(tools: CodexTools): Promise<BegunCodex | undefined> {
    try {
      return await this.#beginOnce(tools).catch((error: unknown) => {
        if (error instanceof CodexGone) return this.#beginOnce(tools);
        throw error;
      });
    } catch (error) {
      throw error instanceof CodexGone ? new Failure("engine_failed", endWords(error.end)) : error;
    }
  }

  async #beginOnce(tools: CodexTools): Promise<BegunCodex | undefined> {
    const known = await this.#beginnings.find(tools);
    try {
      const open = await this.#process.begin(known.start, tools);
      if (open === undefined) return undefined;
      this.#state.save({ session: open.thread });
      return { open, known };
    } catch (error) {
      if (!(error instanceof LostRecord)) throw error;
      this.#beginnings.giveUp();
      return this.#beginOnce(tools);
    }
  }

  /** What is not in Codex's record. What must be told of earlier turns came with the prompt of this one. */
  #retell(run: CodexTurn, { retell, isLost, note, hasPrompt }: Known): readonly VendorFields[] {
    const notes = note === undefined || hasPrompt ? [] : [asideWords(note)];
    if (retell === "") return notes;
    run.notice(isLost ? RETOLD : COMPLETED);
    return [asideWords(isLost ? retold(retell) : completed(retell)), ...notes];
  }
}

/** A program that does not start is a failure of the outside world. */
function failOrCrash(run: CodexTurn, error: unknown): void {
  if (error instanceof Failure) run.fail({ code: error.code, message: error.message });
  else run.crash(error);
}

/** What a dead server left open, other than the calls that are asked about again. */
function abandoned(item: Item, asked: readonly ToolItem[]): readonly EngineEvent[] {
  if (asked.some(({ id }) => id === item.id)) return [];
  if (!isToolItem(item)) return [{ type: "item.completed", item: { ...item, status: "superseded" } }];
  const output = [{ type: "text" as const, text: UNKNOWN_OUTCOME }];
  return [{ type: "item.completed", item: endToolItem(item, { status: "interrupted", output, is_error: true }) }];
}
