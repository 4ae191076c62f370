import { z } from "zod";
import { effectsOf } from "../sessions/approval-words.ts";
import type { Approval, FileDiff, Preview, Warning } from "../sessions/approvals.ts";
import type { StreamFrame } from "../journal/events.ts";
import type { Item } from "../journal/items.ts";
import { isToolItem } from "../journal/tool-items.ts";
import { LIMITS } from "../limits.ts";
import { PermissionMode } from "../access/policy.ts";
import { outputText } from "../text/output-text.ts";

/** Document 001's messages at `/api/terminal/ws/agent`. Extensions are additional fields and types. */

const feedback = z.string().max(LIMITS.feedbackChars);
const updated_input = z.record(z.string(), z.unknown());
const request_id = z.string().max(100);

export const TerminalCommand = z.discriminatedUnion("command", [
  z.object({
    command: z.literal("run"),
    prompt: z.string().max(LIMITS.promptChars).default(""),
    continue: z.boolean().default(true),
    /** An unknown mode means `default`, as in the document's server. Absent: "sdk", or the current one. */
    permission_mode: z.string().max(100).optional(),
    /** Absent: true, or the current value. */
    auto_approve_safe: z.boolean().optional(),
    model: z.string().min(1).max(200).optional(),
    cwd: z.string().max(4_096).optional(),
  }),
  z.object({ command: z.literal("cancel") }),
  z.object({ command: z.literal("new_session") }),
  z.object({ command: z.literal("status") }),
  z.object({
    command: z.literal("tool_approval_response"),
    request_id,
    approved: z.boolean(),
    feedback: feedback.optional(),
    updated_input: updated_input.optional(),
    always: z.boolean().optional(),
    interrupt: z.boolean().optional(),
    input_hash: z.string().max(100).optional(),
  }),
  z.object({
    command: z.literal("mcp_approval_response"),
    request_id,
    approved: z.boolean(),
    message: feedback.optional(),
    updated_input: updated_input.optional(),
    input_hash: z.string().max(100).optional(),
  }),
  /** Answers the question being shown. */
  z.object({ command: z.literal("permission_response"), approved: z.boolean(), always: z.boolean().optional() }),
]);
export type TerminalCommand = z.infer<typeof TerminalCommand>;

export function permissionMode(name: string): PermissionMode {
  const known = PermissionMode.safeParse(name);
  return known.success ? known.data : "default";
}

type TerminalMessage = Readonly<Record<string, unknown>> & { readonly type: string };

/** A frame in this dialect. Questions are left out: they are shown one at a time, see `toolApprovalRequest`. */
export function terminalMessages(frame: StreamFrame): readonly TerminalMessage[] {
  switch (frame.type) {
    case "turn.started":
    case "turn.steered":
      return [{ type: "user", subtype: "text", content: { text: frame.prompt.text } }];
    case "item.delta":
      return frame.field === "text"
        ? [{ type: "assistant", subtype: "text_delta", content: { text: frame.delta }, item_id: frame.item_id }]
        : [];
    case "item.started":
      return isToolItem(frame.item) ? [toolUse(frame.item)] : [];
    case "item.completed":
      return ended(frame.item);
    case "turn.completed":
      return [
        {
          type: "result",
          subtype: "success",
          content: { message: "Conversation complete" },
          is_error: false,
          stop_reason: frame.stop_reason,
          usage: frame.usage,
        },
        { type: "done" },
      ];
    case "turn.failed":
      if (frame.error.code === "aborted" || frame.error.code === "rejected_and_stopped")
        return [{ type: "cancelled", code: frame.error.code }, { type: "done" }];
      return [
        {
          type: "result",
          subtype: "error",
          content: { message: frame.error.message },
          is_error: true,
          code: frame.error.code,
          usage: frame.usage,
        },
        { type: "error", content: frame.error.message, code: frame.error.code },
        { type: "done" },
      ];
    case "error":
      return [{ type: "system", subtype: "notice", content: { text: frame.message } }];
    case "approval.extended":
    case "thread.started":
    case "turn.queued":
    case "turn.resumed":
    case "item.updated":
    case "usage.updated":
    case "approval.requested":
    case "approval.resolved":
    case "session.updated":
    case "budget.updated":
    case "instructions.loaded":
      return [];
  }
}

function toolUse(item: Extract<Item, { tool_use_id: string }>): TerminalMessage {
  return {
    type: "assistant",
    subtype: "tool_use",
    content: { id: item.tool_use_id, name: item.tool, input: item.input },
    ...parent(item),
  };
}

function parent(item: Item): { readonly parent_item_id?: string } {
  return item.parent_id === undefined ? {} : { parent_item_id: item.parent_id };
}

function ended(item: Item): readonly TerminalMessage[] {
  if (item.status === "superseded") return [];
  if (isToolItem(item)) {
    const content = {
      tool_use_id: item.tool_use_id,
      content: outputText(item.output ?? []),
      is_error: item.is_error === true,
      // A person changed the call: first what ran, then what was requested.
      ...(item.approved_input === undefined ? {} : { input: item.approved_input, asked_input: item.input }),
      ...(item.status === "timed_out" ? { status: "timeout" } : {}),
    };
    return [{ type: "user", subtype: "tool_result", content, ...parent(item) }];
  }
  switch (item.type) {
    case "agent_message":
      return item.text === ""
        ? []
        : [{ type: "assistant", subtype: "text", content: { text: item.text }, ...parent(item) }];
    case "reasoning":
      return item.text === ""
        ? []
        : [{ type: "assistant", subtype: "thinking", content: { text: item.text }, ...parent(item) }];
    case "compaction":
      return [{ type: "system", subtype: "compaction", content: { text: item.summary } }];
    case "error":
      return [{ type: "error", content: item.message }];
  }
}

const SUMMARY_CHARS = 200;

/** A question as document 001 shows it. */
export function toolApprovalRequest(approval: Approval): TerminalMessage {
  return {
    type: "tool_approval_request",
    request_id: approval.id,
    tool_name: approval.tool,
    tool_input: approval.input,
    tool_use_id: approval.tool_use_id,
    ...shown(approval),
    status: approval.status,
    session_id: approval.session_id,
    input_hash: approval.input_hash,
    tier: approval.tier,
    warnings: approval.warnings,
    effects: effectsOf(approval.preview),
    reason: approval.reason,
    session_rule: approval.session_rule ?? null,
    ...(approval.not_approvable === undefined ? {} : { not_approvable: approval.not_approvable }),
    ...(approval.replaces === undefined ? {} : { replaces: approval.replaces }),
    created_at: approval.created_at,
    expires_at: approval.expires_at ?? null,
  };
}

interface PreviewFields {
  readonly preview_type: "diff" | "multi_diff" | "command" | "generic";
  readonly preview_data: Readonly<Record<string, unknown>>;
  readonly file_path: string | null;
  readonly original_content: string | null;
  readonly new_content: string | null;
  readonly diff_lines: readonly string[];
}

const NO_FILE = { file_path: null, original_content: null, new_content: null, diff_lines: [] } as const;

function shown(approval: Approval): PreviewFields {
  const { preview } = approval;
  switch (preview.type) {
    case "diff":
      return { preview_type: "diff", preview_data: preview.details, ...fileOf(preview.file) };
    case "notebook": {
      const { cell_id, cell_type, edit_mode } = preview;
      return {
        preview_type: "diff",
        preview_data: { file_path: preview.file.file_path, cell_id, cell_type, edit_mode, notebook: true },
        ...fileOf(preview.file),
      };
    }
    case "multi_diff":
      return {
        ...NO_FILE,
        preview_type: "multi_diff",
        preview_data: preview.details,
        file_path: preview.files[0]?.file_path ?? null,
        diff_lines: preview.files.flatMap((file, index) => (index === 0 ? diffLines(file) : ["", ...diffLines(file)])),
      };
    case "command":
      return { ...NO_FILE, preview_type: "command", preview_data: commandData(preview, approval.warnings) };
    case "question":
      return {
        ...NO_FILE,
        preview_type: "generic",
        preview_data: {
          tool_name: approval.tool,
          questions: preview.questions,
          input_summary: summary(approval.input),
        },
      };
    case "budget":
    case "network":
    case "changes":
    case "generic":
      return {
        ...NO_FILE,
        preview_type: "generic",
        preview_data: { tool_name: approval.tool, input_summary: summary(approval.input) },
      };
  }
}

function summary(input: unknown): string {
  const text = JSON.stringify(input, undefined, 2);
  return text.length > SUMMARY_CHARS ? `${text.slice(0, SUMMARY_CHARS)}...` : text;
}

function commandData(
  preview: Extract<Preview, { type: "command" }>,
  warnings: readonly Warning[],
): Readonly<Record<string, unknown>> {
  const warned = new Set(warnings.map(({ kind }) => kind));
  return {
    command: preview.command,
    description: preview.description ?? "",
    timeout_ms: preview.timeout_ms,
    cwd: preview.cwd,
    has_sudo: warned.has("sudo"),
    has_rm: warned.has("delete"),
    has_pipe: warned.has("pipe"),
    has_redirect: warned.has("redirect"),
    is_dangerous: warned.has("dangerous"),
    background: preview.background,
    parts: preview.parts,
    ...(preview.parse_error === undefined ? {} : { parse_error: preview.parse_error }),
  };
}

function fileOf(file: FileDiff): Omit<PreviewFields, "preview_type" | "preview_data"> {
  return {
    file_path: file.file_path,
    original_content: file.original_content,
    new_content: file.new_content,
    diff_lines: diffLines(file),
  };
}

/** The diff line by line. Lines of the file keep their newline; headers have none. */
function diffLines(file: FileDiff): readonly string[] {
  if (file.diff === "") return [];
  const totals = { old: lineCount(file.original_content), new: lineCount(file.new_content) };
  const bare = { old: !file.original_content.endsWith("\n"), new: !file.new_content.endsWith("\n") };
  const at = { old: 0, new: 0 };
  let inHunk = false;
  return file.diff
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => {
      const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
      if (hunk !== null) {
        inHunk = true;
        at.old = Number(hunk[1]) - (hunk[2] === "0" ? 0 : 1);
        at.new = Number(hunk[3]) - (hunk[4] === "0" ? 0 : 1);
        return line;
      }
      if (!inHunk) return line;
      const sign = line.charAt(0);
      if (sign !== "+") at.old += 1;
      if (sign !== "-") at.new += 1;
      const last =
        sign === "+"
          ? at.new === totals.new && bare.new
          : sign === "-"
            ? at.old === totals.old && bare.old
            : at.new === totals.new && bare.new;
      return last ? line : `${line}\n`;
    });
}

function lineCount(text: string): number {
  if (text === "") return 0;
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}
