import { z } from "zod";
import { columnFormat } from "../data/column-format.ts";
import type { FilterSpec } from "../data/filter.ts";
import { nestsDeeper } from "../data/nesting.ts";
import type { Table } from "../data/table.ts";
import { WORKBENCH_LIMITS } from "../limits.ts";
import { checkDock, GRID, normalise } from "./dock.ts";
import type { Dock, View } from "./workbench.ts";

const name = z.string().max(1_000);
const bound = z.number().optional();

const savedFilter = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("range"), column: name, min: bound, max: bound, missing: z.boolean().optional() }),
  z.object({ kind: z.literal("categories"), column: name, values: z.array(z.string().nullable()).max(100_000) }),
  z.object({ kind: z.literal("contains"), column: name, text: z.string().max(10_000) }),
  z.object({ kind: z.literal("formula"), expression: z.string().max(10_000) }),
]);

const savedDock: z.ZodType<Dock> = z.lazy(() =>
  z.discriminatedUnion("kind", [
    z.object({
      kind: z.literal("split"),
      direction: z.enum(["row", "column"]),
      shares: z.array(z.number()).max(WORKBENCH_LIMITS.viewersPerView + 1),
      parts: z.array(savedDock).max(WORKBENCH_LIMITS.viewersPerView + 1),
    }),
    z.object({
      kind: z.literal("stack"),
      viewers: z.array(z.string().max(100)).max(WORKBENCH_LIMITS.viewersPerView + 1),
      shown: z.string().max(100),
    }),
  ]),
);

const names = z.array(name).max(100_000);

/** As the grid keeps it: see grid/look.ts. */
const savedGrid = z.object({
  widths: z.record(name, z.number().positive().max(10_000)),
  hidden: names,
  pinned: names,
  /** Absent: made before grids had colours, or none has. */
  coloured: names.optional(),
  sort: z.array(z.object({ column: name, descending: z.boolean() })).max(100),
});
export type SavedGrid = z.infer<typeof savedGrid>;

const savedLayout = z.object({
  kind: z.literal("workbench-layout"),
  version: z.literal(1),
  /** Of the table that it was made with. */
  table: name,
  columns: names,
  /** Columns that were made from formulas, in an order in which they can be made again. */
  formulas: z.array(z.object({ name, expression: z.string().max(10_000) })).max(1_000),
  /** How columns are shown. Absent: none has a format. */
  formats: z
    .array(z.object({ name, format: columnFormat }))
    .max(10_000)
    .optional(),
  /** The ids are only good inside the layout: `dock` names them. */
  viewers: z
    .array(z.object({ id: z.string().max(100), type: z.string().max(100), look: z.record(z.string(), z.unknown()) }))
    .max(WORKBENCH_LIMITS.viewersPerView),
  dock: savedDock,
  filters: z.array(z.tuple([z.string().max(1_000), savedFilter])).max(10_000),
  /** Absent: as the grid comes. */
  grid: savedGrid.optional(),
});

/** The viewers of a view, their looks and places, the filters, and the formulas of columns; no rows. JSON. */
export type SavedLayout = z.infer<typeof savedLayout>;

export function saveLayout(view: View, grid?: SavedGrid): SavedLayout {
  const filters = [...view.table.filters].filter(
    (entry): entry is [string, Exclude<FilterSpec, { kind: "rows" }>] => entry[1].kind !== "rows",
  );
  return {
    kind: "workbench-layout",
    version: 1,
    table: view.table.name,
    columns: view.table.columns.map((column) => column.name),
    formulas: view.table.columns.flatMap(({ name: made, formula }) =>
      formula === undefined ? [] : [{ name: made, expression: formula }],
    ),
    ...formatsOf(view.table),
    viewers: view.viewers.map(({ id, type, look }) => ({ id, type, look })),
    dock: view.dock,
    filters: filters.map(([key, { ...spec }]) => [
      key,
      spec.kind === "categories" ? { ...spec, values: [...spec.values] } : spec,
    ]),
    ...(grid === undefined ? {} : { grid }),
  };
}

function formatsOf({ columns }: Table): Pick<SavedLayout, "formats"> {
  const formats = columns.flatMap((column) =>
    column.format === undefined ? [] : [{ name: column.name, format: column.format }],
  );
  return formats.length === 0 ? {} : { formats };
}

/** As a file that people can read and keep. */
export function layoutText(layout: SavedLayout): string {
  return `${JSON.stringify(layout, undefined, 2)}\n`;
}

/** The text of a layout's file. Throws words where it is too large to be one. */
export async function layoutFileText(file: Pick<Blob, "size" | "text">): Promise<string> {
  // The file has line breaks and indents, and letters of several bytes.
  if (file.size > WORKBENCH_LIMITS.layoutCharacters * 4) throw new Error("this file is too large to be a layout");
  const text = await file.text();
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    throw new Error("this is not a layout: it is not JSON");
  }
}

/** Reads a layout that was kept or that somebody brings. Throws words where it is none, or damaged. */
export function parseLayout(text: string): SavedLayout {
  if (text.length > WORKBENCH_LIMITS.layoutCharacters) throw new Error("this layout is too large");
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new Error("this is not a layout: it is not JSON");
  }
  return checkLayout(read);
}

/** As `parseLayout`, of what is read already. */
function checkLayout(read: unknown): SavedLayout {
  if (nestsDeeper(read, WORKBENCH_LIMITS.layoutNesting))
    throw new Error("this layout is damaged: its parts lie too deep inside each other");
  const checked = savedLayout.safeParse(read);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw new Error(
      `this layout is damaged or not of a workbench: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`,
    );
  }
  checkDock(normalise(checked.data.dock), [GRID, ...checked.data.viewers.map(({ id }) => id)]);
  return checked.data;
}

/** Tables of the same name and the same columns share a layout. */
export function layoutKey(table: Table): string {
  return JSON.stringify([table.name, ...table.columns.map((column) => column.name)]);
}

/** The same dock with other ids. */
export function renamed(dock: Dock, ids: ReadonlyMap<string, string>): Dock {
  const named = (id: string): string => ids.get(id) ?? id;
  if (dock.kind === "split") return { ...dock, parts: dock.parts.map((part) => renamed(part, ids)) };
  return { ...dock, viewers: dock.viewers.map(named), shown: named(dock.shown) };
}

/** It holds nothing that anybody would miss. */
export function isPlain({ viewers, filters, formulas, formats = [], grid }: SavedLayout): boolean {
  const isArranged =
    grid !== undefined &&
    (Object.keys(grid.widths).length > 0 ||
      grid.hidden.length + grid.pinned.length + grid.sort.length + (grid.coloured ?? []).length > 0);
  return viewers.length + filters.length + formulas.length + formats.length === 0 && !isArranged;
}
