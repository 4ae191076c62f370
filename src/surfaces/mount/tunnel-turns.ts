import {
  ChunkStream,
  defined,
  Failure,
  isTerminal,
  isToolItem,
  LIMITS,
  type Approval,
  type ItemStatus,
  type PromptAccepted,
  type StreamFrame,
  type TunnelMessage,
} from "../../protocol/index.ts";
import type { Caller, Gateway } from "../../sessions/index.ts";

interface ToldTurnOptions {
  readonly gateway: Gateway;
  readonly caller: Caller;
  /** As it is called here. */
  readonly id: string;
  /** As the other side calls it. */
  readonly session_id: string;
  readonly send: (message: TunnelMessage) => void;
  /** Resolves when the other side has read enough. */
  readonly room: () => Promise<void>;
  readonly signal: AbortSignal;
}

type AcceptedTurn = Pick<PromptAccepted, "turn_id" | "seq">;
type PromptMessage = Extract<TunnelMessage, { type: "prompt" }> & { readonly turn_id: string };

/** One turn that runs here for the other side, told from its beginning to its end. */
export class ToldTurn {
  /** As the other side calls it. */
  readonly turn_id: string;
  readonly #options: ToldTurnOptions;
  readonly #turn: AcceptedTurn;
  readonly #chunks: ChunkStream;
  #hasBegun = false;

  private constructor(options: ToldTurnOptions, turn_id: string, turn: AcceptedTurn) {
    this.turn_id = turn_id;
    this.#options = options;
    this.#turn = turn;
    this.#chunks = new ChunkStream({ seq: turn.seq - 1, given: 0 });
  }

  /** Takes a prompt. The same turn again is the same prompt: it runs once, however often it is sent. */
  static async begin(
    options: ToldTurnOptions,
    { session_id, content, turn_id, max_cost_usd }: PromptMessage,
  ): Promise<ToldTurn> {
    const { gateway, caller, id } = options;
    const turn = await gateway.sessions.prompt(
      caller,
      id,
      { text: content, ...defined({ max_cost_microusd: max_cost_usd }) },
      `tunnel ${session_id} ${turn_id}`,
      { keepMs: LIMITS.tunnelPromptKeptMs, question: ["tunnel prompt", id, turn_id] },
    );
    return new ToldTurn(options, turn_id, turn);
  }

  /** As it is called here. */
  get homeTurnId(): string {
    return this.#turn.turn_id;
  }

  /** Tells all of it. Never rejects with what is no bug. */
  async tell(): Promise<void> {
    const { gateway, caller, id, signal } = this.#options;
    const batches = await gateway.sessions.watch(caller, id, this.#turn.seq - 1, signal);
    for await (const frames of batches) {
      for (const { value } of frames) {
        if (signal.aborted) return;
        if (!this.#isOfTurn(value)) continue;
        await this.#next(value);
        if (isEnd(value, this.#turn.turn_id)) return;
      }
    }
    if (!signal.aborted) await this.#cutOff();
  }

  /** Frames of other turns, before it began. */
  #isOfTurn(value: StreamFrame): boolean {
    if (value.type === "turn.started" && value.turn_id === this.#turn.turn_id) this.#hasBegun = true;
    return this.#hasBegun || isEnd(value, this.#turn.turn_id);
  }

  async #next(value: StreamFrame): Promise<void> {
    const { session_id, send, room } = this.#options;
    const call_id = callOf(value);
    const end = await this.#end(value);
    for (const { chunk } of this.#chunks.next([value])) {
      await room();
      const isLast = chunk.chunk_type === "done" || chunk.chunk_type === "error";
      const status = chunk.chunk_type === "tool_done" ? statusOf(value) : undefined;
      const more = { turn_id: this.turn_id, ...defined({ call_id, status }), ...(isLast ? end : {}) };
      send({ type: "chunk", ...chunk, session_id, ...more });
    }
    if (value.type === "approval.requested") await this.#request(value.approval);
    if (value.type === "approval.resolved")
      send({
        type: "tool_approval_response",
        session_id,
        approved: value.outcome === "approved",
        request_id: value.approval_id,
      });
  }

  /** What the other side must know of the end. A request that was broken off may not be settled yet: all of it counts. */
  async #end(value: StreamFrame): Promise<Pick<Extract<TunnelMessage, { type: "chunk" }>, "code" | "cost_usd">> {
    if (!isEnd(value, this.#turn.turn_id)) return {};
    const { gateway, caller, id } = this.#options;
    if (value.type === "turn.completed") return { cost_usd: value.cost_microusd };
    const { reserved_microusd } = await gateway.usage.session(caller, id);
    return { code: value.error.code, cost_usd: (value.cost_microusd ?? 0) + reserved_microusd };
  }

  /** A question that somebody has answered meanwhile is none any more. */
  async #request({ id: request_id, tool, input, item_id, preview }: Approval): Promise<void> {
    const { gateway, caller, session_id, send } = this.#options;
    const { status } = await gateway.approvals.get(caller, request_id);
    if (status !== "pending") return;
    const may_answer = await gateway.approvals.mayAnswer(caller, request_id);
    const asked = { request_id, call_id: item_id === "" ? request_id : item_id, preview, may_answer };
    send({ type: "tool_approval", session_id, tool, params: input, turn_id: this.turn_id, ...asked });
  }

  /** The session ended, or this server stops: then it goes on later. */
  async #cutOff(): Promise<void> {
    const { gateway, caller, id, session_id, send } = this.#options;
    const isOver = await gateway.sessions.get(caller, id).then(
      ({ status }) => status === "complete" || status === "failed",
      (error: unknown) => error instanceof Failure && error.code === "not_found",
    );
    const error = "session not found: it was ended at home";
    if (isOver) send({ type: "error", session_id, turn_id: this.turn_id, code: "not_found", error });
  }
}

type TurnEndFrame = Extract<StreamFrame, { type: "turn.completed" | "turn.failed" }>;

function isEnd(value: StreamFrame, turn_id: string): value is TurnEndFrame {
  return "seq" in value && isTerminal(value) && value.turn_id === turn_id;
}

/** The call that a frame is about. */
function statusOf(value: StreamFrame): ItemStatus | undefined {
  return value.type === "item.completed" ? value.item.status : undefined;
}

function callOf(value: StreamFrame): string | undefined {
  if (value.type === "item.delta") return value.item_id;
  return "item" in value && isToolItem(value.item) ? value.item.id : undefined;
}
