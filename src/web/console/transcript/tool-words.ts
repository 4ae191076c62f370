import type { Item, ItemStatus, ToolItem } from "../../../protocol/index.ts";
import type { Tone } from "../ui/states.tsx";
import { talliesOf } from "./tallies.ts";

/** What a tool call is about, on one line. */
export function aboutTool(item: ToolItem): string {
  switch (item.type) {
    case "command_execution":
      return item.command;
    case "file_change":
      return firstText(item.input, ["file_path", "notebook_path"]);
    case "web_search":
      return item.query;
    case "todo_list":
      return `${String(item.items.filter(({ status }) => status === "completed").length)} of ${String(item.items.length)} done`;
    case "subagent":
      return item.description;
    case "mcp_tool_call":
    case "tool_call":
      return firstText(item.input, [
        "file_path",
        "path",
        "pattern",
        "query",
        "url",
        "command",
        "description",
        "prompt",
      ]);
  }
}

function firstText(input: Readonly<Record<string, unknown>>, names: readonly string[]): string {
  for (const name of names) {
    const value = input[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return "";
}

/** A tool's name as people say it. */
export function toolName(item: ToolItem): string {
  return item.type === "mcp_tool_call" ? item.tool.split("__").slice(1).join(" › ") : item.tool;
}

export const STATUS_WORDS: Readonly<Record<ItemStatus, { readonly label: string; readonly tone: Tone }>> = {
  in_progress: { label: "running", tone: "info" },
  completed: { label: "done", tone: "ok" },
  failed: { label: "failed", tone: "bad" },
  declined: { label: "declined", tone: "warn" },
  interrupted: { label: "interrupted", tone: "warn" },
  superseded: { label: "superseded", tone: "plain" },
};

export interface ChangedFile {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  /** The item of the last change. */
  readonly item: string;
}

type FileItem = Extract<Item, { type: "file_change" }>;

/** A completed item does not change: its diff is counted once, however often the page is painted. */
const counted = new WeakMap<FileItem, readonly ChangedFile[]>();

/** Every file that the agent changed, with the lines that came and went. */
export function changedFiles(items: Iterable<{ readonly item: Item }>): readonly ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  for (const { item } of items) {
    if (item.type !== "file_change" || item.status !== "completed") continue;
    for (const change of changesOf(item)) {
      const before = files.get(change.path);
      files.set(change.path, {
        ...change,
        added: change.added + (before?.added ?? 0),
        removed: change.removed + (before?.removed ?? 0),
      });
    }
  }
  return [...files.values()];
}

function changesOf(item: FileItem): readonly ChangedFile[] {
  const known = counted.get(item);
  if (known !== undefined) return known;
  const tallies = talliesOf(item.diff ?? "");
  const only = item.changes.length === 1 && tallies.size === 1 ? [...tallies.values()][0] : undefined;
  const changes = item.changes.map(({ path }) => {
    const tally = tallies.get(path) ?? only ?? { added: 0, removed: 0 };
    return { path, added: tally.added, removed: tally.removed, item: item.id };
  });
  counted.set(item, changes);
  return changes;
}
