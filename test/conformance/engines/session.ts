import { setTimeout as pause } from "node:timers/promises";
import {
  HOME_TOOL,
  isTerminal,
  isToolItem,
  type Approval,
  type Attachment,
  type Decision,
  type Item,
  type JournalEvent,
  type StreamFrame,
  type ToolItem,
} from "../../../src/protocol/index.ts";
import type { SallyportClient } from "../../../src/client/index.ts";
import { script } from "../../support/app.ts";
import { approvalAtHome, asMadeAtHome, decidedHere } from "./home.ts";
import type { Model, SentRequest } from "./model.ts";

type Said = Omit<Decision, "input_hash"> | undefined;
/** Undefined: nobody answers. */
export type Answer = (approval: Approval) => Said | Promise<Said>;
type Terminal = Extract<JournalEvent, { type: "turn.completed" | "turn.failed" }>;

const approve: Answer = () => ({ decision: "approve" });
/** Longer than anything takes here, four starts of OpenCode at once included: what does not come by then never comes. */
const PATIENCE_MS = 90_000;

export interface TurnOptions {
  readonly attachments?: readonly Attachment[];
  readonly answer?: Answer;
  readonly onFrame?: (frame: StreamFrame) => void;
}

/** A turn as it was seen from outside. */
export interface Turn {
  readonly id: string;
  /** Stands in its prompt. */
  readonly mark: string;
  readonly frames: readonly StreamFrame[];
  /** Completed ones. */
  readonly items: readonly Item[];
  readonly calls: readonly ToolItem[];
  readonly notices: readonly string[];
  readonly end: Terminal;
  /** What the model was asked for it. */
  readonly requests: readonly SentRequest[];
}

interface SessionPlace {
  readonly client: SallyportClient;
  readonly model: Model;
  /** Another machine that runs the session. Absent: the server itself does. */
  readonly home: object | undefined;
}

/** One session of the bench, watched from its first event on. */
export class BenchSession {
  readonly id: string;
  readonly frames: StreamFrame[] = [];
  readonly #model: Model;
  readonly #isAtHome: boolean;
  readonly #chores: Promise<unknown>[] = [];
  /** The mark of the last turn that was completed. */
  known = "";
  #client: SallyportClient;
  #leaving = new AbortController();
  #watching: Promise<void> = Promise.resolve();
  #changed: (() => void)[] = [];
  #turns = 0;
  #answer: Answer = approve;
  #onFrame: (frame: StreamFrame) => void = () => undefined;

  constructor(id: string, { client, model, home }: SessionPlace) {
    this.id = id;
    this.#client = client;
    this.#model = model;
    this.#isAtHome = home !== undefined;
    this.#watch();
  }

  get events(): readonly JournalEvent[] {
    return this.frames.filter((frame) => "seq" in frame);
  }

  get client(): SallyportClient {
    return this.#client;
  }

  /** Begins a turn and follows it to its end. */
  async turn(steps: readonly object[], options: TurnOptions = {}): Promise<Turn> {
    return this.finish(await this.begin(steps, options));
  }

  /** Only begins it. */
  async begin(steps: readonly object[], options: TurnOptions = {}): Promise<Begun> {
    this.#turns += 1;
    const mark = `[mark ${this.id.replaceAll("_", "-")}-${this.#turns}]`;
    this.#answer = options.answer ?? approve;
    this.#onFrame = options.onFrame ?? (() => undefined);
    const from = this.frames.length;
    const { turn_id } = await this.#client.prompt(this.id, {
      text: `${mark} ${script(...steps)}`,
      ...(options.attachments === undefined ? {} : { attachments: [...options.attachments] }),
    });
    return { id: turn_id, mark, from };
  }

  async finish({ id, mark, from }: Begun): Promise<Turn> {
    const isEnd = (frame: StreamFrame): frame is Terminal =>
      "seq" in frame && isTerminal(frame) && frame.turn_id === id;
    const end = await this.seen(isEnd, from);
    await Promise.all(this.#chores.splice(0));
    if (end.type === "turn.completed") this.known = mark;
    const frames = this.frames.slice(from);
    const items = frames.flatMap((frame) => (frame.type === "item.completed" ? [frame.item] : []));
    return {
      id,
      mark,
      frames,
      items,
      calls: items.filter(isToolItem),
      notices: frames.flatMap((frame) => (frame.type === "error" ? [frame.message] : [])),
      end,
      requests: await this.#model.asked(mark),
    };
  }

  /** The first frame like this, when it is there. */
  async seen<Frame extends StreamFrame>(test: (frame: StreamFrame) => frame is Frame, from = 0): Promise<Frame> {
    const end = performance.now() + PATIENCE_MS;
    for (let index = from; ; index += 1) {
      while (index >= this.frames.length) await this.#more(end - performance.now());
      const frame = this.frames[index];
      if (frame !== undefined && test(frame)) return frame;
    }
  }

  /** The first one of a kind. */
  kind<Type extends StreamFrame["type"]>(type: Type, from = 0): Promise<Extract<StreamFrame, { type: Type }>> {
    return this.seen((frame): frame is Extract<StreamFrame, { type: Type }> => frame.type === type, from);
  }

  /** Answers what is open, and what comes. */
  async answerWith(answer: Answer): Promise<void> {
    this.#answer = answer;
    const { approvals } = await this.#client.approvals({ status: "pending", session_id: this.id });
    for (const approval of approvals) await this.#decide(approval);
  }

  /** The server goes: what comes after is read from the next one. */
  async leave(): Promise<void> {
    this.#leaving.abort();
    await this.#watching;
    this.#leaving = new AbortController();
  }

  join(client: SallyportClient): void {
    this.#client = client;
    this.#watch();
  }

  /** The journal as it is stored. */
  async journal(): Promise<readonly JournalEvent[]> {
    const events: JournalEvent[] = [];
    for (let after: number | undefined = 0; after !== undefined;) {
      const page: { events: JournalEvent[]; next?: number } = await this.#client.events(this.id, { after, limit: 500 });
      events.push(...page.events.map((event) => this.#read(event)));
      after = page.next;
    }
    return events;
  }

  /** Leaves nothing open. */
  async rest(): Promise<void> {
    this.#onFrame = () => undefined;
    const { status } = await this.#client.session(this.id);
    if (status === "working" || status === "pending_approval") await this.#client.control(this.id, "interrupt");
    await Promise.allSettled(this.#chores.splice(0));
  }

  #watch(): void {
    const after = this.events.at(-1)?.seq ?? 0;
    this.#watching = this.#follow(after, this.#leaving.signal);
    this.#watching.catch(() => undefined);
  }

  /** As the suite reads it. */
  #read<Frame extends StreamFrame>(frame: Frame): Frame {
    return this.#isAtHome ? asMadeAtHome(frame) : frame;
  }

  async #follow(after: number, signal: AbortSignal): Promise<void> {
    for await (const told of this.#client.watch(this.id, { after, signal })) {
      const frame = this.#read(told);
      this.frames.push(frame);
      this.#onFrame(frame);
      if (told.type === "approval.requested") this.#chores.push(this.#decide(told.approval));
      for (const resolve of this.#changed.splice(0)) resolve();
    }
  }

  /** Until the next frame. */
  async #more(waitMs: number): Promise<void> {
    const over = new AbortController();
    const late = pause(waitMs, undefined, { signal: over.signal }).catch(() => undefined);
    const ended = this.#watching.then(() => "ended" as const);
    const next = new Promise<"next">((resolve) => this.#changed.push(() => resolve("next")));
    const first = await Promise.race([next, ended, late]);
    over.abort();
    if (first === "next") return;
    const lately = this.frames.slice(-5).map((frame) => JSON.stringify(frame).slice(0, 300));
    throw new Error(`nothing more comes in ${this.id}; the last frames:\n${lately.join("\n")}`);
  }

  async #decide(approval: Approval): Promise<void> {
    const isAtHome = this.#isAtHome && approval.tool === HOME_TOOL;
    const decision = await this.#answer(isAtHome ? approvalAtHome(approval) : approval);
    if (decision === undefined) return;
    const { updated_input: updated, ...said } = decision;
    const edited = updated === undefined ? {} : { updated_input: isAtHome ? decidedHere(approval, updated) : updated };
    await this.#client.decide(approval.id, { ...said, ...edited, input_hash: approval.input_hash });
  }
}

export interface Begun {
  readonly id: string;
  readonly mark: string;
  readonly from: number;
}
