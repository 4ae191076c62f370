import type { ComponentType } from "react";
import type { Table } from "../data/table.ts";

/** Those that the workbench has, by the names of document 000's tools. */
export type ViewerType =
  | "Scatter plot"
  | "Histogram"
  | "Bar chart"
  | "Line chart"
  | "Box plot"
  | "Pie chart"
  | "Heat map"
  | "Density plot"
  | "Correlation plot"
  | "Matrix plot"
  | "Trellis plot"
  | "PC Plot"
  | "Tree map"
  | "Statistics"
  | "Pivot table"
  | "Form"
  | "Filters"
  | "Markup"
  | "Word cloud"
  | "Calendar"
  | "Network diagram"
  | "3d scatter plot"
  | "Tile Viewer";

/** Types that document 000 names and the workbench does not have, with the reason. The grid is always there. */
export const NOT_AVAILABLE = {
  Grid: "the grid is always open; it is not added as a viewer",
  "Google map": "it would need a map service of another host",
  "Shape Map": "it would need shapes of regions, which the workbench does not have",
} as const;

type PropertyType = "string" | "int" | "double" | "bool" | "datetime" | "column" | "column_list" | "string_list";

/** One property that a viewer honours. What it does not honour is not listed. */
export interface PropertyDefinition {
  /** As in Datagrok: valueColumnName, xColumnName, bins, … */
  readonly name: string;
  readonly type: PropertyType;
  readonly description: string;
  /** Of a string or a list of strings: the only values. */
  readonly choices?: readonly string[] | undefined;
  /** Of a string: the text of a JSON object; the object itself is taken too. */
  readonly json?: boolean | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** Of a column or list of columns: only those of a kind. Absent: any. */
  readonly columns?: "numeric" | "categorical" | "datetime" | undefined;
  /** Absent: no value until one is set, or what `defaults` gives for the table. */
  readonly default?: unknown;
}

/** Values by property name; only those that were set. */
export type Look = Readonly<Record<string, unknown>>;

export interface ViewerProps {
  readonly id: string;
  readonly table: Table;
  /** The defaults with what was set over them: every property has its value here, or none at all. */
  readonly look: Look;
  /** Of the space to draw in, CSS pixels; the head of the viewer is not in it. */
  readonly width: number;
  readonly height: number;
  /** A person changed the viewer by hand in it (another column in a selector, a sort). `undefined` takes a value away. */
  readonly change: (look: Look) => void;
}

/** What a selector in a viewer reads and changes. */
export type LookEditor = Pick<ViewerProps, "table" | "look" | "change">;

/** One type of viewer: what it is called, what can be set, how it is drawn. */
export interface ViewerDefinition {
  readonly type: ViewerType;
  /** One sentence: what it shows. */
  readonly about: string;
  readonly properties: readonly PropertyDefinition[];
  /** What it starts with for a table: sensible columns. */
  readonly defaults: (table: Table) => Look;
  /** Words instead of a picture where the table cannot be shown so; absent: it can. */
  readonly unfit?: ((table: Table, look: Look) => string | undefined) | undefined;
  /** Datagrok's names of lists whose members are properties of their own here. */
  readonly lists?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Loaded when the first is opened. */
  readonly load: () => Promise<ComponentType<ViewerProps>>;
}
