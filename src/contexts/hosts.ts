/**
 * What document 000's tools need from their page. The workbench is one such page, Datagrok another: the tools, their texts and
 * their checks are the same for both.
 */

/** A property of a viewer, as describe_viewer returns it. */
export interface ViewerProperty {
  readonly name: string;
  /** string, int, double, bool, datetime, bigint, column, column_list, dataframe; or the page's own name for it. */
  readonly type: string;
  /** Absent: the page has none, and the model is told so. */
  readonly description?: string | undefined;
}

/** A viewer that is open now. */
export interface OpenViewerInfo {
  /** `viewer-xxxxxx-xxxxxx-xxxxxx`, the same for as long as the viewer lives. */
  readonly id: string;
  readonly type: string;
  /** Only what was set, without default values. */
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
  /** Number of distinct values of a categorical column. Absent: it is not one. */
  readonly categories?: number | undefined;
}

/** The view of one table. The model reads what it throws as `Error: …`. */
export interface TableViewHost {
  readonly tableName: string;
  columns(): readonly TableColumnInfo[];
  viewerTypes(): readonly string[];
  /** Throws if there is no such type. */
  properties(viewerType: string): readonly ViewerProperty[] | Promise<readonly ViewerProperty[]>;
  viewers(): readonly OpenViewerInfo[];
  /** Returns the id of the new viewer. */
  addViewer(viewerType: string, look: Readonly<Record<string, unknown>>): string | Promise<string>;
  /** False if there is no such viewer. */
  adjustViewer(viewerId: string, look: Readonly<Record<string, unknown>>): boolean | Promise<boolean>;
  /** Those visible now. */
  elements(): readonly UiElement[];
  /** Ids of all elements that can be pointed at, including those not in the page now. Absent: those of `elements`. */
  elementIds?(): readonly string[];
  /** `missing`: it is no longer in the page; `hidden`: it exists but cannot be pointed at. */
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
  /** Absent: unknown. */
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

/** One catalog of a connection. Read at the first tool call. */
export interface DatabaseInfo {
  readonly catalog: string;
  schemas(): Promise<readonly DatabaseSchema[]>;
  /** Only the names, for databases where reading tables is costly. Absent: those of `schemas`. */
  schemaNames?(): Promise<readonly string[]>;
  /** One schema; undefined if there is none. Absent: use `schemas`. */
  schema?(name: string): Promise<DatabaseSchema | undefined>;
  joins(): Promise<readonly DatabaseJoin[]>;
}

export interface SqlAnswer {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
  /** There were more rows. Absent: these are all. */
  readonly truncated?: boolean | undefined;
}

export interface SimilarQuery {
  readonly name: string;
  readonly description?: string | undefined;
  readonly sql: string;
}

export interface SqlConnection {
  readonly id: string;
  /** What a statement would do, found by parsing it. `unknown`: it could not be parsed here, and the database will judge. */
  classify(sql: string): "reads" | "writes" | "unknown" | Promise<"reads" | "writes" | "unknown">;
  /** Asks the person about a statement that writes. Absent: the connection is read-only, so nobody is asked. */
  confirmWrite?(sql: string): Promise<boolean>;
  run(sql: string): Promise<SqlAnswer>;
  /** Ends what `run` waits for. */
  cancel(): void;
  /** Earlier similar queries of this connection, best first. */
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
