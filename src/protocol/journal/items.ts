import { z } from "zod";
import { ContentBlock } from "./content.ts";

/**
 * The state of an item. `declined`: a person or policy refused. `timed_out`: nobody answered in time. `interrupted`: stopped on the way,
 * outcome unknown for a tool. `superseded`: a message that was cut off and requested again.
 */
export const ItemStatus = z.enum([
  "in_progress",
  "completed",
  "failed",
  "declined",
  "timed_out",
  "interrupted",
  "superseded",
]);
export type ItemStatus = z.infer<typeof ItemStatus>;

/** What the model reads of a call that was stopped before it began, and of one that was stopped on the way. */
export const NOT_RUN = "Interrupted; not run.";
export const UNKNOWN_OUTCOME = "Interrupted; outcome unknown.";
/** Begins what the model reads of a person's no; their words follow. */
export const USER_REJECTED = "User rejected: ";

const base = {
  id: z.string(),
  status: ItemStatus,
  /** The sub-agent item this one belongs to; absent at the top level. */
  parent_id: z.string().optional(),
  /** The model's message of this item; items of one message share it. Absent if an engine does not report it. */
  message_id: z.string().optional(),
};

/** The common fields of tool calls. `output` and `is_error` are present once it has ended. */
const tool = {
  ...base,
  tool: z.string(),
  tool_use_id: z.string(),
  input: z.record(z.string(), z.unknown()),
  /** Set when a person changed the input before approving: what really ran. */
  approved_input: z.record(z.string(), z.unknown()).optional(),
  /** Why it ran although it could do harm and nobody was asked. Absent: somebody was, or a rule or the autonomy allows it. */
  unasked: z.object({ rule: z.string(), why: z.string() }).optional(),
  output: z.array(ContentBlock).optional(),
  is_error: z.boolean().optional(),
  duration_ms: z.number().optional(),
};

export const FileChange = z.object({ path: z.string(), kind: z.enum(["add", "update", "delete"]) });
export type FileChange = z.infer<typeof FileChange>;

export const Todo = z.object({
  content: z.string(),
  status: z.enum(["pending", "in_progress", "completed"]),
  activeForm: z.string().optional(),
});
export type Todo = z.infer<typeof Todo>;

export const AgentMessageItem = z.object({ ...base, type: z.literal("agent_message"), text: z.string() });
/** `signature` must go back to the model with the text, or the model refuses the conversation. `redacted` is its opaque form. */
export const ReasoningItem = z.object({
  ...base,
  type: z.literal("reasoning"),
  text: z.string(),
  signature: z.string().optional(),
  redacted: z.string().optional(),
  /** The provider and the API that made `signature`, and alone take it back. Absent: Anthropic's Messages. */
  origin: z.string().optional(),
});
export const CommandExecutionItem = z.object({
  ...tool,
  type: z.literal("command_execution"),
  command: z.string(),
  aggregated_output: z.string(),
  exit_code: z.number().int().optional(),
});
export const FileChangeItem = z.object({
  ...tool,
  type: z.literal("file_change"),
  changes: z.array(FileChange),
  diff: z.string().optional(),
});
export const McpToolCallItem = z.object({ ...tool, type: z.literal("mcp_tool_call"), server: z.string() });
export const ToolCallItem = z.object({ ...tool, type: z.literal("tool_call") });
export const WebSearchItem = z.object({ ...tool, type: z.literal("web_search"), query: z.string() });
export const TodoListItem = z.object({ ...tool, type: z.literal("todo_list"), items: z.array(Todo) });
/** A sub-agent: its own items carry this item's id as `parent_id`. */
export const SubagentItem = z.object({ ...tool, type: z.literal("subagent"), description: z.string() });
/**
 * The context was too long: `summary` replaces everything up to the message `through` (its `message_id`); what came
 * after it is unchanged. Without `through`: everything before this item.
 */
export const CompactionItem = z.object({
  ...base,
  type: z.literal("compaction"),
  summary: z.string(),
  through: z.string().optional(),
  tokens_before: z.number().int().nonnegative(),
});
export const ErrorItem = z.object({ ...base, type: z.literal("error"), message: z.string() });

export const Item = z.discriminatedUnion("type", [
  AgentMessageItem,
  ReasoningItem,
  CommandExecutionItem,
  FileChangeItem,
  McpToolCallItem,
  ToolCallItem,
  WebSearchItem,
  TodoListItem,
  SubagentItem,
  CompactionItem,
  ErrorItem,
]);
export type Item = z.infer<typeof Item>;
/** The items that stand for a tool call. */
export type ToolItem = Extract<Item, { tool_use_id: string }>;
