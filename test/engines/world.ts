import {
  LIMITS,
  NO_USAGE,
  isToolItem,
  type EventBody,
  type Item,
  type JournalEvent,
  type ModelApi,
  type Prompt,
  type SessionSettings,
  type ToolItem,
} from "../../src/protocol/index.ts";
import {
  createLoopEngine,
  type Conversation,
  type EngineEvent,
  type Host,
  type LoopOptions,
  type ConversationOptions,
  type ToolCall,
  type TurnChannel,
  type Verdict,
} from "../../src/engines/index.ts";
import { startSim, type SimExchange, type SimServer } from "../../src/sim/index.ts";
import type { CallFacts, ToolDefinition, Toolbox, ToolTraits } from "../../src/tools/toolbox.ts";
import {
  errorResult,
  textResult,
  type RunToolOptions,
  type ToolPreview,
  type ToolResult,
} from "../../src/tools/tool.ts";

type Input = Readonly<Record<string, unknown>>;

export const SETTINGS: SessionSettings = {
  engine: "loop",
  provider: "sim",
  model: "sim",
  workspace: "/project",
  sandbox: "local",
  profile: "code-assist",
  autonomy: "supervised",
  max_turns: 15,
  max_tokens: 8_192,
  unattended: "deny",
  approval_timeout_ms: 300_000,
};

/** A promise that the test resolves. */
export class Signal {
  readonly promise: Promise<void>;
  fire: () => void = () => undefined;

  constructor() {
    this.promise = new Promise((resolve) => {
      this.fire = resolve;
    });
  }
}

const READ_ONLY = new Set(["Read", "Picture", "Held", "Task"]);

/** Tools over files in memory, some with a will of their own. */
class TestToolbox implements Toolbox {
  readonly files = new Map<string, string>();
  /** `start X`, `end X` in the order in which it happened. */
  readonly log: string[] = [];
  /** Fired when a call of the named tool has begun. */
  readonly started = new Map<string, Signal>();
  /** What `Held` waits for, by its `key`. */
  readonly gates = new Map<string, Signal>();

  definitions(): readonly ToolDefinition[] {
    return ["Read", "Write", "Bash", "Picture", "Held", "Stubborn", "Task"].map((name) => ({
      name,
      description: `The tool ${name}.`,
      input_schema: { type: "object", properties: {} },
    }));
  }

  traits(tool: string): ToolTraits {
    return { name: tool, known: true, tier: "read", alwaysAsks: false, concurrent: READ_ONLY.has(tool) };
  }

  facts(tool: string, input: Input): CallFacts {
    const path = input["file_path"];
    const access = tool === "Write" ? ("write" as const) : ("read" as const);
    return {
      name: tool,
      known: true,
      tier: "read",
      alwaysAsks: false,
      paths: typeof path === "string" ? [{ path, access }] : [],
      hosts: [],
    };
  }

  preview(): Promise<ToolPreview> {
    return Promise.reject(new Error("the engine has no business with previews"));
  }

  async run(tool: string, input: Input, options: RunToolOptions): Promise<ToolResult> {
    const name = `${tool}${typeof input["key"] === "string" ? ` ${input["key"]}` : ""}`;
    this.log.push(`start ${name}`);
    this.started.get(name)?.fire();
    const result = await this.#run(tool, input, options);
    this.log.push(`end ${name}`);
    return result;
  }

  async #run(tool: string, input: Input, { signal, onOutput, subagent }: RunToolOptions): Promise<ToolResult> {
    const path = String(input["file_path"]);
    switch (tool) {
      case "Read": {
        const content = this.files.get(path);
        return content === undefined ? errorResult(`File does not exist: ${path}`) : textResult(content);
      }
      case "Write":
        this.files.set(path, String(input["content"]));
        return textResult(`Wrote ${path}`, { changes: [{ path, kind: "add" }], diff: "+" });
      case "Bash":
        onOutput("one\n");
        onOutput("two\n");
        return textResult("one\ntwo", { exit_code: 0 });
      case "Picture":
        return {
          content: [
            { type: "text", text: "a dot" },
            { type: "image", media_type: "image/png", data: "iVBORw0KGgo=" },
          ],
          is_error: false,
        };
      case "Held":
        onOutput("holding\n");
        await Promise.race([this.gates.get(String(input["key"]))?.promise, aborted(signal)]);
        return signal.aborted ? errorResult("held no longer") : textResult(`held ${String(input["key"])}`);
      case "Stubborn":
        onOutput("working\n");
        return new Promise(() => undefined);
      case "Task":
        if (subagent === undefined) return errorResult("Error: no sub-agents here");
        return subagent({ description: "d", prompt: String(input["prompt"]) });
      default:
        return errorResult(`Unknown tool: ${tool}`);
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** A call that a test decides on. */
export interface AskedCall extends ToolCall {
  readonly tool: string;
  readonly tool_use_id: string;
}

/** What a session does with a call that is asked about: finds its item, which must be there. */
export function askedCall({ ready: _ready, ...call }: ToolCall, items: readonly Item[]): AskedCall {
  const item = items.find(({ id }) => id === call.item_id);
  if (item === undefined || !isToolItem(item)) throw new Error(`asked before it was told: ${call.item_id}`);
  return { ...call, tool: item.tool, tool_use_id: item.tool_use_id };
}

/** A turn's events as arrays that come one after the other. `onTell` hears them at once. */
export async function* arraysOf(
  begin: (channel: TurnChannel) => Promise<void>,
  signal: AbortSignal,
  onTell: (events: readonly EngineEvent[]) => void = () => undefined,
): AsyncGenerator<readonly EngineEvent[]> {
  const waiting: (readonly EngineEvent[])[] = [];
  let wake = (): void => undefined;
  let isOver = false;
  const tell = (events: readonly EngineEvent[]): Promise<void> => {
    onTell(events);
    waiting.push(events);
    wake();
    return Promise.resolve();
  };
  const turn = begin({ signal, tell }).finally(() => {
    isOver = true;
    wake();
  });
  for (;;) {
    const events = waiting.shift();
    if (events !== undefined) yield events;
    else if (isOver) return await turn;
    else
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
}

/** A conversation whose turns can be read. */
export interface ReadConversation {
  turn(prompt: Prompt, signal: AbortSignal): AsyncIterable<readonly EngineEvent[]>;
  resumeTurn(open: readonly ToolItem[], signal: AbortSignal): AsyncIterable<readonly EngineEvent[]>;
  close(): Promise<void>;
}

function readable(conversation: Conversation, onTell: (events: readonly EngineEvent[]) => void): ReadConversation {
  return {
    turn: (prompt, signal) => arraysOf((channel) => conversation.turn(prompt, channel), signal, onTell),
    resumeTurn: (open, signal) =>
      arraysOf(
        async (channel) => {
          if (conversation.resumeTurn === undefined) throw new Error("it takes no turn up again");
          await conversation.resumeTurn(open, channel);
        },
        signal,
        onTell,
      ),
    close: () => conversation.close(),
  };
}

/** A host with a clock that only sleeping moves. Long waits (the idle watchdog) never end by themselves. */
export class TestHost implements Host {
  model: Host["model"];
  readonly toolbox = new TestToolbox();
  readonly sleeps: number[] = [];
  readonly asked: AskedCall[] = [];
  readonly #items = new Map<string, Item>();
  decide: (call: AskedCall) => Verdict | Promise<Verdict> = (call) => ({ effect: "allow", input: call.input });
  /** Called for every sleep but the watchdog's. */
  onSleep: (ms: number) => void = () => undefined;
  /** Lets the watchdog's next sleep pass at once. */
  fallSilent: Signal | undefined;
  #clock = 1_000_000;
  #ids = 0;

  constructor(baseUrl: string, api: ModelApi = "messages") {
    this.model = { baseUrl, key: "key", name: "sim", facts: () => ({ api }) };
  }

  newId: Host["newId"] = (prefix) => `${prefix}_${(this.#ids += 1)}`;
  now: Host["now"] = () => this.#clock;
  elapsed: Host["elapsed"] = () => this.#clock;
  random: Host["random"] = () => 0.5;

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (ms > LIMITS.modelRetryAfterMs * 0.5) {
      await Promise.race([aborted(signal), this.fallSilent?.promise ?? new Promise<void>(() => undefined)]);
      if (!signal.aborted) this.#clock += ms;
      return;
    }
    this.sleeps.push(ms);
    this.onSleep(ms);
    this.#clock += ms;
  }

  async permit(call: ToolCall, signal: AbortSignal): Promise<Verdict> {
    const asked = askedCall(call, [...this.#items.values()]);
    this.asked.push(asked);
    if (signal.aborted) return { effect: "deny", message: "Interrupted.", status: "interrupted", interrupt: false };
    return this.decide(asked);
  }

  /** What a session would know from now on. */
  hear(events: readonly (EngineEvent | EventBody)[]): void {
    for (const event of events) if ("item" in event) this.#items.set(event.item.id, event.item);
  }

  readonly folder = "/engine";
  readonly sandbox = { kind: "local" as const, open: () => Promise.reject(new Error("the loop starts no program")) };

  turnId(): string {
    return "turn_1";
  }

  refusal(): undefined {
    return undefined;
  }

  funds(): Promise<{ readonly granted: true }> {
    return Promise.resolve({ granted: true });
  }
}

export interface Told {
  /** Arrays without deltas and empty ones: what a journal keeps. */
  readonly arrays: readonly (readonly EngineEvent[])[];
  /** Live text by item and field. */
  readonly deltas: Readonly<Record<string, string>>;
}

/** Reads a turn to its end. */
export async function readTurn(
  turn: AsyncIterable<readonly EngineEvent[]>,
  onArray: (events: readonly EngineEvent[]) => void = () => undefined,
): Promise<Told> {
  const arrays: (readonly EngineEvent[])[] = [];
  const deltas: Record<string, string> = {};
  for await (const events of turn) {
    const kept = events.filter((event) => event.type !== "item.delta");
    if (kept.length > 0) arrays.push(kept);
    for (const event of events) {
      if (event.type !== "item.delta") continue;
      const key = `${event.item_id} ${event.field}`;
      deltas[key] = (deltas[key] ?? "") + event.delta;
    }
    onArray(events);
  }
  return { arrays, deltas };
}

/** What a session would write of arrays of engine events. */
export function journalOf(arrays: readonly (readonly EngineEvent[])[]): readonly EventBody[] {
  return arrays.flat().flatMap((event): EventBody[] => {
    switch (event.type) {
      case "item.started":
      case "item.updated":
      case "item.completed":
        return [{ type: event.type, item: event.item }];
      case "usage":
        return [{ type: "usage.updated", turn_id: "turn_1", usage: event.usage }];
      case "notice":
        return [{ type: "error", message: event.message }];
      case "turn.completed":
        return [
          {
            type: "turn.completed",
            turn_id: "turn_1",
            usage: NO_USAGE,
            cost_microusd: 0,
            stop_reason: event.stop_reason,
          },
        ];
      case "turn.failed":
        return [{ type: "turn.failed", turn_id: "turn_1", error: event.error, usage: NO_USAGE }];
      case "item.delta":
        return [];
    }
  });
}

export function promptEvent(prompt: Prompt): EventBody {
  return { type: "turn.started", turn_id: "turn_1", prompt, by: { id: "tok_1", name: "test", role: "admin" } };
}

export function numbered(bodies: readonly EventBody[]): readonly JournalEvent[] {
  return bodies.map((body, index) => ({
    seq: index + 1,
    session_id: "ses_1",
    at: "2026-01-01T00:00:00.000Z",
    ...body,
  }));
}

/** The items that a journal leaves open, in order. */
export function openItems(bodies: readonly EventBody[]): readonly Item[] {
  const open = new Map<string, Item>();
  for (const body of bodies) {
    if (body.type === "item.started" || body.type === "item.updated") open.set(body.item.id, body.item);
    if (body.type === "item.completed") open.delete(body.item.id);
  }
  return [...open.values()];
}

/** Those that a session hands to `resumeTurn`. */
export function openCalls(bodies: readonly EventBody[]): readonly ToolItem[] {
  return openItems(bodies)
    .filter(isToolItem)
    .filter((item) => item.parent_id === undefined);
}

/** The parts of a request to the model that tests look at. */
export interface SentBody {
  readonly max_tokens: number;
  readonly system: readonly { readonly text: string; readonly cache_control?: unknown }[];
  readonly tools?: readonly { readonly name: string; readonly cache_control?: unknown }[];
  readonly messages: readonly { readonly role: string; readonly content: readonly SentPart[] }[];
}

interface SentPart {
  readonly type: string;
  readonly text?: string;
  readonly content?: unknown;
  readonly cache_control?: unknown;
}

/** First lines of all texts by message, with its role: enough to see who said what. */
export function outline(body: SentBody): readonly (readonly (string | undefined)[])[] {
  return body.messages.map(({ role, content }) =>
    [role].concat(content.map((part) => part.text?.split("\n")[0] ?? part.type)),
  );
}

/** A scripted model, and engines that talk to it. */
export class World {
  readonly sim: SimServer;
  readonly exchanges: SimExchange[];

  private constructor(sim: SimServer, exchanges: SimExchange[]) {
    this.sim = sim;
    this.exchanges = exchanges;
  }

  static async start(): Promise<World> {
    const exchanges: SimExchange[] = [];
    const sim = await startSim({}, { demoDelayMs: 0, onExchange: (exchange) => exchanges.push(exchange) });
    return new World(sim, exchanges);
  }

  host(api?: ModelApi): TestHost {
    return new TestHost(this.sim.url, api);
  }

  /** What was asked of the model since the last call of this. */
  take(): readonly SimExchange[] {
    return this.exchanges.splice(0);
  }

  /** The bodies of what `take` gives. */
  sent(): readonly SentBody[] {
    return this.take().map((exchange) => exchange.body as SentBody);
  }

  async open(
    host: TestHost,
    options: {
      readonly settings?: Partial<SessionSettings>;
      readonly journal?: readonly EventBody[];
    } & LoopOptions = {},
  ): Promise<ReadConversation> {
    const { settings, journal = [], ...loop } = options;
    const opening: ConversationOptions = {
      session_id: "ses_1",
      settings: { ...SETTINGS, ...settings },
      async *history() {
        yield* numbered(journal);
      },
      ancestry: [],
    };
    host.hear(journal);
    return readable(await createLoopEngine(loop).open(opening, host), (events) => host.hear(events));
  }
}

export function script(steps: readonly unknown[], words = "Do it."): Prompt {
  return { text: `${words}\nsim: ${JSON.stringify(steps)}` };
}

export function never(): AbortSignal {
  return new AbortController().signal;
}
