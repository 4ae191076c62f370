import { LIMITS, type ErrorDetail, type JournalEvent, type Prompt, type ToolItem } from "../../protocol/index.ts";
import type {
  Capabilities,
  Conversation,
  ConversationOptions,
  Engine,
  EngineEvent,
  Host,
  TurnChannel,
} from "../engine.ts";
import { errorResult } from "../../tools/tool.ts";
import { embedTexts } from "./embeddings.ts";
import { createLoopEngine } from "../loop/engine.ts";

const CAPABILITIES: Capabilities = {
  streaming: true,
  thinking: true,
  parallel_tools: false,
  edited_input: false,
  images: true,
  subagents: false,
  structured_output: false,
  agents: false,
  fork: true,
  resume_turn: true,
  steer: false,
  warm: false,
};

/** One model call for each prompt, without tools. Our own loop asks the model, so retries, money and the journal are its. */
export function createComputeEngine(): Engine {
  const loop = createLoopEngine({ isPlain: true });
  return {
    id: "compute",
    capabilities: CAPABILITIES,
    instructions: "none",
    wires: loop.wires,
    open: async (opening, host) => {
      const settings = { ...opening.settings, max_turns: 1 };
      const inner = await loop.open(
        { ...opening, settings, history: () => withEarlier(opening, host) },
        withoutTools(host),
      );
      const { texts, timeout_ms = LIMITS.jobTimeMs } = opening.settings.job ?? {};
      return new ComputeConversation(texts === undefined ? inner : embedding(inner, host, texts), host, timeout_ms);
    },
  };
}

/** Texts in the place of a prompt: their vectors are the turn's structured output, in base64. */
function embedding(inner: Conversation, host: Host, texts: readonly string[]): Conversation {
  const turn = async (channel: TurnChannel): Promise<void> => {
    const notice = (message: string): void => void channel.tell([{ type: "notice", message }]);
    const answer = await embedTexts(host, { texts, signal: channel.signal, notice });
    if ("error" in answer) return channel.tell([{ type: "turn.failed", error: answer.error }]);
    const id = host.newId("item");
    const item = { id, type: "agent_message", message_id: id } as const;
    const text = `${answer.vectors.length} vectors`;
    const structured_output = { embeddings: answer.vectors };
    await channel.tell([
      { type: "item.started", item: { ...item, status: "in_progress", text: "" } },
      { type: "item.completed", item: { ...item, status: "completed", text } },
      { type: "turn.completed", stop_reason: "end_turn", structured_output },
    ]);
  };
  return {
    turn: (_prompt, channel) => turn(channel),
    resumeTurn: (_open, channel) => turn(channel),
    close: () => inner.close(),
  };
}

/** The journal after what the job's own messages say. */
async function* withEarlier(opening: ConversationOptions, host: Host): AsyncGenerator<JournalEvent> {
  const common = { session_id: opening.session_id, seq: 0, at: new Date(host.now()).toISOString() };
  for (const { role, text } of opening.settings.job?.messages ?? []) {
    const id = host.newId("item");
    if (role === "user")
      yield { ...common, type: "turn.started", turn_id: id, prompt: { text }, by: { id, name: "", role: "system" } };
    else {
      const item = { id, type: "agent_message", status: "completed", message_id: id, text } as const;
      yield { ...common, type: "item.completed", item };
    }
  }
  yield* opening.history();
}

const NO_TOOLS = "This model call has no tools: answer without them.";

/** A model that calls a tool nevertheless is refused before anybody is asked. */
function withoutTools(host: Host): Host {
  const { toolbox } = host;
  return {
    get model() {
      return host.model;
    },
    toolbox: {
      definitions: () => [],
      facts: (tool, input) => toolbox.facts(tool, input),
      traits: (tool) => toolbox.traits(tool),
      preview: (tool, input) => toolbox.preview(tool, input),
      run: () => Promise.resolve(errorResult(NO_TOOLS)),
      close: () => toolbox.close(),
    },
    folder: host.folder,
    sandbox: host.sandbox,
    turnId: () => host.turnId(),
    newId: host.newId,
    now: host.now,
    elapsed: host.elapsed,
    random: () => host.random(),
    sleep: (ms, signal) => host.sleep(ms, signal),
    permit: () => Promise.resolve({ effect: "deny", message: NO_TOOLS, status: "failed", interrupt: false }),
    refusal: () => host.refusal(),
    funds: (signal) => host.funds(signal),
  };
}

class ComputeConversation implements Conversation {
  readonly #inner: Conversation;
  readonly #host: Host;
  /** Milliseconds. */
  readonly #time: number;

  constructor(inner: Conversation, host: Host, time: number) {
    this.#inner = inner;
    this.#host = host;
    this.#time = time;
  }

  turn(prompt: Prompt, channel: TurnChannel): Promise<void> {
    return this.#inTime(channel, (timed) => this.#inner.turn(prompt, timed));
  }

  resumeTurn(open: readonly ToolItem[], channel: TurnChannel): Promise<void> {
    return this.#inTime(channel, async (timed) => this.#inner.resumeTurn?.(open, timed));
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** Ends the turn when its time is over. */
  async #inTime(channel: TurnChannel, work: (timed: TurnChannel) => Promise<void>): Promise<void> {
    const late = new AbortController();
    const over = new AbortController();
    void this.#host.sleep(this.#time, over.signal).then(() => {
      if (!over.signal.aborted) late.abort();
    });
    const error: ErrorDetail = { code: "timed_out", message: `the model did not answer within ${this.#time} ms` };
    const told = (event: EngineEvent): EngineEvent =>
      event.type === "turn.failed" && event.error.code === "aborted" && late.signal.aborted && !channel.signal.aborted
        ? { ...event, error }
        : event;
    try {
      await work({
        signal: AbortSignal.any([channel.signal, late.signal]),
        tell: (events) => channel.tell(events.map(told)),
      });
    } finally {
      over.abort();
    }
  }
}
