import type { SortKey } from "../data/sort.ts";
import type { Table } from "../data/table.ts";
import type { View, Workbench } from "../model/workbench.ts";
import type { Databases } from "./databases.ts";

/** What the workbench's own tools work with. */
export interface ActionOptions {
  readonly workbench: Workbench;
  readonly databases: Pick<Databases, "open">;
  /** Opens a table as the agent's action, with a name that no other has. */
  readonly addTable: (table: Table) => View;
  /** Reads a file of this server. */
  readonly readAddress: (address: string, signal: AbortSignal) => Promise<Table>;
  /** Hands a file to the person. */
  readonly download: (name: string, text: string) => void;
  /** Puts the rows of a view's grid in an order. */
  readonly sort: (viewId: string, keys: readonly SortKey[]) => void;
}

export type ActionArguments = Readonly<Record<string, unknown>>;

/** Longer results of a file are shown by their first lines. */
const SHOWN_CSV_CHARS = 2_000;

/** The beginning of a CSV text, whole lines only, for a model to read. */
export function csvHead(csv: string): string {
  if (csv.length <= SHOWN_CSV_CHARS) return csv.trimEnd();
  const end = csv.lastIndexOf("\n", SHOWN_CSV_CHARS);
  return `${csv.slice(0, end < 0 ? SHOWN_CSV_CHARS : end).trimEnd()}\n…`;
}

export function current(workbench: Workbench): View {
  const view = workbench.current;
  if (view === undefined) throw new Error("no active table view: the person has to open a table first");
  return view;
}

export function text(args: ActionArguments, name: string): string {
  const value = args[name];
  if (typeof value !== "string" || value.trim() === "") throw new Error(`${name} must be a text that is not empty`);
  return value;
}

export const string = (description: string): object => ({ type: "string", description });

export function schema(properties: Readonly<Record<string, object>>, required: readonly string[]): object {
  return { type: "object", properties, required, additionalProperties: false };
}
