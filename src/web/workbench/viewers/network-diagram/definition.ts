import { AGGREGATES } from "../../data/aggregate.ts";
import { isText } from "../../data/column.ts";
import type { Table } from "../../data/table.ts";
import { choice, column, flag, real, TITLE } from "../look.ts";
import type { PropertyDefinition, ViewerDefinition } from "../viewer.ts";

const ARROWS = ["none", "to", "from", "middle", "to_middle_from", "to_from", "to_middle", "middle_from"] as const;

const measure = (name: string, what: string): readonly PropertyDefinition[] => [
  column(`${name}ColumnName`, `What the ${what} stands for.`, "numeric"),
  choice(`${name}AggrType`, AGGREGATES, `How the values of many rows become one ${what}.`),
];

export const networkDiagram: ViewerDefinition = {
  type: "Network diagram",
  about: "Values of two columns as nodes, and a line between two where they stand in one row.",
  properties: [
    column("node1ColumnName", "Where lines begin."),
    column("node2ColumnName", "Where lines end."),
    ...measure("edgeWidth", "width of a line"),
    ...measure("edgeColor", "colour of a line"),
    ...measure("node1Size", "size of a node of the first column"),
    ...measure("node2Size", "size of a node of the second column"),
    ...measure("node1Color", "colour of a node of the first column"),
    ...measure("node2Color", "colour of a node of the second column"),
    real("edgeWidth", "Width of the thinnest line, pixels.", { min: 0.5, max: 10, default: 1 }),
    choice("showArrows", ARROWS, "Where lines have arrows."),
    flag("mergeNodes", true, "A value that stands in both columns is one node."),
    flag("showFilteredOutNodes", false, "Shows what is filtered out, faint."),
    flag("suspendSimulation", false, "Nodes stay where they are."),
    flag("showSelectedRows", true, "Marks nodes and lines with selected rows."),
    flag("selectRowsOnClick", true, "A click on a node selects its rows."),
    flag("selectEdgesOnClick", true, "A click on a line selects its rows."),
    flag("showColumnSelectors", true, "Shows the selectors above the picture."),
    ...TITLE,
  ],
  defaults: (table) => {
    const [one, two] = ends(table);
    return { node1ColumnName: one, node2ColumnName: two };
  },
  unfit: (table) => (table.columns.length < 2 ? "A network needs two columns." : undefined),
  load: async () => (await import("./network-diagram.tsx")).NetworkDiagram,
};

/** Two columns that share values are the ends of lines; else the two texts with the fewest values above one. */
function ends(table: Table): readonly (string | undefined)[] {
  const texts = table.columns.filter(isText).filter(({ categories }) => categories.length > 1);
  for (const [at, one] of texts.entries()) {
    const values = new Set(one.categories);
    const two = texts.slice(at + 1).find(({ categories }) => categories.some((value) => values.has(value)));
    if (two !== undefined) return [one.name, two.name];
  }
  const few = texts.toSorted((left, right) => left.categories.length - right.categories.length);
  return [...few, ...table.columns.filter((other) => !texts.some(({ name }) => name === other.name))].map(
    ({ name }) => name,
  );
}
