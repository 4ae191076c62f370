import type {
  DatabaseColumn,
  DatabaseInfo,
  DatabaseJoin,
  DatabaseSchema,
  DatabaseTable,
  SqlAnswer,
  SqlConnection,
} from "./hosts.ts";
import { TEST_ROWS, testedSql } from "./sql-limit.ts";

const REFUSED = "SQL Execution Not allowed by User: Destructive commands are not allowed. Please revise the query.";
const READ_ONLY =
  "SQL was not executed: this connection only reads, and the statement would change data. Please revise the query so that it only reads.";
const ADVICE = "This query failed to execute. Please revise the SQL based on the schema information.";
/** Lengths of a table's comment, a column's values and one value, and the number of earlier queries. */
const COMMENT_CHARS = 400;
const TOLD_VALUES = 15;
const VALUE_CHARS = 50;
const SIMILAR_QUERIES = 4;
/** Characters of the sample rows of a tested query; the first row is always complete. */
const SAMPLE_CHARS = 4_000;

interface TableRef {
  readonly catalog: string;
  readonly schema: string;
  readonly table: string;
}

export interface TablesOfSchema {
  readonly description: string;
  readonly tableCount: number;
}

/** Document 000's tools over one database connection. */
export class SQLGenerationContext {
  readonly connectionId: string;
  readonly #defaultCatalog: string;
  readonly #databases: readonly DatabaseInfo[];
  readonly #connection: SqlConnection;

  // Four parameters: the document's own signature.
  constructor(
    connectionId: string,
    defaultCatalog: string,
    databases: readonly DatabaseInfo[],
    connection: SqlConnection,
  ) {
    this.connectionId = connectionId;
    this.#defaultCatalog = defaultCatalog;
    this.#databases = databases;
    this.#connection = connection;
  }

  listCatalogs(): readonly string[] {
    return this.#databases.map(({ catalog }) => catalog);
  }

  /** Throws where there is no such catalog. Absent: the default one. */
  async listAllSchemas(catalogName?: string): Promise<readonly string[]> {
    const database = this.#database(catalogName);
    return (await database.schemaNames?.()) ?? (await database.schemas()).map(({ name }) => name);
  }

  async listTables(withDescriptions: boolean, schemaName: string, catalogName?: string): Promise<TablesOfSchema> {
    const database = this.#database(catalogName);
    const schema = await schemaNamed(database, schemaName);
    if (schema === undefined)
      return { description: `Schema ${schemaName} not found in catalog ${database.catalog}.`, tableCount: 0 };
    const lines = schema.tables.map((table) => tableLines(table, withDescriptions));
    return { description: `Tables in ${schemaName}:\n\n${lines.join("\n")}`, tableCount: lines.length };
  }

  async describeTables(tables: readonly string[]): Promise<string> {
    const read = new Map<string, DatabaseSchema | undefined>();
    const descriptions: string[] = [];
    for (const { catalog, schema, table } of tables.map((name) => this.#tableRef(name))) {
      const key = keyOf(catalog, schema);
      const database = this.#find(catalog);
      if (!read.has(key)) read.set(key, database && (await schemaNamed(database, schema)));
      const found = read.get(key);
      const described = found?.tables.find(({ name }) => name === table);
      if (found === undefined) descriptions.push(`Schema ${schema} not found in catalog ${catalog}`);
      else if (described === undefined) descriptions.push(`Table ${table} not found in ${schema}`);
      else descriptions.push(tableDescription(described));
    }
    return descriptions.join("\n\n---\n\n");
  }

  async listJoins(tables: readonly string[]): Promise<string> {
    const refs = tables.map((name) => this.#tableRef(name));
    const lines: string[] = [];
    for (const catalog of new Set(refs.map((ref) => ref.catalog))) {
      const asked = new Set(refs.filter((ref) => ref.catalog === catalog).map((ref) => keyOf(ref.schema, ref.table)));
      for (const join of await this.#database(catalog).joins()) {
        if (asked.has(keyOf(join.fromSchema, join.fromTable)) || asked.has(keyOf(join.toSchema, join.toTable)))
          lines.push(joinDescription(join));
      }
    }
    const names = tables.join(", ");
    if (lines.length === 0) return `No foreign key relationships found for tables: ${names}`;
    return `Foreign key relationships involving ${names}:\n\n${lines.join("\n")}`;
  }

  /** Runs a query to test it. One that writes runs only if the person agrees. */
  async trySql(sql: string, _description: string): Promise<string> {
    try {
      const isWrite = (await this.#connection.classify(sql)) === "writes";
      if (isWrite && this.#connection.confirmWrite === undefined) return READ_ONLY;
      if (isWrite && (await this.#connection.confirmWrite?.(sql)) !== true) return REFUSED;
      const tested = testedSql(sql);
      const answer = await this.#connection.run(tested.sql);
      const { columns } = answer;
      return [
        "Query executed successfully!",
        countLine(answer, tested.limit),
        `Columns (${columns.length}): ${columns.map(({ name, type }) => `${name} (${type})`).join(", ")}`,
        ...sampleLines(answer),
      ].join("\n");
    } catch (error) {
      return `SQL Error: ${error instanceof Error ? error.message : String(error)}\n\n${ADVICE}`;
    }
  }

  async findSimilarQueries(prompt: string): Promise<string> {
    const found = (await this.#connection.similarQueries(prompt)).slice(0, SIMILAR_QUERIES);
    if (found.length === 0) return "No similar queries found for this connection";
    const parts = found.map(({ name, description, sql }) => {
      const about = description === undefined || description === "" ? "" : `Description: ${description}\n`;
      return `**${name}**\n${about}\`\`\`sql\n${sql}\n\`\`\`\n\n`;
    });
    return `Found ${found.length} similar queries:\n\n${parts.join("")}`;
  }

  /** Ends the query that trySql waits for. */
  cancel(): void {
    this.#connection.cancel();
  }

  #find(catalog: string): DatabaseInfo | undefined {
    return this.#databases.find((database) => database.catalog === catalog);
  }

  #database(catalogName: string | undefined): DatabaseInfo {
    const catalog = catalogName === undefined || catalogName === "" ? this.#defaultCatalog : catalogName;
    const found = this.#find(catalog);
    if (found !== undefined) return found;
    throw new Error(`Catalog '${catalog}' not found. Available catalogs: ${this.listCatalogs().join(", ")}`);
  }

  /** `catalog.schema.table`, where the table's name may contain dots; `schema.table`; `table`, without a schema. */
  #tableRef(name: string): TableRef {
    const [first = "", second, ...rest] = name.split(".");
    if (second === undefined) return { catalog: this.#defaultCatalog, schema: "", table: first };
    if (rest.length === 0) return { catalog: this.#defaultCatalog, schema: first, table: second };
    return { catalog: first, schema: second, table: rest.join(".") };
  }
}

/** `limit`: the one that the test added; one row more than reported. */
function countLine({ rows, truncated }: SqlAnswer, limit: number | undefined): string {
  if (limit !== undefined && rows.length >= limit)
    return `Row count: more than ${limit - 1}. The test reads only the first ${limit - 1} rows: use count(*) to count all.`;
  if (truncated === true) return `Row count: more than ${rows.length}. Use count(*) to count all.`;
  return `Row count: ${rows.length}`;
}

/** The first rows, as many as a short text holds. */
function sampleLines({ columns, rows }: SqlAnswer): readonly string[] {
  const texts = rows
    .slice(0, TEST_ROWS)
    .map((row) => columns.map(({ name }, index) => `${name}=${valueText(row[index])}`).join(", "));
  const [first] = texts;
  if (first === undefined) return [];
  if (texts.length === 1) return [`Sample row: ${first}`];
  let left = SAMPLE_CHARS;
  const shown = texts.filter((text, index) => {
    left -= text.length;
    return index === 0 || left >= 0;
  });
  return [`Sample rows (first ${shown.length}):`, ...shown.map((text, index) => `${index + 1}. ${text}`)];
}

async function schemaNamed(database: DatabaseInfo, name: string): Promise<DatabaseSchema | undefined> {
  if (database.schema !== undefined) return database.schema(name);
  return (await database.schemas()).find((schema) => schema.name === name);
}

function keyOf(outer: string, name: string): string {
  return JSON.stringify([outer, name]);
}

function tableLines(
  { name, columns, rowCount, llmComment, comment }: DatabaseTable,
  withDescriptions: boolean,
): string {
  const lines = [name, `  Columns: ${columns.length}, Rows: ${rowCount ?? "unknown"}`];
  if (withDescriptions) {
    if (llmComment) lines.push(`  LLM Comment: ${llmComment.slice(0, COMMENT_CHARS)}`);
    else if (comment) lines.push(`  Description: ${comment.slice(0, COMMENT_CHARS)}`);
  }
  return lines.join("\n");
}

function tableDescription({ name, rowCount, comment, llmComment, columns }: DatabaseTable): string {
  return [
    `TABLE: ${name} (${rowCount ?? "unknown number of"} rows)`,
    ...(comment ? [`Comment: ${comment}`] : []),
    ...(llmComment ? [`LLM Comment: ${llmComment}`] : []),
    "Columns:",
    ...columns.map(columnLine),
  ].join("\n");
}

function columnLine({ name, type, isUnique, comment, llmComment, ...more }: DatabaseColumn): string {
  const { min, max, values = [], uniqueCount } = more;
  const about = llmComment || comment;
  const parts = [
    `  ${name} (${type})`,
    isUnique === true ? "[UNIQUE]" : "",
    about ? `- ${about}` : "",
    min === undefined || max === undefined ? "" : `Range: ${min} to ${max}`,
    values.length === 0
      ? ""
      : `Values: ${values.slice(0, TOLD_VALUES).join(", ")}${values.length > TOLD_VALUES ? ", ..." : ""}`,
    uniqueCount === undefined ? "" : `Unique Values Count: ${uniqueCount}`,
  ];
  return parts.filter((part) => part !== "").join(" ");
}

function joinDescription(join: DatabaseJoin): string {
  const from = `${join.fromSchema}.${join.fromTable}(${join.fromColumns.join(", ")})`;
  const to = `${join.toSchema}.${join.toTable}(${join.toColumns.join(", ")})`;
  const parts = [
    `${from} -> ${to}`,
    join.cardinality ? `[${join.cardinality}]` : "",
    join.legacy === true ? "[LEGACY - prefer other paths if available]" : "",
    join.comment ? `- ${join.comment}` : "",
  ];
  return parts.filter((part) => part !== "").join(" ");
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  try {
    const text = wordsOf(value);
    if (text === undefined) return "NON-STRINGIFIABLE-VALUE";
    return text.length > VALUE_CHARS ? `'${text.slice(0, VALUE_CHARS - 3)}...'` : `'${text}'`;
  } catch {
    return "NON-STRINGIFIABLE-VALUE";
  }
}

/** Undefined: it has no text form. */
function wordsOf(value: unknown): string | undefined {
  if (value instanceof Date) return value.toISOString();
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "boolean":
    case "bigint":
      return String(value);
    default:
      return JSON.stringify(value);
  }
}
