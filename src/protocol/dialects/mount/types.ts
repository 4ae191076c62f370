import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { MicroUsd } from "../../models/money.ts";
import { Autonomy } from "../../access/policy.ts";
import { ToolConfig, toolConfigFault } from "../../access/tool-config.ts";
import { AtBudgetEnd } from "../../sessions/sessions.ts";

/** The `stat` of a file or folder. Rights are the caller's. */
export const FileStat = z.object({
  is_dir: z.boolean(),
  /** Bytes that a reader would get now; of a growing text: so far. 0 for folders, and for what cannot be read now. */
  size: z.number().int().nonnegative(),
  modified: z.string().optional(),
  readable: z.boolean(),
  writable: z.boolean(),
  /** It only grows, and can be followed and watched. */
  watchable: z.boolean(),
  /** What is written to it is answered on the same handle, with something new. Absent: no. */
  callable: z.boolean().optional(),
  /** What a file holds. Absent: a folder. */
  content: z.enum(["json", "text"]).optional(),
  /** Of a text that can be followed: a reader at its end would wait for more. */
  growing: z.boolean().optional(),
});
export type FileStat = z.infer<typeof FileStat>;

export const FileEntry = z.object({
  name: z.string(),
  is_dir: z.boolean(),
  /** 0: use `stat`. */
  size: z.number().int().nonnegative(),
  modified: z.string().optional(),
});
export type FileEntry = z.infer<typeof FileEntry>;

/** Null means absent, as other languages write it. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema
    .nullable()
    .optional()
    .transform((value) => value ?? undefined);
}

export const ToolDefinition = z
  .object({
    name: z.string().min(1).max(200).describe("The tool's name, such as Read"),
    description: optional(z.string().max(LIMITS.clientToolDescriptionChars)).describe(
      "What it is for in this session, told to the model beside what the tool says of itself",
    ),
    config: optional(ToolConfig).describe(
      "What its calls are narrowed to: commands (Bash), paths (tools for files), hosts (WebFetch) or agents (Task)",
    ),
  })
  .strict()
  .superRefine(({ name, config }, context) => {
    const fault = config === undefined ? undefined : toolConfigFault(name, config);
    if (fault !== undefined) context.addIssue({ code: "custom", path: ["config"], message: fault });
  });

/** What is written to `new`. The fields below `autonomy` are ours. */
export const ClaudeRequest = z
  .object({
    model: z.string().min(1).max(200).describe("The model, such as claude-sonnet-5, or provider/model"),
    system_prompt: optional(z.string().max(200_000)).describe("Instructions for the whole session"),
    initial_prompt: optional(z.string().max(LIMITS.promptChars)).describe(
      "The first prompt; absent: the session waits for one",
    ),
    tools: z
      .array(ToolDefinition)
      .max(500)
      .default([])
      .describe("The tools it may use, by name; empty: all that policy allows"),
    max_context_tokens: optional(z.number().int().min(1_000).max(100_000_000)).describe(
      "The most tokens of conversation a request may carry",
    ),
    tunnel_endpoint: optional(z.string().min(1).max(200)).describe("The id of the tunnel to ask the model through"),
    max_cost_usd: optional(MicroUsd).describe("The most the session may cost, in micro-USD: 1000000 is one dollar"),
    idempotency_key: optional(z.string().min(1).max(200)).describe(
      "The same key within an hour answers the same session",
    ),
    resume_session_id: optional(z.string().min(1).max(100)).describe("A session to go on with instead of a new one"),
    timeout_ms: optional(z.number().int().min(1).max(LIMITS.mountCreateMaxMs)).describe(
      "How long creation may take, milliseconds",
    ),
    autonomy: optional(Autonomy).describe("How much it may do unasked; never more than policy allows"),
    provider: optional(z.string().min(1).max(100)).describe("Where model calls go; absent: chosen by the model's name"),
    engine: optional(z.string().min(1).max(100)).describe(
      "loop, claude-sdk, claude-cli, codex, opencode or tunnel; absent: loop",
    ),
    workspace: optional(z.string().min(1).max(LIMITS.pathChars)).describe(
      "The folder to work in; absent: the server's own",
    ),
    parent_session_id: optional(z.string().min(1).max(100)).describe("The session whose budget this one draws on"),
    autonomy_at_most: optional(Autonomy).describe(
      "In the place of autonomy: no more than this, or less where policy gives less",
    ),
    at_budget_end: optional(AtBudgetEnd).describe("At the end of its budget: ask a person, or fail the turn"),
  })
  .strict();
export type ClaudeRequest = z.infer<typeof ClaudeRequest>;

/** What `new` answers. */
export const ClaudeCreated = z.object({
  session_id: z.string(),
  status: z.literal("creating"),
  status_path: z.string(),
  output_path: z.string(),
  response_path: z.string(),
  prompt_path: z.string(),
});
export type ClaudeCreated = z.infer<typeof ClaudeCreated>;

export const ClaudeUsage = z.object({
  input_tokens: z.number().int(),
  output_tokens: z.number().int(),
  cache_read_tokens: z.number().int(),
  cache_write_tokens: z.number().int(),
  total_tokens: z.number().int(),
});
export type ClaudeUsage = z.infer<typeof ClaudeUsage>;

export const ChunkType = z.enum(["text", "tool_start", "tool_output", "tool_done", "done", "error"]);
export type ChunkType = z.infer<typeof ChunkType>;

export const ToolChunk = z.object({
  name: z.string(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.string().optional(),
});
export type ToolChunk = z.infer<typeof ToolChunk>;

export const ClaudeChunk = z.object({
  session_id: z.string(),
  chunk_type: ChunkType,
  /** More text; with `error` what went wrong. */
  delta: z.string().optional(),
  tool: ToolChunk.optional(),
  usage: ClaudeUsage.optional(),
});
export type ClaudeChunk = z.infer<typeof ClaudeChunk>;

/** One chunk and the position after it: a watch that resumes from this `id` misses and repeats nothing. */
export interface MountFrame {
  readonly id: string;
  readonly chunk: ClaudeChunk;
}

export interface ToolLogEntry {
  readonly tool_use_id: string;
  readonly tool: string;
  readonly params: unknown;
  /** What was requested, if a person changed it: `params` is what ran. */
  readonly asked_params?: unknown;
  /** Absent: nobody was asked, or not answered yet. */
  readonly approved?: boolean | undefined;
  readonly error?: string | undefined;
  readonly timestamp: string;
}

/** What is written to `tools/approve` as JSON. Without `request_id` it answers the first question that the caller was last shown. */
export const ToolApproval = z
  .object({
    approved: z.boolean(),
    request_id: optional(z.string().min(1).max(100)),
    /** Refuses the answer if the question's input differs. */
    input_hash: optional(z.string().max(200)),
    feedback: optional(z.string().max(LIMITS.feedbackChars)),
    updated_input: optional(z.record(z.string(), z.unknown())),
    /** Approve for the session. */
    always: optional(z.boolean()),
    /** With a rejection: end the turn too. */
    interrupt: optional(z.boolean()),
    /** The agent that started the session answers, if the policy allows it. */
    as: optional(z.literal("parent")),
  })
  .strict();
export type ToolApproval = z.infer<typeof ToolApproval>;
