import type { Item, ItemStatus, ItemView, ToolItem } from "../../../protocol/index.ts";
import type { Tone } from "../../ui/states.tsx";
import { talliesOf } from "./tallies.ts";
import { t } from "../../ui/language/t.ts";

type ToolWordsInput = Readonly<Record<string, unknown>>;

/** What a tool ran with: a person's change, else what was requested. */
export const ranInput = (item: ToolItem): ToolWordsInput => item.approved_input ?? item.input;

export function ranCommand(item: Extract<ToolItem, { type: "command_execution" }>): string {
  const changed = item.approved_input?.["command"];
  return typeof changed === "string" ? changed : item.command;
}

/** A tool call in one line: what ran, if a person changed it. */
export function aboutTool(item: ToolItem): string {
  switch (item.type) {
    case "command_execution":
      return ranCommand(item);
    case "file_change":
      return firstText(ranInput(item), ["file_path", "notebook_path"]);
    case "web_search":
      return firstText(item.approved_input ?? {}, ["query"]) || item.query;
    case "todo_list":
      return t("{done} of {total} done", {
        done: item.items.filter(({ status }) => status === "completed").length,
        total: item.items.length,
      });
    case "subagent":
      return item.description;
    case "mcp_tool_call":
    case "tool_call":
      return firstText(ranInput(item), [
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

function firstText(input: ToolWordsInput, names: readonly string[]): string {
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

interface StatusWords {
  readonly label: string;
  readonly tone: Tone;
}

export const STATUS_WORDS: Readonly<Record<ItemStatus, StatusWords>> = {
  in_progress: { label: t("running"), tone: "info" },
  completed: { label: t("done"), tone: "ok" },
  failed: { label: t("failed"), tone: "bad" },
  declined: { label: t("declined"), tone: "warn" },
  timed_out: { label: t("expired"), tone: "warn" },
  interrupted: { label: t("interrupted"), tone: "warn" },
  superseded: { label: t("superseded"), tone: "plain" },
};

/** How a call stands, its question included: nobody said no to one that expired, and one that was approved may still wait. */
export function callWords({ item, answer }: ItemView, { waits }: { readonly waits: boolean }): StatusWords {
  if (item.status === "in_progress" && answer !== undefined) {
    if (answer.outcome === undefined) return { label: t("needs you"), tone: "warn" };
    if (waits) return { label: t("approved"), tone: "info" };
  }
  if (item.status === "declined" && answer?.outcome === "rejected") return { label: t("rejected"), tone: "warn" };
  return STATUS_WORDS[item.status];
}

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

/** Every file that the agent changed, with its added and removed lines. */
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
