/** What a text, number or null column accepts and returns. */
export type SqlValue = string | number | null;

export interface PreparedStatement {
  run(...values: readonly SqlValue[]): { readonly changes: number | bigint };
  get(...values: readonly SqlValue[]): unknown;
  all(...values: readonly SqlValue[]): unknown[];
  iterate(...values: readonly SqlValue[]): IterableIterator<unknown>;
}

/** The part of Node's `DatabaseSync` that the store uses. */
export interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): PreparedStatement;
  close(): void;
}

export type OpenDatabase = (path: string, options?: { readonly readOnly: boolean }) => SqliteDatabase;

interface SqliteBinding {
  readonly DatabaseSync: new (path: string, options: { readonly readOnly: boolean }) => SqliteDatabase;
}

/** Node's own SQLite if this Node has it (22.13 and later), else the package with the same interface. */
export async function loadSqlite(): Promise<OpenDatabase> {
  const builtin = process.getBuiltinModule("node:sqlite") as SqliteBinding | undefined;
  const { DatabaseSync }: SqliteBinding = builtin ?? (await import("@photostructure/sqlite"));
  return (path, options = { readOnly: false }) => new DatabaseSync(path, options);
}

/** SQLite's primary result code; absent: the error did not come from SQLite (a value that cannot be bound). */
export function primaryCode(error: unknown): number | undefined {
  const code = extendedCode(error);
  return code === undefined ? undefined : code & 0xff;
}

export function extendedCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode;
}

export const SQLITE = {
  error: 1,
  permission: 3,
  busy: 5,
  locked: 6,
  noMemory: 7,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  protocol: 15,
  tooBig: 18,
  constraint: 19,
  mismatch: 20,
  range: 25,
  notADatabase: 26,
  /** Extended codes. */
  shortRead: 522,
  primaryKey: 1_555,
  unique: 2_067,
} as const;
