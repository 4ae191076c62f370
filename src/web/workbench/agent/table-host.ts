import type { TableViewHost } from "../../../contexts/hosts.ts";
import { isText, type Column } from "../data/column.ts";
import type { View, Workbench } from "../model/workbench.ts";
import { definitionOf, VIEWERS } from "../viewers/registry.ts";
import { NOT_AVAILABLE, type ViewerDefinition } from "../viewers/viewer.ts";
import { highlight, listElements } from "./elements.ts";

/** One view of the workbench as document 000's tools see it. What they do is the agent's action and can be taken back. */
export function tableViewHost(workbench: Workbench, view: View): TableViewHost {
  const now = (): View => {
    const open = workbench.views.find(({ id }) => id === view.id);
    if (open === undefined) throw new Error(`the table ${view.table.name} was closed`);
    return open;
  };
  return {
    get tableName() {
      return view.table.name;
    },
    columns: () => view.table.columns.map(columnInfo),
    viewerTypes: () => VIEWERS.map(({ type }) => type),
    properties: (type) =>
      known(type).properties.map((property) => ({
        name: property.name,
        type: property.type,
        description: [
          property.description,
          property.choices === undefined ? "" : `One of: ${property.choices.join(", ")}`,
        ]
          .filter((part) => part !== "")
          .join(". "),
      })),
    viewers: () => now().viewers.map(({ id, type, look }) => ({ id, type, look })),
    addViewer: (type, look) => workbench.addViewer(now().id, known(type).type, look, "agent").id,
    adjustViewer: (id, look) => workbench.adjustViewer(now().id, id, look, "agent"),
    elements: () => listElements(),
    highlight: (id, description) => highlight(id, description),
  };
}

function known(type: string): ViewerDefinition {
  const definition = definitionOf(type);
  if (definition !== undefined) return definition;
  const reason = Object.entries(NOT_AVAILABLE).find(([name]) => name.toLowerCase() === type.toLowerCase());
  const why = reason === undefined ? "there is no such type of viewer" : `${reason[0]} is not available: ${reason[1]}`;
  throw new Error(`${why}. Types: ${VIEWERS.map((viewer) => viewer.type).join(", ")}`);
}

function columnInfo(column: Column): ReturnType<TableViewHost["columns"]>[number] {
  const { name, type, semType, units } = column;
  return { name, type, semType, units, ...(isText(column) ? { categories: column.categories.length } : {}) };
}
