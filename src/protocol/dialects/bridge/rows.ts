import { z } from "zod";
import { Outcome, Tier, Warning } from "../../sessions/approvals.ts";
import { ErrorCode } from "../../errors.ts";
import { FileChange } from "../../journal/items.ts";
import { ownLogin } from "../../access/logins.ts";

/** Document 002's rows: one JSON object each. A row belongs to the thread that the last `thread.started` row named. */

const id = z.string();
const message = z.string();

/**
 * `compat` is document 002 to the letter; `rich` has an item kind for each kind of tool, live text and cost; `codex` is what
 * `codex exec --json` prints. Additional rows are the same in all.
 */
export const ThreadMapping = z.enum(["compat", "rich", "codex"]);
export type ThreadMapping = z.infer<typeof ThreadMapping>;

/** `input_tokens` are all that were sent, including cache reads, as Codex counts. */
const usage = {
  input_tokens: z.number().int(),
  cached_input_tokens: z.number().int(),
  output_tokens: z.number().int(),
};

const ThreadStarted = z.strictObject({ type: z.literal("thread.started"), thread_id: z.string() });

/** What the document does not have: a client that knows only the document can ignore these rows. */
const QuestionRow = z.strictObject({
  type: z.literal("approval.requested"),
  approval: z.strictObject({
    id,
    /** The row that waits for it. */
    item_id: z.string(),
    tool: z.string(),
    tier: Tier,
    /** Absent: too long for a row; the HTTP API has it. */
    input: z.record(z.string(), z.unknown()).optional(),
    reason: z.string(),
    warnings: z.array(Warning),
    input_hash: z.string(),
    /** Why it can only be rejected. Absent: it can be approved. */
    not_approvable: z.string().optional(),
    /** Absent when parked. */
    expires_at: z.string().optional(),
  }),
});
export type QuestionRow = z.infer<typeof QuestionRow>;
const AnswerRow = z.strictObject({
  type: z.literal("approval.resolved"),
  approval_id: z.string(),
  outcome: Outcome,
  feedback: z.string().optional(),
});
export type AnswerRow = z.infer<typeof AnswerRow>;
const AdditionalRows = [
  QuestionRow,
  AnswerRow,
  /** The id that the agent's own program gives the conversation, such as Claude Code's `session_id`. */
  z.strictObject({ type: z.literal("thread.session"), thread_id: z.string(), session_id: z.string() }),
  /** The rows that follow belong to this thread again; only where `thread.started` is sent once a thread. */
  z.strictObject({ type: z.literal("thread.resumed"), thread_id: z.string() }),
] as const;

const CompatCommand = z.strictObject({
  id,
  type: z.literal("command_execution"),
  /** The tool's name, whatever the tool. */
  command: z.string(),
  aggregated_output: z.string(),
  /** Absent while it runs. */
  exit_code: z.union([z.literal(0), z.literal(1)]).optional(),
  status: z.enum(["in_progress", "completed", "failed"]),
});
const CompatItem = z.discriminatedUnion("type", [
  z.strictObject({ id, type: z.literal("agent_message"), text: z.string() }),
  z.strictObject({ id, type: z.literal("reasoning"), text: z.string() }),
  CompatCommand,
]);
export type CompatItem = z.infer<typeof CompatItem>;

export const CompatRow = z.discriminatedUnion("type", [
  ThreadStarted,
  z.strictObject({ type: z.literal("turn.started") }),
  z.strictObject({ type: z.literal("item.started"), item: CompatCommand }),
  z.strictObject({ type: z.literal("item.completed"), item: CompatItem }),
  z.strictObject({ type: z.literal("turn.completed"), usage: z.strictObject(usage) }),
  z.strictObject({ type: z.literal("turn.failed"), error: z.strictObject({ message }) }),
  z.strictObject({ type: z.literal("error"), message }),
  ...AdditionalRows,
]);
export type CompatRow = z.infer<typeof CompatRow>;

/** The row of the sub-agent that an item belongs to; absent at the top level. */
const parent_id = z.string().optional();
/** Only if a text did not reach its end. */
const cutShort = z.enum(["failed", "interrupted", "superseded"]).optional();
const status = z.enum(["in_progress", "completed", "failed"]);
const error = z.strictObject({ message }).optional();

const RichItem = z.discriminatedUnion("type", [
  z.strictObject({ id, type: z.literal("agent_message"), text: z.string(), status: cutShort, parent_id }),
  z.strictObject({ id, type: z.literal("reasoning"), text: z.string(), status: cutShort, parent_id }),
  z.strictObject({
    id,
    type: z.literal("command_execution"),
    command: z.string(),
    /** What was requested, if a person changed it: `command` is what ran. */
    asked_command: z.string().optional(),
    aggregated_output: z.string(),
    /** Absent while it runs, and if there was none. */
    exit_code: z.number().int().optional(),
    status: z.enum([...status.options, "declined", "timed_out"]),
    parent_id,
  }),
  z.strictObject({ id, type: z.literal("file_change"), changes: z.array(FileChange), status, error, parent_id }),
  z.strictObject({
    id,
    type: z.literal("mcp_tool_call"),
    /** `builtin`: the agent's own tool. */
    server: z.string(),
    tool: z.string(),
    arguments: z.record(z.string(), z.unknown()),
    /** What was requested, if a person changed it: `arguments` is what ran. */
    asked_arguments: z.record(z.string(), z.unknown()).optional(),
    result: z
      .strictObject({ content: z.array(z.strictObject({ type: z.literal("text"), text: z.string() })) })
      .optional(),
    error,
    status,
    parent_id,
  }),
  z.strictObject({ id, type: z.literal("web_search"), query: z.string(), error, parent_id }),
  z.strictObject({
    id,
    type: z.literal("todo_list"),
    items: z.array(z.strictObject({ text: z.string(), completed: z.boolean() })),
    parent_id,
  }),
  z.strictObject({ id, type: z.literal("error"), message, parent_id }),
]);
export type RichItem = z.infer<typeof RichItem>;

/** In the order in which Codex prints them. */
const RichUsage = z.strictObject({
  input_tokens: usage.input_tokens,
  cached_input_tokens: usage.cached_input_tokens,
  cache_write_input_tokens: z.number().int(),
  output_tokens: usage.output_tokens,
  reasoning_output_tokens: z.number().int(),
});
export type RichUsage = z.infer<typeof RichUsage>;

export const RichRow = z.discriminatedUnion("type", [
  ThreadStarted,
  z.strictObject({ type: z.literal("turn.started"), turn_id: z.string(), prompt: z.string() }),
  z.strictObject({ type: z.literal("item.started"), item: RichItem }),
  z.strictObject({ type: z.literal("item.updated"), item: RichItem }),
  z.strictObject({ type: z.literal("item.completed"), item: RichItem }),
  z.strictObject({
    type: z.literal("turn.completed"),
    usage: RichUsage,
    cost_microusd: z.number().int(),
    /** The part of the cost that is a bound, not measured; absent: none. */
    bound_microusd: z.number().int().optional(),
    ...ownLogin,
    stop_reason: z.string(),
  }),
  z.strictObject({
    type: z.literal("turn.failed"),
    error: z.strictObject({ message, code: ErrorCode }),
    usage: RichUsage,
    cost_microusd: z.number().int(),
    /** The part of the cost that is a bound, not measured; absent: none. */
    bound_microusd: z.number().int().optional(),
    ...ownLogin,
  }),
  z.strictObject({ type: z.literal("error"), message }),
  ...AdditionalRows,
]);
export type RichRow = z.infer<typeof RichRow>;

/** An item as `codex exec --json` prints it. */
const CodexItem = z.discriminatedUnion("type", [
  z.strictObject({ id, type: z.literal("agent_message"), text: z.string() }),
  z.strictObject({ id, type: z.literal("reasoning"), text: z.string() }),
  z.strictObject({
    id,
    type: z.literal("command_execution"),
    command: z.string(),
    aggregated_output: z.string(),
    /** Null while it runs, and if there was none. */
    exit_code: z.number().int().nullable(),
    status: z.enum([...status.options, "declined"]),
  }),
  z.strictObject({ id, type: z.literal("file_change"), changes: z.array(FileChange), status }),
  z.strictObject({
    id,
    type: z.literal("mcp_tool_call"),
    server: z.string(),
    tool: z.string(),
    arguments: z.record(z.string(), z.unknown()),
    /** Null while it runs, and if it failed. */
    result: z
      .strictObject({
        content: z.array(z.strictObject({ type: z.literal("text"), text: z.string() })),
        structured_content: z.null(),
      })
      .nullable(),
    /** Null unless it failed. */
    error: z.strictObject({ message }).nullable(),
    status,
  }),
  z.strictObject({ id, type: z.literal("web_search"), query: z.string() }),
  z.strictObject({
    id,
    type: z.literal("todo_list"),
    items: z.array(z.strictObject({ text: z.string(), completed: z.boolean() })),
  }),
  z.strictObject({ id, type: z.literal("error"), message }),
]);
export type CodexItem = z.infer<typeof CodexItem>;

export const CodexRow = z.discriminatedUnion("type", [
  ThreadStarted,
  z.strictObject({ type: z.literal("turn.started") }),
  z.strictObject({ type: z.literal("item.started"), item: CodexItem }),
  z.strictObject({ type: z.literal("item.updated"), item: CodexItem }),
  z.strictObject({ type: z.literal("item.completed"), item: CodexItem }),
  /** The turn's, where Codex itself prints the sum of all turns of its process. */
  z.strictObject({ type: z.literal("turn.completed"), usage: RichUsage }),
  z.strictObject({ type: z.literal("turn.failed"), error: z.strictObject({ message }) }),
  z.strictObject({ type: z.literal("error"), message }),
  ...AdditionalRows,
]);
export type CodexRow = z.infer<typeof CodexRow>;

export type ThreadRow = CompatRow | RichRow | CodexRow;
