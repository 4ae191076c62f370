import { z } from "zod";
import { Outcome, Tier, Warning } from "../../approvals.ts";
import { ErrorCode } from "../../errors.ts";
import { FileChange } from "../../items.ts";

/** Document 002's rows: one JSON object each. A row belongs to the thread that the last `thread.started` row named. */

const id = z.string();
const message = z.string();

/** `compat` is document 002 to the letter; `rich` has an item kind for each kind of tool, live text, questions and cost. */
export const ThreadMapping = z.enum(["compat", "rich"]);
export type ThreadMapping = z.infer<typeof ThreadMapping>;

/** `input_tokens` are all that were sent, including cache reads, as Codex counts. */
const usage = {
  input_tokens: z.number().int(),
  cached_input_tokens: z.number().int(),
  output_tokens: z.number().int(),
};

const ThreadStarted = z.strictObject({ type: z.literal("thread.started"), thread_id: z.string() });

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

const RichUsage = z.strictObject({
  ...usage,
  cache_write_input_tokens: z.number().int(),
  reasoning_output_tokens: z.number().int(),
});
export type RichUsage = z.infer<typeof RichUsage>;

export const RichRow = z.discriminatedUnion("type", [
  ThreadStarted,
  z.strictObject({ type: z.literal("turn.started"), turn_id: z.string(), prompt: z.string() }),
  z.strictObject({ type: z.literal("item.started"), item: RichItem }),
  z.strictObject({ type: z.literal("item.updated"), item: RichItem }),
  z.strictObject({ type: z.literal("item.completed"), item: RichItem }),
  /** A question to a person; it is answered elsewhere. */
  z.strictObject({
    type: z.literal("approval.requested"),
    approval: z.strictObject({
      id,
      /** The row that waits for it. */
      item_id: z.string(),
      tool: z.string(),
      tier: Tier,
      reason: z.string(),
      warnings: z.array(Warning),
      input_hash: z.string(),
      /** Absent when parked. */
      expires_at: z.string().optional(),
    }),
  }),
  z.strictObject({
    type: z.literal("approval.resolved"),
    approval_id: z.string(),
    outcome: Outcome,
    feedback: z.string().optional(),
  }),
  z.strictObject({
    type: z.literal("turn.completed"),
    usage: RichUsage,
    cost_microusd: z.number().int(),
    /** The part of the cost that is a bound, not measured; absent: none. */
    bound_microusd: z.number().int().optional(),
    stop_reason: z.string(),
  }),
  z.strictObject({
    type: z.literal("turn.failed"),
    error: z.strictObject({ message, code: ErrorCode }),
    usage: RichUsage,
    cost_microusd: z.number().int(),
    /** The part of the cost that is a bound, not measured; absent: none. */
    bound_microusd: z.number().int().optional(),
  }),
  z.strictObject({ type: z.literal("error"), message }),
]);
export type RichRow = z.infer<typeof RichRow>;

export type ThreadRow = CompatRow | RichRow;
