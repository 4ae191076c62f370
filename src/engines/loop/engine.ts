import { LIMITS, type ErrorDetail, type Prompt, type SessionSettings, type ToolItem } from "../../protocol/index.ts";
import type { Capabilities, Conversation, Engine, Host, ConversationOptions, TurnChannel } from "../engine.ts";
import { Agent } from "./agent.ts";
import { withAgents } from "./agents.ts";
import { runTools, ToolPhase } from "./tool-phase.ts";
import { ModelTranscript } from "./transcript.ts";
import { createTransport, inProcess, type Transport } from "./transport.ts";
import { LoopTurn, type TurnContext } from "./turn.ts";
import { charsOfTool } from "./wires/messages.ts";

export interface LoopOptions {
  /** The most tokens of a conversation, where a model's own window is not smaller. Absent: LIMITS.contextTokens. */
  readonly contextTokens?: number | undefined;
  /** The model is told what the session says, and nothing of ours. Absent: it is told that it is a coding agent. */
  readonly isPlain?: boolean | undefined;
}

const CAPABILITIES: Capabilities = {
  streaming: true,
  thinking: true,
  parallel_tools: true,
  edited_input: true,
  images: true,
  subagents: true,
  structured_output: true,
  agents: true,
  fork: true,
  resume_turn: true,
  steer: true,
  warm: false,
};

/** Our own agent loop. It runs in this process and stores nothing that the journal does not have. */
export function createLoopEngine(options: LoopOptions = {}): Engine {
  const transport = createTransport();
  const { contextTokens = LIMITS.contextTokens, isPlain = false } = options;
  return {
    id: "loop",
    capabilities: CAPABILITIES,
    wires: ["anthropic", "openai"],
    open: (opening, host) =>
      Promise.resolve(new LoopConversation(opening, host, { transport, contextTokens, isPlain })),
  };
}

interface LoopMeans {
  readonly transport: Transport;
  readonly contextTokens: number;
  readonly isPlain: boolean;
}

class LoopConversation implements Conversation {
  readonly #opening: ConversationOptions;
  readonly #host: Host;
  readonly #means: LoopMeans;
  #transcript: Promise<ModelTranscript> | undefined;

  constructor(opening: ConversationOptions, host: Host, means: LoopMeans) {
    this.#opening = opening;
    this.#host = host;
    this.#means = means;
  }

  async turn(prompt: Prompt, channel: TurnChannel): Promise<void> {
    const root = await this.#history();
    root.add({ type: "turn.started", prompt });
    await this.#run(root, channel);
  }

  async resumeTurn(open: readonly ToolItem[], channel: TurnChannel): Promise<void> {
    await this.#run(await this.#history(), channel, open);
  }

  async close(): Promise<void> {
    this.#transcript = undefined;
  }

  #history(): Promise<ModelTranscript> {
    this.#transcript ??= read(this.#opening);
    return this.#transcript;
  }

  async #run(root: ModelTranscript, channel: TurnChannel, open: readonly ToolItem[] = []): Promise<void> {
    const turn = newTurn({ opening: this.#opening, host: this.#host, root, channel }, this.#means);
    await turn.during(() => new Agent(turn, { transcript: root, depth: 0 }).run(open));
  }
}

interface TurnParts {
  readonly opening: ConversationOptions;
  readonly host: Host;
  readonly root: ModelTranscript;
  readonly channel: TurnChannel;
}

function newTurn(
  { opening, host, root, channel }: TurnParts,
  { transport, contextTokens, isPlain }: LoopMeans,
): LoopTurn {
  const { settings } = opening;
  const { model } = host;
  const surroundings = {
    host,
    model,
    settings,
    root,
    ...toolsOf(host, settings),
    transport: model.post === undefined ? transport : inProcess(model.post),
    isPlain,
    cacheKey: opening.session_id,
    contextTokens: Math.min(
      contextTokens,
      model.facts(model.name).contextTokens ?? Infinity,
      settings.max_context_tokens ?? Infinity,
    ),
  };
  return new LoopTurn(surroundings, channel);
}

/**
 * Decides on calls of sub-agents that a dead server left open, and runs those that are allowed, from where the journal says they were. For
 * an engine whose own program cannot run them. Returns why the turn was stopped; undefined: it continues.
 */
export async function runSubagents(
  left: Omit<TurnParts, "root">,
  items: readonly ToolItem[],
): Promise<ErrorDetail | undefined> {
  const root = await read(left.opening);
  const turn = newTurn(
    { ...left, root },
    { transport: createTransport(), contextTokens: LIMITS.contextTokens, isPlain: false },
  );
  await turn.during(() => runTools(new Agent(turn, { transcript: root, depth: 0 }), items));
  return turn.stopped;
}

/** Runs the calls of a vendor's program with our own tools. */
export interface CallRunner {
  /** The item was reported. Reports its end, then resolves. Rejects for a bug. */
  call(item: ToolItem): Promise<void>;
  /** An id for a call that is unique in the turn. */
  claimId(tool_use_id: string): string;
  /** The first reason counts. Ends what runs. */
  stop(error: ErrorDetail): void;
  readonly stopped: ErrorDetail | undefined;
  readonly signal: AbortSignal;
}

/**
 * Decides on calls and runs those that are allowed as our own loop does, in one turn of another engine. Its sub-agents run in our own
 * loop. `isResumed`: the turn began under another server, and the journal may have sub-agents of it.
 */
export async function openCallRunner(
  parts: Omit<TurnParts, "root"> & { readonly isResumed: boolean },
): Promise<CallRunner> {
  const root = parts.isResumed ? await read(parts.opening) : new ModelTranscript();
  const means = { transport: createTransport(), contextTokens: LIMITS.contextTokens, isPlain: false };
  const turn = newTurn({ ...parts, root }, means);
  const agent = new Agent(turn, { transcript: root, depth: 0 });
  const phase = new ToolPhase({
    turn,
    emit: (events) => turn.tell(events),
    subagent: agent.subagent,
    abandon: (item) => agent.abandon(item),
  });
  return {
    call: (item) => phase.call(item),
    claimId: (tool_use_id) => turn.claimToolUseId(tool_use_id),
    stop: (error) => turn.stop(error),
    get stopped() {
      return turn.stopped;
    },
    signal: turn.signal,
  };
}

/** The current tools: those of clients come and go between turns. */
function toolsOf(host: Host, settings: SessionSettings): Pick<TurnContext, "tools" | "toolChars"> {
  const tools = host.toolbox.definitions().map((tool) => withAgents(tool, settings.agents));
  return { tools, toolChars: tools.reduce((chars, tool) => chars + charsOfTool(tool), 0) };
}

async function read(opening: ConversationOptions): Promise<ModelTranscript> {
  const transcript = new ModelTranscript();
  for await (const event of opening.history()) transcript.add(event);
  return transcript;
}
