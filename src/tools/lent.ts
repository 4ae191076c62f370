import { z } from "zod";
import { Failure, LIMITS, type ContentBlock, type Tier } from "../protocol/index.ts";
import { problemsOf, schemaFault } from "./json-schema.ts";
import { genericPreview } from "./preview.ts";
import { errorResult, type AnyTool, type ToolContext, type ToolResult } from "./tool.ts";
import type { ToolDefinition } from "./toolbox.ts";

/** What a lent tool is told of one call. */
interface LentCall {
  /** Aborted when nobody waits for the answer any more: the turn was stopped, the time is over, the tool was taken back. */
  readonly signal: AbortSignal;
  /** The model's own id of the call; absent where an engine does not tell. */
  readonly tool_use_id?: string | undefined;
}

/** A tool that somebody else executes: a web page, another program. It passes the same pipeline as our own. */
export interface LentTool {
  /** The whole name, `mcp__<lender>__<tool>`. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object; see `problemsOf` for what of it is checked. */
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly tier: Tier;
  /** Absent: LIMITS.pageToolMs. */
  readonly timeoutMs?: number | undefined;
  /** May run beside other calls of the same message. Absent: only a tool that reads. */
  readonly concurrent?: boolean | undefined;
  /** May reject: the model reads why. */
  call(input: Readonly<Record<string, unknown>>, call: LentCall): Promise<ToolResult>;
}

interface Loan {
  readonly tool: AnyTool;
  readonly definition: ToolDefinition;
}

const NAME = /^mcp__[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*__[A-Za-z0-9_-]+$/;

/** The tools that a toolbox has on loan. They come and go while it is in use. */
export class LentTools {
  readonly #loans = new Map<string, Loan>();

  get size(): number {
    return this.#loans.size;
  }

  get(name: string): AnyTool | undefined {
    return this.#loans.get(name)?.tool;
  }

  definitions(): readonly ToolDefinition[] {
    return [...this.#loans.values()].map(({ definition }) => definition);
  }

  /** All of them or, with a Failure, none. The answer takes them back; calls that run then are told so. */
  lend(tools: readonly LentTool[], isTaken: (name: string) => boolean): () => void {
    if (this.#loans.size + tools.length > LIMITS.lentTools)
      throw new Failure("limit_reached", `a session may have ${LIMITS.lentTools} tools on loan`);
    const names = new Set<string>();
    for (const tool of tools) {
      check(tool);
      if (names.has(tool.name) || this.#loans.has(tool.name) || isTaken(tool.name))
        throw new Failure("conflict", `Two tools are named ${tool.name}.`);
      names.add(tool.name);
    }
    const back = new AbortController();
    const loans = tools.map((tool): Loan => ({ tool: asTool(tool, back.signal), definition: definitionOf(tool) }));
    for (const loan of loans) this.#loans.set(loan.tool.name, loan);
    return () => {
      if (back.signal.aborted) return;
      for (const name of names) this.#loans.delete(name);
      back.abort();
    };
  }
}

function check({ name, description, input_schema, timeoutMs }: LentTool): void {
  const wrong = (what: string): Failure =>
    new Failure("invalid_request", `the tool ${JSON.stringify(name.slice(0, LIMITS.toolNameChars))} ${what}`);
  if (name.length > LIMITS.toolNameChars || !NAME.test(name))
    throw wrong(`must be named mcp__<lender>__<tool>, letters, digits, _ and -, at most ${LIMITS.toolNameChars}`);
  if (description.length > LIMITS.lentDescriptionChars)
    throw wrong(`may be described in ${LIMITS.lentDescriptionChars} characters`);
  if (Buffer.byteLength(JSON.stringify(input_schema)) > LIMITS.lentSchemaBytes)
    throw wrong(`may have a schema of ${LIMITS.lentSchemaBytes} bytes`);
  const fault = schemaFault(input_schema);
  if (fault !== undefined) throw wrong(`has a schema that cannot be used: ${fault}`);
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= LIMITS.pageToolMaxMs))
    throw wrong(`may have 1 to ${LIMITS.pageToolMaxMs} ms for a call`);
}

function definitionOf({ name, description, input_schema }: LentTool): ToolDefinition {
  return { name, description, input_schema };
}

type Input = Readonly<Record<string, unknown>>;

/** The same tool as the toolbox has its own. */
function asTool(lent: LentTool, takenBack: AbortSignal): AnyTool {
  const input = z.unknown().superRefine((value, context) => {
    for (const { path, message } of problemsOf(lent.input_schema, value).slice(0, LIMITS.schemaIssues))
      context.addIssue({ code: "custom", path: path.length === 0 ? ["the input"] : [...path], message });
  });
  return {
    name: lent.name,
    description: lent.description,
    tier: lent.tier,
    concurrent: lent.concurrent ?? lent.tier === "read",
    input,
    paths: () => [],
    hosts: () => [],
    preview: async (value) => genericPreview(value),
    execute: (value, context) => execute(lent, value as Input, { context, takenBack }),
  };
}

/** The lender's answer, or why there is none. Whatever comes first ends the wait; the lender's signal says so to it. */
async function execute(
  lent: LentTool,
  input: Input,
  { context, takenBack }: { readonly context: ToolContext; readonly takenBack: AbortSignal },
): Promise<ToolResult> {
  const timeout = lent.timeoutMs ?? LIMITS.pageToolMs;
  const over = new AbortController();
  let end: (text: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  const stop = (): void => end("Interrupted; outcome unknown.");
  const gone = (): void =>
    end(`Error: ${lent.name} was taken back while it ran, so its outcome is unknown. It cannot be called any more.`);
  const timer = setTimeout(() => end(`Error: ${lent.name} did not answer within ${timeout / 1_000}s`), timeout);
  context.signal.addEventListener("abort", stop, { once: true });
  takenBack.addEventListener("abort", gone, { once: true });
  try {
    if (takenBack.aborted || context.signal.aborted) return errorResult("Interrupted; not run.");
    // What comes after the end is nobody's business any more, and a rejection then is no accident.
    const answer = lent.call(input, { signal: over.signal, tool_use_id: context.tool_use_id });
    answer.catch(() => undefined);
    const first = await Promise.race([answer, ended]);
    return typeof first === "string" ? errorResult(first) : within(first);
  } finally {
    over.abort();
    clearTimeout(timer);
    context.signal.removeEventListener("abort", stop);
    takenBack.removeEventListener("abort", gone);
  }
}

/** Only what a tool of somebody else may say, and not too much of it; texts are cut with everybody's. */
function within({ content, is_error }: ToolResult): ToolResult {
  const blocks = content.slice(0, LIMITS.lentResultBlocks).map((block): ContentBlock => {
    if (block.type === "text") return { type: "text", text: block.text };
    const bytes = Math.floor((block.data.length * 3) / 4);
    if (bytes <= LIMITS.imageBytes) return { type: "image", media_type: block.media_type, data: block.data };
    return { type: "text", text: `(An image of ${bytes} bytes was left out: at most ${LIMITS.imageBytes} are shown.)` };
  });
  const left = content.length - blocks.length;
  if (left > 0) blocks.push({ type: "text", text: `(${left} more parts were left out.)` });
  return { content: blocks, is_error };
}
