import { z } from "zod";
import { Failure, LIMITS, type ContentBlock, type Tier, UNKNOWN_OUTCOME, NOT_RUN } from "../protocol/index.ts";
import { problemsOf, schemaFault } from "./json-schema.ts";
import { genericPreview } from "./preview.ts";
import { errorResult, type AnyTool, type ToolContext, type ToolResult } from "./tool.ts";
import type { ToolDefinition } from "./toolbox.ts";

/** What a client tool learns about one call. */
interface ClientToolCall {
  /** Aborted when the answer is no longer needed: the turn was stopped, the time is over, the tool was unregistered. */
  readonly signal: AbortSignal;
  /** The same with the reason, for owners with many calls: a signal costs more than a short call. */
  onEnd(listener: (why: ClientToolEnd) => void): void;
  /** The model's own id of the call; absent if an engine does not pass it on. */
  readonly tool_use_id?: string | undefined;
}

/** A tool that somebody else executes: a web page, another program. It passes the same pipeline as our own. */
export interface ClientTool {
  /** The whole name, `mcp__<owner>__<tool>`. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object; see `problemsOf` for what of it is checked. */
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly tier: Tier;
  /** Absent: LIMITS.pageToolMs. `own`: whoever executes it ends each call in time. */
  readonly timeoutMs?: number | "own" | undefined;
  /** Of an MCP server's tool: identifies what the server says of it, which nobody here vouches for. Absent: it is no such tool. */
  readonly definition?: string | undefined;
  /** May run beside other calls of the same message. Absent: only a tool that reads. */
  readonly concurrent?: boolean | undefined;
  /** May reject: the model reads why. */
  call(input: Readonly<Record<string, unknown>>, call: ClientToolCall): Promise<ToolResult>;
}

/** Why a call is no longer waited for; `answered`: its answer came. */
export type ClientToolEnd = "answered" | "timed_out" | "cancelled";

/**
 * Unregisters tools. With `words`: running calls may finish, and a later call is answered with the words. Without: running calls end with
 * an error, and the tools are unknown from then on.
 */
export type Unregister = (words?: string) => void;

/** What calls must know about the end of their registration. */
interface Registration {
  isOver: boolean;
  /** The running calls. */
  readonly running: Set<() => void>;
}

interface RegisteredTool {
  readonly tool: AnyTool;
  readonly definition: ToolDefinition;
}

const NAME = /^mcp__[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*__[A-Za-z0-9_-]+$/;

/** The tools that others execute. They come and go while the toolbox is in use. */
export class ClientTools {
  readonly #registered = new Map<string, RegisteredTool>();
  /** The names of each registration. */
  readonly #names = new WeakMap<Unregister, ReadonlySet<string>>();
  /** Stand-ins for tools that were unregistered with words, the newest last. */
  readonly #memories = new Map<string, AnyTool>();
  /** By name: who waits for a tool that is not there. */
  readonly #awaited = new Map<string, Set<() => void>>();

  get size(): number {
    return this.#registered.size;
  }

  has(name: string): boolean {
    return this.#registered.has(name);
  }

  get(name: string): AnyTool | undefined {
    return this.#registered.get(name)?.tool ?? this.#memories.get(name);
  }

  definitions(): readonly ToolDefinition[] {
    return [...this.#registered.values()].map(({ definition }) => definition);
  }

  /** Resolves when the tool is registered, or the signal is aborted. */
  async whenRegistered(name: string, signal: AbortSignal): Promise<void> {
    if (this.#registered.has(name) || signal.aborted) return;
    const waiting = this.#awaited.get(name) ?? new Set();
    this.#awaited.set(name, waiting);
    let stop = (): void => undefined;
    await new Promise<void>((resolve) => {
      stop = resolve;
      waiting.add(stop);
      signal.addEventListener("abort", stop, { once: true });
    });
    signal.removeEventListener("abort", stop);
    waiting.delete(stop);
    if (waiting.size === 0) this.#awaited.delete(name);
  }

  /** All of them or, with a Failure, none; `instead` of earlier ones, which are replaced in the same step. */
  register(tools: readonly ClientTool[], { isTaken, instead }: RegisterOptions): Unregister {
    const going = (instead === undefined ? undefined : this.#names.get(instead)) ?? new Set<string>();
    if (this.#registered.size - going.size + tools.length > LIMITS.clientTools)
      throw new Failure("limit_reached", `a session may have ${LIMITS.clientTools} tools of pages and other programs`);
    const names = new Set<string>();
    for (const tool of tools) {
      check(tool);
      if (names.has(tool.name) || (this.#registered.has(tool.name) && !going.has(tool.name)) || isTaken(tool))
        throw new Failure("conflict", `Two tools are named ${tool.name}.`);
      names.add(tool.name);
    }
    instead?.("it is not offered any more");
    const registration: Registration = { isOver: false, running: new Set() };
    const registered = tools.map((tool): RegisteredTool => ({
      tool: asTool(tool, registration),
      definition: definitionOf(tool),
    }));
    for (const entry of registered) {
      this.#registered.set(entry.tool.name, entry);
      this.#memories.delete(entry.tool.name);
      for (const resolve of this.#awaited.get(entry.tool.name) ?? []) resolve();
    }
    const unregister = this.#unregister(registered, registration);
    this.#names.set(unregister, names);
    return unregister;
  }

  #unregister(registered: readonly RegisteredTool[], registration: Registration): Unregister {
    let isDone = false;
    return (words) => {
      if (isDone) return;
      isDone = true;
      for (const { tool } of registered) {
        this.#registered.delete(tool.name);
        if (words !== undefined) this.#remember(tool.name, words);
      }
      if (words !== undefined) return;
      registration.isOver = true;
      for (const end of registration.running) end();
    };
  }

  #remember(name: string, words: string): void {
    this.#memories.set(name, memoryOf(name, words));
    const [oldest] = this.#memories.keys();
    if (this.#memories.size > LIMITS.clientToolMemories && oldest !== undefined) this.#memories.delete(oldest);
  }
}

interface RegisterOptions {
  /** Whether a tool of the session has this name already, and keeps it. */
  readonly isTaken: (tool: ClientTool) => boolean;
  readonly instead?: Unregister | undefined;
}

/** Stands in for an unregistered tool that the model still knows. It needs no approval to say so. */
function memoryOf(name: string, words: string): AnyTool {
  return {
    name,
    description: "",
    tier: "read",
    concurrent: true,
    input: z.unknown(),
    paths: () => [],
    preview: async (value) => genericPreview(value),
    execute: async () => errorResult(`Error (page_gone): ${name} cannot be called: ${words}.`),
  };
}

/** Why a tool cannot be registered; undefined: it can, if its name is free. */
export function clientToolFault(tool: ClientTool): string | undefined {
  try {
    check(tool);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function check({ name, description, input_schema, timeoutMs }: ClientTool): void {
  const wrong = (what: string): Failure =>
    new Failure("invalid_request", `the tool ${JSON.stringify(name.slice(0, LIMITS.toolNameChars))} ${what}`);
  if (name.length > LIMITS.toolNameChars || !NAME.test(name))
    throw wrong(`must be named mcp__<owner>__<tool>, letters, digits, _ and -, at most ${LIMITS.toolNameChars}`);
  if (description.length > LIMITS.clientToolDescriptionChars)
    throw wrong(`may be described in ${LIMITS.clientToolDescriptionChars} characters`);
  if (Buffer.byteLength(JSON.stringify(input_schema)) > LIMITS.clientToolSchemaBytes)
    throw wrong(`may have a schema of ${LIMITS.clientToolSchemaBytes} bytes`);
  const fault = schemaFault(input_schema);
  if (fault !== undefined) throw wrong(`has a schema that cannot be used: ${fault}`);
  if (
    typeof timeoutMs === "number" &&
    !(Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= LIMITS.pageToolMaxMs)
  )
    throw wrong(`may have 1 to ${LIMITS.pageToolMaxMs} ms for a call`);
}

function definitionOf({ name, description, input_schema }: ClientTool): ToolDefinition {
  return { name, description, input_schema };
}

type ClientToolInput = Readonly<Record<string, unknown>>;

/** A client tool in the form of our own. */
function asTool(tool: ClientTool, registration: Registration): AnyTool {
  const input = z.unknown().superRefine((value, context) => {
    for (const { path, message } of problemsOf(tool.input_schema, value))
      context.addIssue({ code: "custom", path: path.length === 0 ? ["the input"] : [...path], message });
  });
  return {
    name: tool.name,
    description: tool.description,
    tier: tool.tier,
    concurrent: tool.concurrent ?? tool.tier === "read",
    definition: tool.definition,
    input,
    paths: () => [],
    preview: async (value) => genericPreview(value),
    execute: (value, context) => execute(tool, value as ClientToolInput, { context, registration }),
  };
}

/** The owner's answer, or why there is none. Whatever comes first ends the wait, and the owner is notified. */
async function execute(
  tool: ClientTool,
  input: ClientToolInput,
  { context, registration }: { readonly context: ToolContext; readonly registration: Registration },
): Promise<ToolResult> {
  const waiting = new WaitingCall(context.tool_use_id);
  let resolveEnd: (text: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    resolveEnd = resolve;
  });
  const end = (why: ClientToolEnd, text: string): void => {
    waiting.why = why;
    resolveEnd(text);
  };
  const stop = (): void => end("cancelled", UNKNOWN_OUTCOME);
  const gone = (): void =>
    end(
      "cancelled",
      `Error: ${tool.name} was unregistered while it ran, so its outcome is unknown. It cannot be called any more.`,
    );
  const { timeoutMs = LIMITS.pageToolMs } = tool;
  const late = (ms: number): void => end("timed_out", `Error: ${tool.name} did not answer within ${ms / 1_000}s`);
  const timer = timeoutMs === "own" ? undefined : setTimeout(late, timeoutMs, timeoutMs);
  context.signal.addEventListener("abort", stop, { once: true });
  registration.running.add(gone);
  try {
    if (registration.isOver || context.signal.aborted) return errorResult(NOT_RUN);
    // What comes after the end is nobody's business any more, and a rejection then is no accident.
    const answer = tool.call(input, waiting);
    answer.catch(() => undefined);
    const first = await Promise.race([answer, ended]);
    return typeof first === "string" ? errorResult(first) : within(first);
  } finally {
    waiting.end();
    clearTimeout(timer);
    context.signal.removeEventListener("abort", stop);
    registration.running.delete(gone);
  }
}

/** One call, as the owner of its tool sees it. */
class WaitingCall implements ClientToolCall {
  readonly tool_use_id: string | undefined;
  why: ClientToolEnd = "answered";
  #isOver = false;
  #controller: AbortController | undefined;
  readonly #listeners: ((why: ClientToolEnd) => void)[] = [];

  constructor(tool_use_id: string | undefined) {
    this.tool_use_id = tool_use_id;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#controller.abort();
    return this.#controller.signal;
  }

  onEnd(listener: (why: ClientToolEnd) => void): void {
    if (this.#isOver) listener(this.why);
    else this.#listeners.push(listener);
  }

  end(): void {
    this.#isOver = true;
    this.#controller?.abort();
    for (const listener of this.#listeners) listener(this.why);
  }
}

/** Limits a client tool's result to allowed content; texts are cut like those of all tools. */
function within({ content, is_error }: ToolResult): ToolResult {
  const blocks = content.slice(0, LIMITS.clientToolResultBlocks).map((block): ContentBlock => {
    if (block.type === "text") return { type: "text", text: block.text };
    const bytes = Math.floor((block.data.length * 3) / 4);
    if (bytes <= LIMITS.imageBytes) return { type: "image", media_type: block.media_type, data: block.data };
    return { type: "text", text: `(An image of ${bytes} bytes was left out: at most ${LIMITS.imageBytes} are shown.)` };
  });
  const left = content.length - blocks.length;
  if (left > 0) blocks.push({ type: "text", text: `(${left} more parts were left out.)` });
  return { content: blocks, is_error };
}
