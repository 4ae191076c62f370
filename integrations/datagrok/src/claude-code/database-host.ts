import * as DG from "datagrok-api/dg";
import * as grok from "datagrok-api/grok";
import * as ui from "datagrok-api/ui";
import {
  classifySql,
  SQLGenerationContext,
  withoutLeadingComments,
  type DatabaseColumn,
  type DatabaseInfo,
  type DatabaseJoin,
  type DatabaseSchema,
  type DatabaseTable,
  type SimilarQuery,
  type SqlAnswer,
  type SqlConnection,
} from "sallyport/contexts";

/** How alike an earlier query must be, 0 to 1, and how many are looked at. */
const SIMILARITY = 0.3;
const CANDIDATES = 10;
/** How long a person has to agree, ms: less than the agent waits, so that nothing is run after it was given up. */
const CONFIRM_MS = 25_000;

/** The tools' view of a connection. Rejects with `Connection with ID … not found`. */
export async function databaseContext(connectionId: string): Promise<SQLGenerationContext> {
  const connection = await findConnection(connectionId);
  const databases = (await grok.data.db.getInfo(connection)).map(databaseInfo);
  const { catalog, db } = (connection.parameters ?? {}) as Readonly<Record<string, unknown>>;
  const wanted = [catalog, db].find((name) => databases.some((database) => database.catalog === name));
  const defaultCatalog = typeof wanted === "string" ? wanted : (databases[0]?.catalog ?? "");
  return new SQLGenerationContext(connectionId, defaultCatalog, databases, new DatagrokConnection(connection));
}

async function findConnection(id: string): Promise<DG.DataConnection> {
  const missing = `Connection with ID ${id} not found`;
  const found: DG.DataConnection | null | undefined = await grok.dapi.connections.find(id).catch((cause: unknown) => {
    throw new Error(missing, { cause });
  });
  if (found === null || found === undefined) throw new Error(missing);
  return found;
}

function databaseInfo(info: DG.DbInfo): DatabaseInfo {
  let reading: Promise<DG.DbSchemaInfo[]> | undefined;
  const read = (): Promise<DG.DbSchemaInfo[]> => (reading ??= info.getSchemas());
  return {
    catalog: info.name,
    schemaNames: async () => (await read()).map(({ name }) => name),
    schema: async (name) => {
      const schema = (await read()).find((candidate) => candidate.name === name);
      return schema && schemaOf(schema);
    },
    schemas: async () => Promise.all((await read()).map(schemaOf)),
    joins: async () => (await info.getRelations()).map(joinOf),
  };
}

async function schemaOf(schema: DG.DbSchemaInfo): Promise<DatabaseSchema> {
  return { name: schema.name, tables: (await schema.getTables()).map(tableOf) };
}

type Tags = Readonly<Record<string, unknown>>;

function tableOf(table: DG.TableInfo): DatabaseTable {
  const tags: Tags = table.tags ?? {};
  return {
    name: table.friendlyName || table.name,
    comment: textOf(tags["comment"]),
    llmComment: textOf(tags["llmComment"]),
    rowCount: numberOf(tags["rowCount"]),
    columns: table.columns.map(columnOf),
  };
}

function columnOf(column: DG.ColumnInfo): DatabaseColumn {
  const tags: Tags = column.tags ?? {};
  return {
    name: column.name,
    type: column.type,
    comment: textOf(tags["comment"]),
    llmComment: textOf(tags["llmComment"]),
    isUnique: tags["isUnique"] === true || tags["isUnique"] === "true",
    min: numberOf(tags["min"]),
    max: numberOf(tags["max"]),
    values: listOf(tags["values"]) ?? listOf(tags["sampleValues"]),
    uniqueCount: numberOf(tags["uniqueCount"]),
  };
}

function joinOf(relation: DG.DbRelationInfo): DatabaseJoin {
  return {
    fromSchema: relation.fromSchema ?? "",
    fromTable: relation.fromTable ?? "",
    fromColumns: relation.fromColumns ?? ["Unknown Column"],
    toSchema: relation.toSchema ?? "",
    toTable: relation.toTable ?? "",
    toColumns: relation.toColumns ?? ["Unknown Column"],
    cardinality: relation.cardinality,
    legacy: relation.isPrimaryPath === false,
    comment: relation.llmComment || relation.comment,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Tags may hold numbers as texts. */
function numberOf(value: unknown): number | undefined {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** Tags may hold lists as JSON. */
function listOf(value: unknown): readonly string[] | undefined {
  let list = value;
  if (typeof value === "string" && value.startsWith("[")) {
    try {
      list = JSON.parse(value) as unknown;
    } catch {
      return undefined;
    }
  }
  return Array.isArray(list) && list.length > 0 ? list.map(String) : undefined;
}

class DatagrokConnection implements SqlConnection {
  readonly id: string;
  readonly #connection: DG.DataConnection;
  #running: DG.FuncCall | undefined;

  constructor(connection: DG.DataConnection) {
    this.id = connection.id;
    this.#connection = connection;
  }

  /** The platform has connectors to many databases and a parser of none: what is not surely a query is asked about. */
  classify(sql: string): "reads" | "writes" {
    return classifySql(sql);
  }

  confirmWrite(sql: string): Promise<boolean> {
    return new Promise((resolve) => {
      const dialog = ui
        .dialog("Confirm SQL Execution")
        .add(ui.divText("Claude wants to run SQL that may change the database. Run it?"))
        .add(ui.divText(sql, { style: { whiteSpace: "pre-wrap", fontFamily: "monospace" } }))
        .onOK(() => end(true))
        .onCancel(() => end(false));
      const timer = setTimeout(() => {
        end(false);
        dialog.close();
      }, CONFIRM_MS);
      // Closed by its cross. The answer of a button comes first.
      const closed = dialog.onClose.subscribe(() => setTimeout(() => end(false)));
      const end = (agrees: boolean): void => {
        clearTimeout(timer);
        closed.unsubscribe();
        resolve(agrees);
      };
      dialog.show();
    });
  }

  async run(sql: string): Promise<SqlAnswer> {
    const name = "sallyport-test-query";
    // The platform reads comments at the top as the query's settings, inputs among them.
    const call = this.#connection.query(name, `--name: ${name}\n${withoutLeadingComments(sql)}`).prepare({});
    this.#running = call;
    try {
      await call.call(false, undefined, { processed: true, report: false });
      const table = call.getOutputParamValue() as DG.DataFrame | null | undefined;
      if (table === null || table === undefined) throw new Error("No data returned");
      return answerOf(table);
    } finally {
      if (this.#running === call) this.#running = undefined;
    }
  }

  cancel(): void {
    // A call that has ended meanwhile needs no end.
    this.#running?.cancel().catch(() => undefined);
  }

  async similarQueries(prompt: string): Promise<readonly SimilarQuery[]> {
    const found = await grok.ai.searchEntities(prompt, SIMILARITY, CANDIDATES, ["DataQuery"]);
    return found
      .filter((entity) => entity instanceof DG.DataQuery)
      .filter((query) => query.connection?.id === this.id)
      .map(({ name, description, query }) => ({ name, description, sql: query }));
  }
}

/** As many as the tool tells. */
const TOLD_ROWS = 10;

function answerOf(table: DG.DataFrame): SqlAnswer {
  const columns = table.columns.toList();
  return {
    columns: columns.map(({ name, type }) => ({ name, type })),
    // Only the first rows are told; the others are counted.
    rows: Array.from({ length: table.rowCount }, (_, row) =>
      row < TOLD_ROWS ? columns.map((column) => valueOf(column.get(row))) : [],
    ),
  };
}

/** The platform's own values for what is missing. */
function valueOf(value: unknown): unknown {
  return value === "" || value === DG.INT_NULL || value === DG.FLOAT_NULL ? null : value;
}
