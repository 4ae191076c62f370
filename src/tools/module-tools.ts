import { z } from "zod";
import { Failure, firstAbort, LIMITS, Tier, UNKNOWN_OUTCOME, NOT_RUN } from "../protocol/index.ts";
import { problemsOf, schemaFault } from "./json-schema.ts";
import { genericPreview, shorten } from "./preview.ts";
import { errorResult, textResult, type AnyTool, type PathUse, type ToolContext, type ToolResult } from "./tool.ts";

/** What a module's tool learns about one call. */
export interface ModuleCall {
  /** Absolute, links followed. */
  readonly workspace: string;
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
  /** Output while it runs; people see it at once. */
  readonly onOutput: (text: string) => void;
}

/** What a module's tool answers: texts for the model. */
export interface ModuleResult {
  readonly content: string | readonly { readonly type: "text"; readonly text: string }[];
  readonly is_error?: boolean;
}

/** A tool declared by an operator's module. Its code runs inside the server, as trusted as the server itself. */
export interface ModuleTool {
  /** Its name within the module: letters, digits, _ and -. The model calls it `mcp__<module>__<name>`. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly input_schema: Readonly<Record<string, unknown>>;
  /** How much harm it can do; decides whether a person is asked. */
  readonly tier: Tier;
  /** Milliseconds for one call. Absent: LIMITS.moduleToolMs. */
  readonly timeout_ms?: number;
  /** Paths that a call touches, for the policy. Absent: none. */
  paths?(input: ModuleInput): readonly PathUse[];
  /** Hosts that a call reaches, for the policy. Absent: none. */
  hosts?(input: ModuleInput): readonly string[];
  /** What a person reads before it runs, beside the whole input. Absent: the input alone. */
  preview?(input: ModuleInput): string | Promise<string>;
  /** May throw: the model reads why. */
  execute(input: ModuleInput, call: ModuleCall): Promise<ModuleResult>;
}

type ModuleInput = Readonly<Record<string, unknown>>;

export interface ToolModule {
  /** Letters, digits and -. */
  readonly name: string;
  readonly tools: readonly ModuleTool[];
}

const method = z.custom<(...values: never[]) => unknown>((value) => typeof value === "function", "must be a function");

const Declared = z.object({
  name: z.string().regex(/^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/, "must have letters, digits, _ and - alone"),
  tools: z
    .array(
      z.object({
        name: z.string().regex(/^[A-Za-z0-9_-]+$/, "must have letters, digits, _ and - alone"),
        description: z.string().min(1).max(LIMITS.clientToolDescriptionChars),
        input_schema: z.record(z.string(), z.unknown()).superRefine((schema, context) => {
          const fault = schemaFault(schema);
          if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
        }),
        tier: Tier,
        timeout_ms: z.number().int().min(1).max(LIMITS.moduleToolMaxMs).optional(),
        paths: method.optional(),
        hosts: method.optional(),
        preview: method.optional(),
        execute: method,
      }),
    )
    .min(1)
    .max(LIMITS.clientTools),
});

/** The tools of a module, in the form of our own. A Failure names what is wrong with it. */
export function toolsOfModule(exported: unknown, path: string): readonly AnyTool[] {
  const parsed = Declared.safeParse(exported);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue === undefined || issue.path.length === 0 ? "what it exports" : issue.path.join(".");
    throw new Failure("invalid_request", `the tool module ${path}: ${place}: ${issue?.message ?? "is not valid"}`);
  }
  // The original objects, so that their methods keep their `this`.
  const { name, tools } = exported as ToolModule;
  return tools.map((tool) => asTool(`mcp__${name}__${tool.name}`, tool));
}

function asTool(name: string, tool: ModuleTool): AnyTool {
  if (name.length > LIMITS.toolNameChars)
    throw new Failure("invalid_request", `the tool ${name} may have ${LIMITS.toolNameChars} characters in its name`);
  const input = z.unknown().superRefine((value, context) => {
    const problems = problemsOf(tool.input_schema, value);
    for (const { path, message } of problems)
      context.addIssue({ code: "custom", path: path.length === 0 ? ["the input"] : [...path], message });
    if (problems.length > 0 || isJudgeable(tool, value as ModuleInput)) return;
    context.addIssue({
      code: "custom",
      path: ["the input"],
      message: "names paths or hosts that cannot be determined",
    });
  });
  return {
    name,
    description: tool.description,
    tier: tool.tier,
    concurrent: tool.tier === "read",
    input,
    input_schema: tool.input_schema,
    paths: (value) => tool.paths?.(value as ModuleInput) ?? [],
    hosts: (value) => tool.hosts?.(value as ModuleInput) ?? [],
    preview: async (value) => {
      const words = await tool.preview?.(value as ModuleInput);
      if (words === undefined) return genericPreview(value);
      return { preview: { type: "generic", summary: shorten(words, LIMITS.previewSummaryChars) }, warnings: [] };
    },
    execute: (value, context) => execute(name, tool, { input: value as ModuleInput, context }),
  };
}

const Paths = z.array(z.object({ path: z.string(), access: z.enum(["read", "write"]) }));
const Hosts = z.array(z.string());

/** A call that the gate cannot judge does not run. */
function isJudgeable(tool: ModuleTool, input: ModuleInput): boolean {
  try {
    return Paths.safeParse(tool.paths?.(input) ?? []).success && Hosts.safeParse(tool.hosts?.(input) ?? []).success;
  } catch {
    return false;
  }
}

interface Execution {
  readonly input: ModuleInput;
  readonly context: ToolContext;
}

/** Whatever comes first ends the wait: its answer, its time limit, or a stop. */
async function execute(name: string, tool: ModuleTool, { input, context }: Execution): Promise<ToolResult> {
  const ms = tool.timeout_ms ?? LIMITS.moduleToolMs;
  const { workspace, onOutput } = context;
  if (context.signal.aborted) return errorResult(NOT_RUN);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException("The tool took too long.", "TimeoutError")), ms);
  const { signal, release } = firstAbort(context.signal, late.signal);
  const ended = new Promise<ToolResult>((resolve) => {
    const end = (): void =>
      resolve(
        errorResult(late.signal.aborted ? `Error: ${name} did not answer within ${ms / 1_000}s` : UNKNOWN_OUTCOME),
      );
    signal.addEventListener("abort", end, { once: true });
  });
  const answered = (async () => resultOf(await tool.execute(input, { workspace, signal, onOutput })))();
  answered.catch(() => undefined);
  try {
    return await Promise.race([answered, ended]);
  } finally {
    clearTimeout(timer);
    release();
  }
}

const Result = z.object({
  content: z.union([z.string(), z.array(z.object({ type: z.literal("text"), text: z.string() }))]),
  is_error: z.boolean().default(false),
});

function resultOf(value: unknown): ToolResult {
  const parsed = Result.safeParse(value);
  if (!parsed.success)
    return errorResult("Error: the tool returned something that is not a result: {content, is_error?}");
  const { content, is_error } = parsed.data;
  return typeof content === "string" ? textResult(content, { is_error }) : { content, is_error };
}
