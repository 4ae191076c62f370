import type * as DG from "datagrok-api/dg";

/** A column, as much of it as the package uses. */
export class Column implements Pick<DG.Column, "name" | "type" | "semType" | "isCategorical" | "categories" | "get"> {
  readonly name: string;
  readonly type: DG.COLUMN_TYPE;
  semType = "";
  readonly meta: Pick<DG.Column["meta"], "units"> = { units: null };
  readonly #values: readonly unknown[];

  constructor(name: string, type: `${DG.COLUMN_TYPE}`, values: readonly unknown[]) {
    this.name = name;
    this.type = type as DG.COLUMN_TYPE;
    this.#values = values;
  }

  get isCategorical(): boolean {
    return this.type === ("string" as DG.COLUMN_TYPE);
  }

  get categories(): string[] {
    return [...new Set(this.#values.map(String))];
  }

  get(row: number): unknown {
    return this.#values[row];
  }
}

export class DataFrame implements Pick<DG.DataFrame, "name" | "rowCount" | "getTag" | "setTag"> {
  name = "table";
  readonly rowCount: number;
  readonly columns: { toList(): Column[]; readonly length: number };
  readonly #tags = new Map<string, string>();

  constructor(columns: readonly Column[], rowCount: number) {
    this.rowCount = rowCount;
    this.columns = { toList: () => [...columns], length: columns.length };
  }

  getTag(tag: string): string | null {
    return this.#tags.get(tag) ?? null;
  }

  setTag(tag: string, value: string): DG.DataFrame {
    this.#tags.set(tag, value);
    return this as unknown as DG.DataFrame;
  }

  /** The results of the package's tests come this way: the stand-in keeps them as they are. */
  static fromObjects(list: object[]): object[] {
    return list;
  }
}

/** `grok.data.testData("demog", …)`. */
export function demog(rows: number): DataFrame {
  const each = <Value>(value: (row: number) => Value): Value[] => Array.from({ length: rows }, (_, row) => value(row));
  const weight = new Column(
    "WEIGHT",
    "double",
    each((row) => 60 + (row % 40)),
  );
  weight.meta.units = "kg";
  const columns = [
    new Column(
      "USUBJID",
      "string",
      each((row) => `X${row}`),
    ),
    new Column(
      "AGE",
      "int",
      each((row) => 20 + (row % 60)),
    ),
    new Column(
      "SEX",
      "string",
      each((row) => (row % 2 === 0 ? "F" : "M")),
    ),
    weight,
  ];
  const table = new DataFrame(columns, rows);
  table.name = "demog";
  return table;
}

const TYPES =
  "Histogram,Bar chart,Box plot,Calendar,Correlation plot,Density plot,Filters,Form,Grid,Google map,Heat map,Line chart,Shape Map,Markup,Matrix plot,Network diagram,PC Plot,Pie chart,Scatter plot,3d scatter plot,Statistics,Tile Viewer,Tree map,Trellis plot,Word cloud,Pivot table";

export class Viewer implements Pick<DG.Viewer, "type" | "getOptions" | "setOptions"> {
  static readonly CORE_VIEWER_TYPES: typeof DG.Viewer.CORE_VIEWER_TYPES = TYPES.split(",");
  readonly tags = new Map<string, string>();
  readonly type: string;
  readonly #look: Record<string, unknown>;

  constructor(type: string, look: object = {}) {
    this.type = type;
    this.#look = { ...look };
  }

  static fromType(type: string, _table: DataFrame): Viewer {
    if (!Viewer.CORE_VIEWER_TYPES.includes(type)) throw new Error(`Unknown viewer type: ${type}`);
    return new Viewer(type);
  }

  static getViewerTypes(_options?: Parameters<typeof DG.Viewer.getViewerTypes>[0]): string[] {
    return [...Viewer.CORE_VIEWER_TYPES, "Radar"];
  }

  getOptions(): { id: string; type: string; look: Record<string, unknown> } {
    return { id: "1", type: this.type, look: { ...this.#look } };
  }

  setOptions(look: Parameters<DG.Viewer["setOptions"]>[0]): void {
    Object.assign(this.#look, look);
  }

  getProperties(): Pick<DG.Property, "name" | "type" | "description">[] {
    const text = "string" as DG.TYPE;
    return [
      { name: "rowSource", type: text, description: "Which rows are shown" },
      { name: "filter", type: text, description: "" },
      { name: "table", type: text, description: "" },
      { name: "valueColumnName", type: text, description: "A numerical column" },
      { name: "bins", type: "int" as DG.TYPE, description: "" },
    ];
  }
}
