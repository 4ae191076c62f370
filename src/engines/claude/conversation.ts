import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import {
  endToolItem,
  Failure,
  isToolItem,
  LIMITS,
  type Item,
  type Prompt,
  type ToolItem,
  UNKNOWN_OUTCOME,
} from "../../protocol/index.ts";
import { errorResult } from "../../tools/tool.ts";
import {
  SERVER_STOPS,
  type Conversation,
  type EngineEvent,
  type Host,
  type ConversationOptions,
  type TurnChannel,
} from "../engine.ts";
import { ABORTED } from "../loop/turn.ts";
import { ConversationStarter, type ConversationBeginning } from "./conversation-start.ts";
import { VendorProcess, type VendorProcessMeans } from "./vendor-process.ts";
import type { VendorTransport } from "./transport.ts";
import type { TurnStory } from "./history.ts";
import { isOfSubagent, settleOpenCalls } from "./open-calls.ts";
import {
  aside,
  completed,
  imageContent,
  newPrompt,
  promptContent,
  restarted,
  retold,
  type CallFate,
} from "./messages.ts";
import { untilRecorded } from "./recorded.ts";
import { promptId, promptName, readState, StateFile } from "./state.ts";
import { TurnRun } from "./turn.ts";
import type { TurnOptions } from "./turn-options.ts";
import type { VendorFields } from "../vendor/fields.ts";

const RETOLD =
  "Claude Code's own record of this conversation is gone; the model was told what was said before as text. Files it had read it may read again.";
const COMPLETED =
  "Claude Code's own record of this conversation lacked its end; the model was told what was said and done there as text.";
/** For a process that has been running all the time. */
const ALL_KNOWN = { retell: "", lost: false, sofar: "", hasPrompt: false } as const;
const NOT_BEGUN = {
  code: "engine_failed",
  message: "Claude Code ended before it had begun. Send the prompt again.",
} as const;

export interface ConversationMeans extends VendorProcessMeans {
  /** One process for the whole conversation; otherwise one for each turn. */
  readonly keep: boolean;
}

/** A conversation with Claude Code, independent of the transport to its process. */
export class ClaudeConversation implements Conversation {
  readonly #opening: ConversationOptions;
  readonly #host: Host;
  readonly #means: ConversationMeans;
  readonly #state: StateFile;
  readonly #beginnings: ConversationStarter;
  readonly #line: VendorProcess;
  /** A process started ahead of time, until its first turn. */
  #warming:
    | Promise<{ readonly transport: VendorTransport; readonly beginning: ConversationBeginning } | undefined>
    | undefined;
  #run: TurnRun | undefined;
  /** Cancels the start of the next turn's process. */
  #ahead = new AbortController();

  constructor(opening: ConversationOptions, host: Host, means: ConversationMeans) {
    this.#opening = opening;
    this.#host = host;
    this.#means = means;
    this.#state = new StateFile(host.folder);
    this.#beginnings = new ConversationStarter(opening, host, this.#state, randomUUID);
    this.#line = new VendorProcess({
      host,
      settings: opening.settings,
      means,
      listener: {
        heard: (said) => this.#run?.heard(said),
        noise: (line) => this.#run?.noise(line),
        permit: (call, given) => this.#run?.permit(call, given) ?? Promise.resolve(NO_TURN),
        recall: (call, verdict) => this.#run?.recall(call, verdict),
        drained: () => this.#run?.drained() ?? Promise.resolve(),
        ended: (end) => this.#run?.lost(end),
      },
      runOfferedTool: async (call) => this.#run?.runOfferedTool(call) ?? errorResult(NO_TURN.message),
    });
  }

  turn(prompt: Prompt, channel: TurnChannel): Promise<void> {
    this.#beginnings.began(prompt);
    return this.#drive(channel, async (run) => {
      const uuid = promptId(this.#host.turnId());
      // Another process may have recorded it before it died.
      const begun = await this.#connect(run, run.again ? uuid : undefined);
      if (begun === undefined) return;
      const content = [
        ...this.#retell(run, begun),
        ...this.#changedPrompt(begun),
        ...(begun.note === "" ? [] : [aside(begun.note)]),
      ];
      if (begun.hasPrompt) run.send([...content, aside(restarted([], begun.sofar))]);
      else run.send([...content, ...promptContent(prompt)], uuid);
      this.#state.save({ prompt: promptName(this.#opening.settings.system_prompt ?? "") });
    });
  }

  resumeTurn(open: readonly ToolItem[], channel: TurnChannel): Promise<void> {
    let fates: readonly CallFate[] | undefined;
    this.#beginnings.began(undefined);
    return this.#drive(channel, async (run) => {
      const left = await this.#beginnings.left();
      if (fates === undefined && (await this.#takeUp(run, left))) return;
      if (fates === undefined) {
        const known = left?.open ?? [];
        const nobodys = known.filter((item) => !isOfSubagent(item, open, known));
        void run.tell(nobodys.flatMap((item) => abandoned(item, open)));
        fates = await settleOpenCalls({ run, host: this.#host, opening: this.#opening }, open);
      }
      if (run.over || run.stopped !== undefined) return;
      const prompt = promptId(this.#host.turnId());
      const begun = await this.#connect(run, prompt);
      if (begun === undefined) return;
      const images = fates.flatMap((fate) => fate.images ?? []).map(imageContent);
      const content = [...this.#retell(run, begun), ...images, aside(restarted(fates, begun.sofar))];
      if (begun.hasPrompt || left?.prompt === undefined) run.send(content);
      else run.send([...content, ...promptContent(left.prompt)], prompt);
    });
  }

  /** Continues with the process of a dead server. False: there is none. */
  async #takeUp(run: TurnRun, left: TurnStory | undefined): Promise<boolean> {
    const { session } = this.#state.kept;
    if (left === undefined || session === undefined || this.#host.sandbox.takeUp === undefined) return false;
    const transport = await this.#line.takeUp(session, (salt) => run.replay(left.journaled, salt));
    if (transport === undefined) return false;
    run.attach(transport);
    return true;
  }

  /** Starts the process for the first turn. */
  async warm(): Promise<void> {
    if (this.#run !== undefined || this.#line.transport !== undefined) return;
    this.#warming = this.#beginnings.find().then(async (beginning) => {
      const transport = await this.#open(beginning);
      return transport === undefined ? undefined : { transport, beginning };
    });
    const started = await this.#warming;
    const over = new AbortController();
    const late = this.#host.sleep(LIMITS.engineStartMs, over.signal).then(() => "late" as const);
    const first = await Promise.race([started?.transport.ready ?? "late", late]);
    over.abort("over");
    if (first !== "late") return;
    // A turn may have started another one meanwhile.
    if (started !== undefined && started.transport === this.#line.transport) this.#line.drop();
    throw new Failure("engine_failed", "Claude Code was started ahead of time, but did not get ready.");
  }

  async close(): Promise<void> {
    this.#ahead.abort("over");
    await this.#line.close();
    // A process that is just starting is ended too.
    await this.#warming?.catch(() => undefined);
    await this.#line.close();
    // It was started ahead of time, and no turn came.
    if (this.#warming !== undefined && this.#state.kept.turns.length === 0)
      await rm(this.#host.folder, { recursive: true, force: true });
  }

  async #drive(channel: TurnChannel, begin: (run: TurnRun) => Promise<void>): Promise<void> {
    let work: Promise<void> = Promise.resolve();
    const start = (): void => {
      work = work.then(() => begin(run)).catch((error: unknown) => run.crash(error));
    };
    let completed = false;
    const run = this.#newRun({
      channel,
      onTell: (events) => {
        this.#beginnings.happened(events);
        completed = events.at(-1)?.type === "turn.completed";
      },
      onLost: () => {
        this.#line.drop();
        this.#beginnings.giveUp();
        start();
      },
      onGone: start,
    });
    this.#run = run;
    this.#ahead.abort("over");
    const { signal } = channel;
    const stop = (): void => {
      if (signal.reason === SERVER_STOPS && run.leave()) this.#line.leave();
      else run.stop(ABORTED);
    };
    signal.addEventListener("abort", stop, { once: true });
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
      if (this.#means.keep) void this.#forgetTurn();
      else void this.#changeProcess({ ahead: completed });
    }
  }

  /** The turn's end is on the disk by then: its output need not be kept for a next server. */
  async #forgetTurn(): Promise<void> {
    const { held } = this.#line.transport ?? {};
    if (held === undefined) return;
    const { signal } = (this.#ahead = new AbortController());
    await this.#host.sleep(LIMITS.heldTurnMs, signal);
    if (!signal.aborted) held.forfeit();
  }

  /** Each turn has its own process: this one's may end. `ahead`: the next one's is started, unless the turn itself comes first. */
  async #changeProcess({ ahead }: { readonly ahead: boolean }): Promise<void> {
    const gone = this.#line.finish();
    if (!ahead) return;
    const { signal } = (this.#ahead = new AbortController());
    await this.#host.sleep(LIMITS.engineAheadMs, signal);
    await gone;
    // If it does not start, its turn starts it again and reports why.
    if (!signal.aborted) await this.warm().catch(() => undefined);
  }

  #newRun(options: Pick<TurnOptions, "channel" | "onTell" | "onLost" | "onGone">): TurnRun {
    const turn_id = this.#host.turnId();
    return new TurnRun({
      host: this.#host,
      settings: this.#opening.settings,
      newUuid: randomUUID,
      onSteer: (steered) => this.#beginnings.steered(steered),
      onEnd: ({ lastUuid, note }) => {
        const { session, turns } = this.#state.kept;
        if (session === undefined) return;
        const uuid = lastUuid ?? turns.findLast(({ at }) => at.session === session)?.at.uuid;
        this.#state.endTurn({ turn_id, at: { session, uuid }, note });
      },
      onBroken: () => this.#line.drop(),
      recorded: async (tool_use_id, signal) => {
        const { session } = this.#state.kept;
        // Without walls the process outlives its server for as long as it needs.
        if (session === undefined || this.#host.sandbox.kind === "local") return;
        await untilRecorded(this.#host, { session, tool_use_id }, signal);
      },
      ...options,
    });
  }

  /** A process for the turn's messages. Undefined when the turn has ended meanwhile. `prompt`: see `ConversationStarter.find`. */
  async #connect(run: TurnRun, prompt?: string): Promise<Omit<ConversationBeginning, "start"> | undefined> {
    const warm = await this.#warming?.catch(() => undefined);
    this.#warming = undefined;
    const current = (await this.#line.fits()) ? this.#line.transport : undefined;
    if (run.over) return undefined;
    if (current !== undefined) {
      this.#attach(run, current);
      const note = this.#state.kept.turns.at(-1)?.note ?? "";
      return warm?.transport === current ? warm?.beginning : { ...ALL_KNOWN, note };
    }
    const beginning = await this.#beginnings.find(prompt);
    if (run.over) return undefined;
    const transport = await this.#open(beginning);
    if (transport === undefined) {
      run.fail(NOT_BEGUN);
      return undefined;
    }
    if (run.over) {
      this.#line.drop();
      return undefined;
    }
    this.#attach(run, transport);
    return beginning;
  }

  #attach(run: TurnRun, transport: VendorTransport): void {
    const { session } = this.#state.kept;
    if (session !== undefined) this.#host.identify?.(session);
    run.attach(transport);
  }

  #open({ start }: ConversationBeginning): Promise<VendorTransport | undefined> {
    this.#state.save({ session: start.session, fork: start.type === "fork" ? start.from : undefined });
    return this.#line.open(start);
  }

  /** The program goes on with the system prompt that its record began with. One that changed since is told with the next prompt. */
  #changedPrompt({ lost }: Pick<ConversationBeginning, "lost">): readonly VendorFields[] {
    const { settings, ancestry } = this.#opening;
    const { system_prompt = "" } = settings;
    const [parent] = ancestry;
    const known = this.#state.kept.prompt ?? (parent === undefined ? undefined : readState(parent.folder).prompt);
    const isKnown = lost || known === undefined || known === promptName(system_prompt);
    return isKnown ? [] : [aside(newPrompt(system_prompt))];
  }

  /** Retells turns that are not in the vendor's record. */
  #retell(run: TurnRun, { retell, lost }: Pick<ConversationBeginning, "retell" | "lost">): readonly VendorFields[] {
    if (retell === "") return [];
    run.notice(lost ? RETOLD : COMPLETED);
    return [aside(lost ? retold(retell) : completed(retell))];
  }
}

const NO_TURN = { behavior: "deny", message: "The turn is over." } as const;

/** What a dead server left open, other than the calls that are asked about again. */
function abandoned(item: Item, asked: readonly ToolItem[]): readonly EngineEvent[] {
  if (asked.some(({ id }) => id === item.id)) return [];
  if (!isToolItem(item)) return [{ type: "item.completed", item: { ...item, status: "superseded" } }];
  const output = [{ type: "text" as const, text: UNKNOWN_OUTCOME }];
  return [{ type: "item.completed", item: endToolItem(item, { status: "interrupted", output, is_error: true }) }];
}
