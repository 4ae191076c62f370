/**
 * What document 000's tools need of the page that they work in. The workbench is one such page, Datagrok another: the tools, their
 * texts and their checks are the same for both.
 */

/** A property of a viewer, as describe_viewer tells it. */
export interface ViewerProperty {
  readonly name: string;
  /** string, int, double, bool, datetime, bigint, column, column_list, dataframe; or what the page calls it. */
  readonly type: string;
  /** Absent: the page has none, and the model is told so. */
  readonly description?: string | undefined;
}

/** A viewer that is open now. */
export interface OpenViewerInfo {
  /** `viewer-xxxxxx-xxxxxx-xxxxxx`, the same for as long as the viewer lives. */
  readonly id: string;
  readonly type: string;
  /** Only what was set; what has its default value is not in it. */
  readonly look: Readonly<Record<string, unknown>>;
}

export interface UiElement {
  readonly id: string;
  readonly description: string;
}

export interface TableColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly semType?: string | undefined;
  readonly units?: string | undefined;
  /** How many different values it has, where it is a column of categories. Absent: it is none. */
  readonly categories?: number | undefined;
}

/** The view of one table. Whatever it throws, the model reads as `Error: …`. */
export interface TableViewHost {
  readonly tableName: string;
  columns(): readonly TableColumnInfo[];
  viewerTypes(): readonly string[];
  /** Throws where there is no such type. */
  properties(viewerType: string): readonly ViewerProperty[] | Promise<readonly ViewerProperty[]>;
  viewers(): readonly OpenViewerInfo[];
  /** Answers the id of the new viewer. */
  addViewer(viewerType: string, look: Readonly<Record<string, unknown>>): string | Promise<string>;
  /** False where there is no such viewer. */
  adjustViewer(viewerId: string, look: Readonly<Record<string, unknown>>): boolean | Promise<boolean>;
  /** Those that are to be seen now. */
  elements(): readonly UiElement[];
  /** Ids of all elements that can be pointed at, also of those that are not in the page now. Absent: those of `elements`. */
  elementIds?(): readonly string[];
  /** `missing`: it is not in the page any more; `hidden`: it is there but cannot be pointed at. */
  highlight(
    elementId: string,
    description: string,
  ): "shown" | "missing" | "hidden" | Promise<"shown" | "missing" | "hidden">;
}

export interface DatabaseColumn {
  readonly name: string;
  readonly type: string;
  readonly comment?: string | undefined;
  readonly llmComment?: string | undefined;
  readonly isUnique?: boolean | undefined;
  readonly min?: string | number | undefined;
  readonly max?: string | number | undefined;
  readonly values?: readonly string[] | undefined;
  readonly uniqueCount?: number | undefined;
}

export interface DatabaseTable {
  readonly name: string;
  readonly comment?: string | undefined;
  readonly llmComment?: string | undefined;
  /** Absent: not known. */
  readonly rowCount?: number | undefined;
  readonly columns: readonly DatabaseColumn[];
}

/** A foreign key. */
export interface DatabaseJoin {
  readonly fromSchema: string;
  readonly fromTable: string;
  readonly fromColumns: readonly string[];
  readonly toSchema: string;
  readonly toTable: string;
  readonly toColumns: readonly string[];
  readonly cardinality?: string | undefined;
  readonly legacy?: boolean | undefined;
  readonly comment?: string | undefined;
}

export interface DatabaseSchema {
  readonly name: string;
  readonly tables: readonly DatabaseTable[];
}

/** One catalog of a connection. Read when the first tool asks for it. */
export interface DatabaseInfo {
  readonly catalog: string;
  schemas(): Promise<readonly DatabaseSchema[]>;
  /** The names alone, for databases where tables are costly to read. Absent: those of `schemas`. */
  schemaNames?(): Promise<readonly string[]>;
  /** One schema alone; undefined where there is none. Absent: `schemas` is asked. */
  schema?(name: string): Promise<DatabaseSchema | undefined>;
  joins(): Promise<readonly DatabaseJoin[]>;
}

export interface SqlAnswer {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
  /** There were more rows than these. Absent: these are all. */
  readonly truncated?: boolean | undefined;
}

export interface SimilarQuery {
  readonly name: string;
  readonly description?: string | undefined;
  readonly sql: string;
}

export interface SqlConnection {
  readonly id: string;
  /** What a statement would do, by parsing it. `unknown`: it could not be parsed here, and the database will judge. */
  classify(sql: string): "reads" | "writes" | "unknown" | Promise<"reads" | "writes" | "unknown">;
  /** Asks the person about a statement that writes. Absent: the connection only reads, so nobody is asked. */
  confirmWrite?(sql: string): Promise<boolean>;
  run(sql: string): Promise<SqlAnswer>;
  /** Ends what `run` waits for. */
  cancel(): void;
  /** Earlier queries of this connection that are about the same, best first. */
  similarQueries(prompt: string): readonly SimilarQuery[] | Promise<readonly SimilarQuery[]>;
}

export interface DocumentationHit {
  readonly source: string;
  /** 0 to 1. */
  readonly score: number;
  readonly text: string;
}

export interface ScriptSample {
  readonly name: string;
  readonly description?: string | undefined;
  readonly language: string;
  readonly code: string;
}

export interface ScriptHost {
  /** Absent: this page has no documentation to search. */
  searchDocumentation?(
    query: string,
    maxResults: number,
  ): readonly DocumentationHit[] | Promise<readonly DocumentationHit[]>;
  /** Absent: no sources to search. */
  searchApi?(query: string, maxResults: number): readonly DocumentationHit[] | Promise<readonly DocumentationHit[]>;
  samples(description: string): readonly ScriptSample[] | Promise<readonly ScriptSample[]>;
  /** The objects that scripts may name, by their first word, such as `grok`. */
  readonly names: Readonly<Record<string, unknown>>;
}
