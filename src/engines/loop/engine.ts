import { LIMITS, type ErrorDetail, type Prompt, type SessionSettings, type ToolItem } from "../../protocol/index.ts";
import type { ToolDefinition } from "../../tools/toolbox.ts";
import type { Capabilities, Conversation, Engine, EngineEvent, Host, Opening } from "../engine.ts";
import { Agent } from "./agent.ts";
import { withAgents } from "./agents.ts";
import { runTools } from "./tool-phase.ts";
import { Transcript } from "./transcript.ts";
import { createTransport, inProcess, type Transport } from "./transport.ts";
import { ABORTED, Turn, type Surroundings } from "./turn.ts";

export interface LoopOptions {
  /** The model's window in tokens. Absent: LIMITS.contextTokens. */
  readonly contextTokens?: number | undefined;
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
  warm: false,
};

/** Our own agent loop. It runs in this process and keeps nothing that the journal does not have. */
export function createLoopEngine(options: LoopOptions = {}): Engine {
  const transport = createTransport();
  const contextTokens = options.contextTokens ?? LIMITS.contextTokens;
  return {
    id: "loop",
    capabilities: CAPABILITIES,
    wires: ["anthropic"],
    open: (opening, host) => Promise.resolve(new LoopConversation(opening, host, { transport, contextTokens })),
  };
}

interface LoopMeans {
  readonly transport: Transport;
  readonly contextTokens: number;
}

class LoopConversation implements Conversation {
  readonly #opening: Opening;
  readonly #host: Host;
  readonly #means: LoopMeans;
  #transcript: Promise<Transcript> | undefined;

  constructor(opening: Opening, host: Host, means: LoopMeans) {
    this.#opening = opening;
    this.#host = host;
    this.#means = means;
  }

  turn(prompt: Prompt, signal: AbortSignal): AsyncIterable<readonly EngineEvent[]> {
    return this.#drive(signal, (root, agent) => {
      root.add({ type: "turn.started", prompt });
      return agent().run();
    });
  }

  resumeTurn(open: readonly ToolItem[], signal: AbortSignal): AsyncIterable<readonly EngineEvent[]> {
    return this.#drive(signal, (_, agent) => agent().run(open));
  }

  async close(): Promise<void> {
    this.#transcript = undefined;
  }

  async *#drive(
    signal: AbortSignal,
    work: (root: Transcript, agent: () => Agent) => Promise<unknown>,
  ): AsyncGenerator<readonly EngineEvent[]> {
    this.#transcript ??= read(this.#opening);
    const root = await this.#transcript;
    const turn = newTurn({ opening: this.#opening, host: this.#host, root }, this.#means);
    const stop = (): void => turn.stop(ABORTED);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    const done = work(root, () => new Agent(turn, { transcript: root, depth: 0 })).then(
      () => turn.channel.end(),
      (error: unknown) => turn.channel.end(error),
    );
    try {
      yield* turn.channel.read();
    } finally {
      // Also when the reader leaves early: nothing of a turn goes on behind its back.
      signal.removeEventListener("abort", stop);
      stop();
      await done;
    }
  }
}

function newTurn(
  { opening, host, root }: { readonly opening: Opening; readonly host: Host; readonly root: Transcript },
  { transport, contextTokens }: LoopMeans,
): Turn {
  const { settings } = opening;
  const { model } = host;
  return new Turn({
    host,
    model,
    settings,
    root,
    ...toolsOf(host, settings),
    transport: model.post === undefined ? transport : inProcess(model.post),
    contextTokens: Math.min(contextTokens, settings.max_context_tokens ?? Infinity),
  });
}

/** Another engine's turn that a dead server left open. */
interface LeftTurn {
  readonly opening: Opening;
  readonly host: Host;
  readonly signal: AbortSignal;
  /** Resolves when the events are in the journal. */
  readonly tell: (events: readonly EngineEvent[]) => Promise<void>;
}

/**
 * Decides on calls of sub-agents that a dead server left open, and runs those that are allowed here: each from where the journal says that
 * it was. For an engine whose own program cannot be made to run them. Answers why the turn was stopped; undefined: it goes on.
 */
export async function runSubagents(
  { opening, host, signal, tell }: LeftTurn,
  items: readonly ToolItem[],
): Promise<ErrorDetail | undefined> {
  const root = await read(opening);
  const turn = newTurn({ opening, host, root }, { transport: createTransport(), contextTokens: LIMITS.contextTokens });
  const stop = (): void => turn.stop(ABORTED);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  const done = runTools(new Agent(turn, { transcript: root, depth: 0 }), items).then(
    () => turn.channel.end(),
    (error: unknown) => turn.channel.end(error),
  );
  try {
    for await (const events of turn.channel.read()) await tell(events);
  } finally {
    signal.removeEventListener("abort", stop);
    await done;
  }
  return turn.stopped;
}

/** As they are now: lent ones come and go between turns. */
function toolsOf(host: Host, settings: SessionSettings): Pick<Surroundings, "tools" | "toolChars"> {
  const tools = host.toolbox.definitions().map((tool) => withAgents(tool, settings.agents));
  return { tools, toolChars: tools.reduce((chars, tool) => chars + charsOf(tool), 0) };
}

/** Definitions stay the same objects from turn to turn. */
const measured = new WeakMap<ToolDefinition, number>();

function charsOf(tool: ToolDefinition): number {
  const known = measured.get(tool);
  if (known !== undefined) return known;
  const chars = JSON.stringify(tool).length;
  measured.set(tool, chars);
  return chars;
}

async function read(opening: Opening): Promise<Transcript> {
  const transcript = new Transcript();
  for await (const event of opening.history()) transcript.add(event);
  return transcript;
}
