import type { BridgeVerbosity } from "./controls.ts";
import type { ThreadRow } from "./rows.ts";

const encoder = new TextEncoder();

/** The rows that a client wants to see. Each has the form that it always has. */
export function atVerbosity(verbosity: BridgeVerbosity, rows: readonly ThreadRow[]): readonly ThreadRow[] {
  return verbosity === "normal" ? rows : rows.filter(isWanted).map(shortened);
}

function isWanted(row: ThreadRow): boolean {
  if (!("item" in row)) return true;
  if (row.item.type === "reasoning") return false;
  // A text that has begun is told when it ends; a todo list changes only so.
  const isText = row.item.type === "agent_message";
  return row.type === "item.completed" || (row.type === "item.started" ? !isText : row.item.type === "todo_list");
}

function shortened(row: ThreadRow): ThreadRow {
  if (row.type !== "item.completed") return row;
  const { item } = row;
  if (item.type !== "command_execution" || item.status !== "completed" || item.aggregated_output === "") return row;
  const bytes = encoder.encode(item.aggregated_output).length;
  return { ...row, item: { ...item, aggregated_output: `[${bytes} bytes]` } } as ThreadRow;
}
