import { resolve } from "node:path";
import type {
  Diff,
  ToolCall,
  ToolCallContent,
  ToolCallLocation,
  ToolCallUpdate,
  ToolKind,
} from "@agentclientprotocol/sdk";
import { LIMITS, showHidden, toolFacts, type ContentBlock, type ToolItem } from "../../protocol/index.ts";
import { titleOf } from "../show/cards.ts";
import { diffsOf } from "./diffs.ts";

/** What an editor shows an icon for. */
export function kindOf(tool: string): ToolKind {
  return toolFacts(tool)?.acp ?? "other";
}

/** A call that has begun. It stays `pending` until it really runs: a person may be asked first. */
export function beginning(item: ToolItem, workspace: string): ToolCall {
  const content = inputContent(item, workspace);
  return {
    toolCallId: item.id,
    title: toolTitle(item, workspace),
    name: item.tool,
    kind: kindOf(item.tool),
    status: "pending",
    ...(content.length === 0 ? {} : { content }),
    locations: locationsOf(item.input, workspace),
    rawInput: item.input,
  };
}

/** A call that runs now; a person may have changed its input. */
export function running(item: ToolItem, workspace: string): ToolCallUpdate {
  const { approved_input } = item;
  if (approved_input === undefined) return { toolCallId: item.id, status: "in_progress" };
  return {
    toolCallId: item.id,
    status: "in_progress",
    title: toolTitle(item, workspace),
    content: inputContent(item, workspace),
    locations: locationsOf(approved_input, workspace),
    rawInput: approved_input,
  };
}

export function ending(item: ToolItem, workspace: string): ToolCallUpdate {
  const content = outputContent(item, workspace);
  return {
    toolCallId: item.id,
    status: item.status === "completed" && item.is_error !== true ? "completed" : "failed",
    title: toolTitle(item, workspace),
    content,
    rawOutput: {
      status: item.status,
      is_error: item.is_error ?? false,
      ...(item.type === "command_execution" && item.exit_code !== undefined ? { exit_code: item.exit_code } : {}),
    },
  };
}

/** What a command has said so far. */
export function output(item_id: string, text: string): ToolCallUpdate {
  return { toolCallId: item_id, status: "in_progress", content: [fenced(abridged(text))] };
}

export function locationsOf(input: Readonly<Record<string, unknown>>, workspace: string): ToolCallLocation[] {
  const path = [input["file_path"], input["notebook_path"], input["path"]].find((value) => typeof value === "string");
  // A displayed path with hidden characters leads nowhere.
  if (path === undefined || showHidden(path, "command") !== path) return [];
  const line = input["offset"];
  return [
    {
      path: resolve(workspace, path),
      ...(typeof line === "number" && Number.isInteger(line) && line > 0 ? { line } : {}),
    },
  ];
}

function toolTitle(item: ToolItem, workspace: string): string {
  const title = titleOf(item, workspace);
  return item.type === "command_execution" ? title : `${item.tool} ${title}`.trim();
}

/** What the call wants to change, if it changes a text. */
function inputContent(item: ToolItem, workspace: string): ToolCallContent[] {
  const input = item.approved_input ?? item.input;
  const path = input["file_path"];
  if (item.type !== "file_change" || typeof path !== "string") return [];
  const file = resolve(workspace, path);
  if (typeof input["content"] === "string") return [asContent({ path: file, newText: abridged(input["content"]) })];
  const edits = Array.isArray(input["edits"]) ? (input["edits"] as readonly unknown[]) : [input];
  return edits.flatMap((edit): ToolCallContent[] => {
    const { old_string, new_string } = (edit ?? {}) as { readonly old_string?: unknown; readonly new_string?: unknown };
    if (typeof old_string !== "string" || typeof new_string !== "string") return [];
    return [asContent({ path: file, oldText: abridged(old_string), newText: abridged(new_string) })];
  });
}

function outputContent(item: ToolItem, workspace: string): ToolCallContent[] {
  if (item.type === "file_change" && item.status === "completed" && item.is_error !== true) {
    const added = new Set(item.changes.filter(({ kind }) => kind === "add").map(({ path }) => path));
    const diffs = diffsOf(item.diff ?? "", (path) => (added.has(path) ? "new" : "changed"));
    if (diffs.length > 0) return diffs.map((diff) => asContent({ ...diff, path: resolve(workspace, diff.path) }));
  }
  if (item.type === "command_execution")
    return item.aggregated_output === "" ? [] : [fenced(abridged(item.aggregated_output))];
  return (item.output ?? []).map(blockContent);
}

function blockContent(block: ContentBlock): ToolCallContent {
  if (block.type === "text") return fenced(abridged(block.text));
  return { type: "content", content: { type: "image", mimeType: block.media_type, data: block.data } };
}

function asContent(diff: Diff): ToolCallContent {
  return { type: "diff", ...diff };
}

/** Shown literally, not as markup that an editor could interpret. */
export function fenced(text: string): ToolCallContent {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return {
    type: "content",
    content: { type: "text", text: `${fence}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}` },
  };
}

/** The beginning and the end of a long text. */
function abridged(text: string): string {
  if (text.length <= LIMITS.acpOutputChars) return text;
  const half = Math.floor(LIMITS.acpOutputChars / 2);
  return `${text.slice(0, half)}\n… ${text.length - 2 * half} characters are not shown …\n${text.slice(-half)}`;
}
