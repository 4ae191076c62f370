import {
  BrowserToolExecutor,
  ScriptGenerationContext,
  SQLGenerationContext,
  TableViewContext,
  type BrowserToolExecutorOptions,
  type DatabaseInfo,
  type OpenViewerInfo,
  type ScriptHost,
  type SqlConnection,
  type TableViewHost,
} from "../../src/contexts/index.ts";

/** A page that keeps what it was told, for tests. */
export class TablePage implements TableViewHost {
  readonly tableName = "demog";
  readonly open: OpenViewerInfo[] = [];
  readonly pointedAt: string[] = [];
  highlighted: "shown" | "missing" | "hidden" = "shown";

  columns() {
    return [
      { name: "AGE", type: "int" },
      { name: "SEX", type: "string", categories: 2 },
      { name: "WEIGHT", type: "double", units: "kg" },
      { name: "SMILES", type: "string", semType: "Molecule", units: "smiles", categories: 90 },
    ];
  }

  viewerTypes() {
    return ["Histogram", "Scatter plot"];
  }

  properties(viewerType: string) {
    if (!this.viewerTypes().includes(viewerType)) throw new Error(`there is no viewer ${viewerType}`);
    return [
      { name: "rowSource", type: "string" },
      { name: "filter", type: "string" },
      { name: "table", type: "string" },
      { name: "valueColumnName", type: "string", description: "A numerical column" },
      { name: "bins", type: "int", description: "" },
      { name: "showRangeInputs", type: "bool" },
    ];
  }

  viewers() {
    return this.open;
  }

  addViewer(type: string, look: Readonly<Record<string, unknown>>) {
    const id = `viewer-00000${this.open.length}-aaaaaa-bbbbbb`;
    this.open.push({ id, type, look });
    return id;
  }

  adjustViewer(id: string, look: Readonly<Record<string, unknown>>) {
    const index = this.open.findIndex((viewer) => viewer.id === id);
    const viewer = this.open[index];
    if (viewer === undefined) return false;
    this.open[index] = { ...viewer, look: { ...viewer.look, ...look } };
    return true;
  }

  elements() {
    return [
      { id: "Toggle filters button", description: "Shows or hides the filters" },
      { id: "Edit top menu", description: "The menu" },
    ];
  }

  highlight(id: string) {
    this.pointedAt.push(id);
    return this.highlighted;
  }
}

const shop: DatabaseInfo = {
  catalog: "shop",
  schemas: async () => [
    {
      name: "public",
      tables: [
        {
          name: "orders",
          comment: "All orders",
          llmComment: "One row is one order",
          rowCount: 1200,
          columns: [
            { name: "id", type: "int", isUnique: true, comment: "key", min: 1, max: 1200 },
            {
              name: "state",
              type: "text",
              comment: "not told",
              llmComment: "where it stands",
              values: Array.from({ length: 16 }, (_, index) => `s${index}`),
              uniqueCount: 16,
            },
            { name: "note", type: "text", values: ["a", "b"] },
          ],
        },
        { name: "parts.old", columns: [{ name: "id", type: "int" }] },
      ],
    },
    { name: "empty", tables: [] },
  ],
  joins: async () => [
    {
      fromSchema: "public",
      fromTable: "orders",
      fromColumns: ["customer", "region"],
      toSchema: "crm",
      toTable: "customers",
      toColumns: ["id", "region"],
      cardinality: "many-to-one",
      legacy: true,
      comment: "who ordered",
    },
    {
      fromSchema: "public",
      fromTable: "lines",
      fromColumns: ["order_id"],
      toSchema: "public",
      toTable: "orders",
      toColumns: ["id"],
    },
    { fromSchema: "a", fromTable: "b", fromColumns: ["c"], toSchema: "d", toTable: "e", toColumns: ["f"] },
  ],
};

/** One that would rather not read everything. */
const archive: DatabaseInfo = {
  catalog: "archive",
  schemas: () => Promise.reject(new Error("too many tables")),
  schemaNames: async () => ["public"],
  schema: async (name) =>
    name === "public" ? { name, tables: [{ name: "orders", rowCount: 0, columns: [] }] } : undefined,
  joins: async () => [],
};

/** A database that keeps what it was asked. */
export class Database implements SqlConnection {
  readonly id = "c1";
  readonly ran: string[] = [];
  readonly asked: string[] = [];
  kind: "reads" | "writes" | "unknown" = "reads";
  agrees = false;
  cancelled = 0;
  answer: () => Awaited<ReturnType<SqlConnection["run"]>> = () => ({ columns: [], rows: [] });

  classify() {
    return this.kind;
  }

  async confirmWrite(sql: string) {
    this.asked.push(sql);
    return this.agrees;
  }

  async run(sql: string) {
    this.ran.push(sql);
    return this.answer();
  }

  cancel() {
    this.cancelled += 1;
  }

  similarQueries(prompt: string) {
    if (prompt === "nothing") return [];
    return Array.from({ length: 6 }, (_, index) => ({
      name: `q${index}`,
      ...(index === 0 ? { description: "The first" } : {}),
      sql: `select ${index}`,
    }));
  }
}

export function sqlContext(connection: SqlConnection = new Database()): SQLGenerationContext {
  return new SQLGenerationContext("c1", "shop", [shop, archive], connection);
}

export function scriptHost(more: Partial<ScriptHost> = {}): ScriptHost {
  return { names: {}, samples: () => [], ...more };
}

export function executorOf(options: Partial<BrowserToolExecutorOptions> = {}): BrowserToolExecutor {
  return new BrowserToolExecutor({
    tableView: new TableViewContext(new TablePage()),
    sql: async () => sqlContext(),
    script: () => new ScriptGenerationContext(scriptHost()),
    ...options,
  });
}
