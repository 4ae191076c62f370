import { isNumeric, type Column } from "../data/column.ts";
import type { Table } from "../data/table.ts";
import type { Look, PropertyDefinition, ViewerDefinition } from "./viewer.ts";

/** Which rows a viewer shows. */
const ROW_SOURCES = [
  "All",
  "Filtered",
  "Selected",
  "SelectedOrCurrent",
  "FilteredSelected",
  "CurrentRow",
  "MouseOverRow",
] as const;
export const AXIS_TYPES = ["linear", "logarithmic"] as const;
export const VISIBILITY_MODES = ["Auto", "Always", "Never"] as const;
const LEGEND_POSITIONS = [
  "Auto",
  "Left",
  "Right",
  "Top",
  "Bottom",
  "RightTop",
  "RightBottom",
  "LeftTop",
  "LeftBottom",
] as const;
export const ROW_GROUP_ACTIONS = ["Select", "Filter", "None"] as const;
export const TEXT_ORIENTATIONS = ["Auto", "Horz", "Vert"] as const;

export function column(name: string, description: string, columns?: PropertyDefinition["columns"]): PropertyDefinition {
  return { name, type: "column", description, columns };
}

export function columnList(
  name: string,
  description: string,
  columns?: PropertyDefinition["columns"],
): PropertyDefinition {
  return { name, type: "column_list", description, columns };
}

export function flag(name: string, standard: boolean, description: string): PropertyDefinition {
  return { name, type: "bool", description, default: standard };
}

/** One of a few words; the first is the default. */
export function choice(
  name: string,
  choices: readonly [string, ...string[]],
  description: string,
  standard: string = choices[0],
): PropertyDefinition {
  return { name, type: "string", description, choices, default: standard };
}

export function text(name: string, description: string): PropertyDefinition {
  return { name, type: "string", description };
}

/** Several words; with choices only these. */
export function texts(name: string, description: string, choices?: readonly string[]): PropertyDefinition {
  return { name, type: "string_list", description, choices };
}

interface LookRange {
  readonly min?: number;
  readonly max?: number;
  readonly default?: number;
}

export function whole(name: string, description: string, range: LookRange = {}): PropertyDefinition {
  return { name, type: "int", description, ...range };
}

export function real(name: string, description: string, range: LookRange = {}): PropertyDefinition {
  return { name, type: "double", description, ...range };
}

export const TITLE = [
  text("title", "Words above the picture."),
  text("description", "Words below the picture."),
] as const;
/** The words around a picture, and which rows it shows. */
export const TITLE_AND_ROWS = [
  ...TITLE,
  choice("rowSource", ROW_SOURCES, "Which rows are shown.", "Filtered"),
] as const;
/** Scales and bounds of two axes. */
export const PLANE = [
  choice("xAxisType", AXIS_TYPES, "Scale of the horizontal axis."),
  choice("yAxisType", AXIS_TYPES, "Scale of the vertical axis."),
  real("xMin", "Where the horizontal axis starts; absent: at the least value."),
  real("xMax", "Where the horizontal axis ends; absent: at the greatest value."),
  real("yMin", "Where the vertical axis starts; absent: at the least value."),
  real("yMax", "Where the vertical axis ends; absent: at the greatest value."),
] as const;
export const LEGEND = [
  choice("legendVisibility", VISIBILITY_MODES, "Whether the legend is shown; Auto: where there is room."),
  choice("legendPosition", LEGEND_POSITIONS, "Where the legend lies."),
] as const;
/** What the properties of a picture with a legend end with. */
export const LEGEND_TITLE_AND_ROWS = [...LEGEND, ...TITLE_AND_ROWS] as const;
/** How numbers become colours. */
export const COLOR_SCALE = [
  choice("colorAxisType", AXIS_TYPES, "Scale of the colours."),
  real("colorMin", "The number of the first colour; absent: the least."),
  real("colorMax", "The number of the last colour; absent: the greatest."),
  flag("invertColorScheme", false, "Turns the scale of colours round."),
] as const;

/** The property that holds those of the viewers in another viewer's cells. */
export function innerLookProperty(example: string): PropertyDefinition {
  const description = `Properties of the viewers in the cells, as JSON: ${example}.`;
  return { ...text("innerViewerLook", description), json: true };
}

/**
 * What was asked for, put right: names in other letters, short forms (`x` for `xColumnName`), choices in other letters. Throws an Error
 * whose words say what there is instead. `null` takes a value away.
 */
export function checkLook(definition: ViewerDefinition, look: Look, table: Table): Look {
  const checked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(look).flatMap((entry) => single(definition, entry))) {
    const property = propertyNamed(definition, name);
    checked[property.name] = value === null || value === undefined ? undefined : checkValue(property, value, table);
  }
  return checked;
}

const PLURAL = /ColumnNames$/i;

/** Names of lists that are single properties here: `categoryColumnNames` of a box plot, `splitColumnNames` with one column. */
function single(
  { properties, lists = {} }: ViewerDefinition,
  [name, value]: readonly [string, unknown],
): readonly (readonly [string, unknown])[] {
  const list = Object.entries(lists).find(([known]) => known.toLowerCase() === name.toLowerCase())?.[1];
  const given: readonly unknown[] = Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];
  if (list !== undefined) {
    if (given.length > list.length) throw new Error(`${name} takes at most ${list.length} columns.`);
    return list.map((property, at) => [property, given[at]]);
  }
  const isKnown = properties.some((property) => property.name.toLowerCase() === name.toLowerCase());
  return PLURAL.test(name) && !isKnown && given.length <= 1
    ? [[name.replace(PLURAL, "ColumnName"), given[0]]]
    : [[name, value]];
}

/** Every value that the viewer has: the defaults with what was set over them. Columns that are gone count as not set. */
export function wholeLook(definition: ViewerDefinition, table: Table, look: Look): Look {
  const whole: Record<string, unknown> = {};
  const defaults = definition.defaults(table);
  for (const property of definition.properties) {
    const set = present(property, look[property.name], table);
    const value = set ?? present(property, defaults[property.name], table) ?? property.default;
    if (value !== undefined) whole[property.name] = value;
  }
  return whole;
}

function present(property: PropertyDefinition, value: unknown, table: Table): unknown {
  if (property.type === "column") return typeof value === "string" && table.column(value) ? value : undefined;
  if (property.type !== "column_list" || !Array.isArray(value)) return value;
  const names = value.filter((name) => typeof name === "string" && table.column(name) !== undefined);
  return names.length > 0 || value.length === 0 ? names : undefined;
}

function propertyNamed({ type, properties }: ViewerDefinition, name: string): PropertyDefinition {
  for (const ending of ["", "columnname", "columnnames"]) {
    const wanted = name.toLowerCase() + ending;
    const found = properties.find((property) => property.name.toLowerCase() === wanted);
    if (found !== undefined) return found;
  }
  const names = properties.map((property) => property.name).join(", ");
  throw new Error(`${type} has no property "${name}". Its properties: ${names}.`);
}

function checkValue(property: PropertyDefinition, value: unknown, table: Table): unknown {
  switch (property.type) {
    case "column":
      return checkColumn(property, value, table);
    case "column_list": {
      const names = typeof value === "string" ? [value] : value;
      if (!Array.isArray(names)) throw wrong(property, "a list of column names", value);
      return names.map((name) => checkColumn(property, name, table));
    }
    case "bool":
      if (typeof value !== "boolean") throw wrong(property, "true or false", value);
      return value;
    case "int":
    case "double":
      return checkNumber(property, value);
    case "datetime":
      return checkDate(property, value);
    case "string":
      return checkText(property, value);
    case "string_list": {
      const texts = typeof value === "string" ? [value] : value;
      if (!Array.isArray(texts)) throw wrong(property, "a list of texts", value);
      return texts.map((text) => checkText(property, text));
    }
  }
}

/** By its name, or the only column that has the word in its name: `weight` for `Weight_in_lbs`. */
function columnLike(table: Table, words: string): Column | undefined {
  const exact = table.column(words);
  if (exact !== undefined) return exact;
  const plain = (text: string): string =>
    ` ${text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
      .trim()} `;
  const wanted = plain(words);
  if (wanted.trim() === "") return undefined;
  const alike = table.columns.filter(({ name }) => plain(name).includes(wanted));
  return alike.length === 1 ? alike[0] : undefined;
}

/** Throws words where there is no such column. */
export function columnNamed(table: Table, name: string): Column {
  const found = columnLike(table, name);
  if (found !== undefined) return found;
  throw new Error(`There is no column "${name}". Columns: ${table.columns.map((column) => column.name).join(", ")}.`);
}

function checkColumn(property: PropertyDefinition, value: unknown, table: Table): string {
  if (typeof value !== "string") throw wrong(property, "the name of a column", value);
  const found = columnLike(table, value);
  const fitting = table.columns.filter((column) => columnFits(property, column));
  const names = fitting.map((column) => column.name).join(", ");
  if (found === undefined)
    throw new Error(`There is no column "${value}" for ${property.name}. Columns that fit: ${names || "none"}.`);
  if (!columnFits(property, found))
    throw new Error(
      `${property.name} needs a ${property.columns ?? ""} column; ${found.name} is ${found.type}. Columns that fit: ${names || "none"}.`,
    );
  return found.name;
}

/** Whether a column can be chosen for a property. */
export function columnFits(property: Pick<PropertyDefinition, "columns">, column: Column): boolean {
  switch (property.columns) {
    case undefined:
      return true;
    case "numeric":
      return isNumeric(column);
    case "categorical":
      return column.type !== "double" && column.type !== "datetime";
    case "datetime":
      return column.type === "datetime";
  }
}

function checkNumber(property: PropertyDefinition, value: unknown): number {
  const { name, min, max } = property;
  const words = property.type === "int" ? "a whole number" : "a number";
  if (typeof value !== "number" || !Number.isFinite(value)) throw wrong(property, words, value);
  if (property.type === "int" && !Number.isInteger(value)) throw wrong(property, words, value);
  if ((min !== undefined && value < min) || (max !== undefined && value > max))
    throw new Error(`${name} must be ${rangeWords(min, max)}, not ${value}.`);
  return value;
}

function rangeWords(min: number | undefined, max: number | undefined): string {
  if (min === undefined) return `at most ${max}`;
  return max === undefined ? `at least ${min}` : `from ${min} to ${max}`;
}

function checkDate(property: PropertyDefinition, value: unknown): number {
  const at = typeof value === "number" ? value : Date.parse(typeof value === "string" ? value : "");
  if (!Number.isFinite(at)) throw wrong(property, "a date, such as 2026-01-31", value);
  return at;
}

function checkText(property: PropertyDefinition, value: unknown): string {
  if (property.json === true && typeof value === "object") return JSON.stringify(value);
  if (typeof value !== "string") throw wrong(property, "a text", value);
  if (property.choices === undefined) return value;
  const found = property.choices.find((choice) => choice.toLowerCase() === value.toLowerCase());
  if (found !== undefined) return found;
  throw new Error(`${property.name} must be one of ${property.choices.join(", ")}, not "${value}".`);
}

function wrong(property: PropertyDefinition, wanted: string, value: unknown): Error {
  return new Error(`${property.name} must be ${wanted}, not ${JSON.stringify(value) ?? "nothing"}.`);
}

/** A property's value as the viewer reads it. A look is checked before, so other types count as not set. */
export function textOf(look: Look, name: string): string | undefined {
  const value = look[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function numberOf(look: Look, name: string): number | undefined {
  const value = look[name];
  return typeof value === "number" ? value : undefined;
}

export function flagOf(look: Look, name: string): boolean {
  return look[name] === true;
}

export function listOf(look: Look, name: string): readonly string[] {
  const value = look[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** The column that a property names. */
export function chosen(table: Table, look: Look, name: string): Column | undefined {
  const wanted = textOf(look, name);
  return wanted === undefined ? undefined : table.column(wanted);
}

export function chosenList(table: Table, look: Look, name: string): readonly Column[] {
  return listOf(look, name).flatMap((wanted) => table.column(wanted) ?? []);
}

/** The columns that a picture starts with: measures first, as identifiers and years tell little. */
export function numericColumns(table: Table): readonly string[] {
  const numeric = table.columns.filter((column) => column.type === "double" || column.type === "int");
  const telling = numeric.filter((column) => !/(^|[^a-z])(id|key|index|no|row)s?$/i.test(column.name));
  return (telling.length > 0 ? telling : numeric).map((column) => column.name);
}

const FEW = 24;
/** What splits best: enough parts to compare, few enough to tell apart. */
const GOOD = { least: 3, most: 12 } as const;

/** Columns with few different values, that split well; those with a good number of parts first. */
export function categoricalColumns(table: Table): readonly string[] {
  const fit = table.columns
    .filter((column) => column.type === "string" || column.type === "bool")
    .map((column) => ({ name: column.name, count: "categories" in column ? column.categories.length : 2 }))
    .filter(({ count }) => count >= 2 && count <= FEW);
  const isGood = ({ count }: { readonly count: number }): boolean => count >= GOOD.least && count <= GOOD.most;
  return [...fit.filter(isGood), ...fit.filter((column) => !isGood(column))].map(({ name }) => name);
}
