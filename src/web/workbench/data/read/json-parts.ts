import { ReadError, type JsonChoice } from "./error.ts";

/** What of a JSON document is the table. */
type JsonTable =
  | { readonly kind: "rows"; readonly rows: readonly unknown[] }
  | { readonly kind: "columns"; readonly columns: readonly (readonly [name: string, values: readonly unknown[]])[] };

export interface FoundTable {
  readonly table: JsonTable;
  readonly note?: string | undefined;
}

/** How deep objects are looked into for lists. */
const DEPTH = 4;
const MOST_CHOICES = 20;

type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `part`: the list that a person chose. Throws a ReadError that names the lists where several could be meant. */
export function tableOfJson(whole: unknown, part: string | undefined): FoundTable {
  if (Array.isArray(whole)) return { table: { kind: "rows", rows: whole } };
  if (!isObject(whole)) throw noTable();
  if (part !== undefined) return { table: rowsOfPart(whole, part) };
  const features = featuresOf(whole);
  if (features !== undefined) return { table: { kind: "rows", rows: features } };
  if (whole["type"] === "Topology")
    throw new ReadError("unsupported", "This is TopoJSON, which cannot be read: convert it to GeoJSON or CSV.");
  const own = Object.entries(whole).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
  if (own.length > 0 && own.every(([, values]) => isColumn(values) && values.length === own[0]?.[1].length))
    return columnsOf(whole, own);
  return listsOf(whole);
}

function isColumn(values: readonly unknown[]): boolean {
  return values.length > 0 && !values.some((value) => isObject(value) || Array.isArray(value));
}

/** Lists of the same length beside each other; a raster's values with their places. */
function columnsOf(whole: Json, lists: readonly [string, readonly unknown[]][]): FoundTable {
  const [only] = lists;
  const { width, height } = whole;
  const isRaster =
    lists.length === 1 &&
    typeof width === "number" &&
    typeof height === "number" &&
    width * height === only?.[1].length;
  const places: [string, readonly number[]][] = isRaster
    ? [
        ["x", only[1].map((_, at) => at % width)],
        ["y", only[1].map((_, at) => Math.floor(at / width))],
      ]
    : [];
  const others = Object.keys(whole).filter(
    (name) => !lists.some(([list]) => list === name) && !(isRaster && (name === "width" || name === "height")),
  );
  const note = others.length === 0 ? undefined : `Left out, because they are not lists: ${others.join(", ")}.`;
  return { table: { kind: "columns", columns: [...places, ...lists] }, note };
}

/** The only list beneath it; where there are several, a person chooses. */
function listsOf(whole: Json): FoundTable {
  const choices = choicesOf(whole);
  const [only] = choices;
  if (only === undefined) return { table: { kind: "rows", rows: [whole] } };
  if (choices.length === 1) return { table: rowsOfPart(whole, only.part) };
  throw new ReadError(
    "bad_format",
    `The JSON holds several lists: choose which one is the table (${choices.map(({ part }) => part).join(", ")}).`,
    choices,
  );
}

function choicesOf(whole: Json): readonly JsonChoice[] {
  const found: JsonChoice[] = [];
  const look = (value: Json, path: readonly string[]): void => {
    for (const [name, part] of Object.entries(value)) {
      if (found.length >= MOST_CHOICES) return;
      if (Array.isArray(part)) {
        if (part.length > 0) found.push({ part: [...path, name].join("."), rows: part.length });
      } else if (isObject(part) && path.length + 1 < DEPTH) look(part, [...path, name]);
    }
  };
  look(whole, []);
  return found;
}

function rowsOfPart(whole: Json, part: string): JsonTable {
  const list = atPath(whole, part);
  if (list === undefined) throw new ReadError("bad_format", `The JSON has no list "${part}": choose another.`);
  const isPlain = list.every((value) => !isObject(value) && !Array.isArray(value));
  const name = part.split(".").at(-1) ?? part;
  return isPlain ? { kind: "columns", columns: [[name, list]] } : { kind: "rows", rows: list };
}

/** Names can hold points themselves: every way to cut the path is tried. */
function atPath(value: unknown, part: string): readonly unknown[] | undefined {
  if (!isObject(value)) return undefined;
  const whole = Object.hasOwn(value, part) ? value[part] : undefined;
  if (Array.isArray(whole)) return whole;
  for (let point = part.indexOf("."); point >= 0; point = part.indexOf(".", point + 1)) {
    const name = part.slice(0, point);
    const found = Object.hasOwn(value, name) ? atPath(value[name], part.slice(point + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The rows of GeoJSON: what each feature says of itself, and where it is. Undefined: no GeoJSON. */
function featuresOf(whole: Json): readonly Json[] | undefined {
  const { type, features } = whole;
  if (type === "Feature") return [rowOfFeature(whole)];
  if (type !== "FeatureCollection" || !Array.isArray(features)) return undefined;
  return features.filter(isObject).map(rowOfFeature);
}

function rowOfFeature({ id, properties, geometry }: Json): Json {
  const own = isObject(properties) ? properties : {};
  const free = (name: string): string => (Object.hasOwn(own, name) ? free(`geometry ${name}`) : name);
  const row: Record<string, unknown> = { ...(id === undefined ? {} : { [free("id")]: id }), ...own };
  if (!isObject(geometry)) return row;
  const { type, coordinates } = geometry;
  row[free("geometry")] = type;
  if (type === "Point" && Array.isArray(coordinates)) {
    const [longitude, latitude, altitude] = coordinates as readonly unknown[];
    row[free("longitude")] = longitude;
    row[free("latitude")] = latitude;
    if (altitude !== undefined) row[free("altitude")] = altitude;
  } else row[free("coordinates")] = coordinates ?? geometry["geometries"];
  return row;
}

function noTable(): ReadError {
  return new ReadError(
    "bad_format",
    'The JSON holds no table: it needs a list of objects ([{"a": 1}, …]) or an object of lists ({"a": [1, …]}).',
  );
}
