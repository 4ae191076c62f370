import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import type { Table } from "../../../../src/web/workbench/data/table.ts";
import { openWorkbench, type OpenWorkbench } from "../../../../src/web/workbench/model/open.ts";
import type { ActionRecord, View } from "../../../../src/web/workbench/model/workbench.ts";
import { checkLook, wholeLook } from "../../../../src/web/workbench/viewers/look.ts";
import type { ViewerDefinition, ViewerType } from "../../../../src/web/workbench/viewers/viewer.ts";

function definition(type: ViewerType): ViewerDefinition {
  return {
    type,
    about: "For tests.",
    properties: [
      { name: "valueColumnName", type: "column", description: "The column.", columns: "numeric" },
      { name: "bins", type: "int", description: "How many.", min: 1, max: 100, default: 20 },
      { name: "title", type: "string", description: "Words." },
    ],
    defaults: () => ({ valueColumnName: "Age" }),
    load: () => Promise.reject(new Error("not drawn in tests")),
  };
}

const DEFINITIONS = [definition("Histogram"), definition("Bar chart"), definition("Filters")];

const KINDS = {
  definitionOf: (type: string) => DEFINITIONS.find((one) => one.type.toLowerCase() === type.toLowerCase()),
  checkLook,
  wholeLook,
};

/** A clock of its own: each action is a minute after the last, so that none are taken together unless a test holds it. */
export function world(): { readonly workbench: OpenWorkbench; readonly clock: { now: number; step: number } } {
  const clock = { now: 0, step: 60_000 };
  const workbench = openWorkbench({ kinds: KINDS, now: () => (clock.now += clock.step) });
  return { workbench, clock };
}

export function people(name = "people"): Table {
  return newTable(name, [
    columnOf("Name", ["Ann", "Bob", "Cid", "Dee"]),
    columnOf("Age", [31, 42, 53, null]),
    columnOf("Sex", ["F", "M", "M", "F"]),
  ]);
}

/** All that can be seen of a view, as plain data. */
export function seen(view: View): unknown {
  const { table } = view;
  return {
    id: view.id,
    viewers: view.viewers,
    dock: view.dock,
    columns: table.columns,
    filters: [...table.filters].toSorted(([left], [right]) => (left < right ? -1 : 1)),
    filtered: [...table.filtered.rows()],
    selected: [...table.selected.rows()],
  };
}

export const words = (actions: readonly ActionRecord[]): readonly string[] =>
  actions.map(({ by, words: text, undone }) => `${undone ? "✗ " : ""}${by}: ${text}`);
