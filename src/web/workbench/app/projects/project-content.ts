import { z } from "zod";
import type { ProjectContent, ProjectTable, WorkbenchProject } from "../../../../protocol/index.ts";
import { parseLayout } from "../../model/layout.ts";
import type { View } from "../../model/workbench.ts";
import type { Bench } from "../bench.ts";

type ProjectParts = Pick<Bench, "workbench" | "opening" | "queryTabs">;

const openedWith = z.tuple([z.string()]).rest(z.string());

/** What is open now, as a project. No rows. */
export function contentOf({ workbench, opening, queryTabs }: ProjectParts): ProjectContent {
  const { views, current } = workbench;
  return {
    tables: views.map((view) => {
      const [, ...columns] = openedWith.parse(JSON.parse(opening.openedWith(view.id) ?? '[""]'));
      return {
        name: view.table.name,
        columns,
        source: opening.sourceOf(view.id) ?? { kind: "computer" },
        layout: JSON.stringify(opening.layoutOf(view)),
      };
    }),
    shown: Math.max(
      0,
      views.findIndex(({ id }) => id === current?.id),
    ),
    queries: queryTabs
      .state()
      .tabs.flatMap(({ name, source, sql = "" }) => (sql.trim() === "" ? [] : [{ name, source, sql }])),
  };
}

/** Opens the tables and queries of a project, beside what is open. What could not be opened is told. */
export async function openProject(
  { name, content }: Pick<WorkbenchProject, "name" | "content">,
  bench: ProjectParts & Pick<Bench, "layouts">,
): Promise<void> {
  const { workbench, opening, queryTabs } = bench;
  const lines: string[] = [];
  let shown: View | undefined;
  for (const [at, table] of content.tables.entries()) {
    const line = await openTable(table, bench);
    if (line !== undefined) lines.push(line);
    else if (at === content.shown) shown = viewOf(table, bench) ?? workbench.current;
  }
  if (shown !== undefined) workbench.show(shown.id);
  const left = queryTabs.bring(content.queries);
  if (left > 0) lines.push(`${left === 1 ? "1 query has" : `${left} queries have`} no room among the tabs of SQL.`);
  if (lines.length > 0) opening.say(name, lines);
}

/** Undefined: it is open, and looked at as in the project. */
async function openTable(
  table: ProjectTable,
  bench: ProjectParts & Pick<Bench, "layouts">,
): Promise<string | undefined> {
  const { opening, layouts } = bench;
  try {
    const layout = parseLayout(table.layout);
    const open = viewOf(table, bench);
    if (open !== undefined) {
      opening.apply(open.id, layout);
      return undefined;
    }
    if (table.source.kind === "computer") {
      layouts.keep(keyOf(table), layout);
      return `${table.name} is not on the server. Open its file here, and its viewers come back.`;
    }
    if (await opening.open({ source: table.source, layout })) return undefined;
    return `${table.name}: ${opening.state().trouble?.words ?? "it was not opened."}`;
  } catch (error) {
    return `${table.name}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The view of this table, if it is open already. */
function viewOf(table: ProjectTable, { workbench, opening }: ProjectParts): View | undefined {
  const { source } = table;
  return workbench.views.find(({ id }) => {
    const other = opening.sourceOf(id);
    if (source.kind === "computer") return other === undefined && opening.openedWith(id) === keyOf(table);
    return JSON.stringify(other) === JSON.stringify(source);
  });
}

function keyOf({ name, columns }: ProjectTable): string {
  return JSON.stringify([name, ...columns]);
}
