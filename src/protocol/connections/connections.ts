import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { PrincipalRef, Role } from "../access/principals.ts";

export const ConnectionKind = z.enum(["postgres", "sqlite"]);
export type ConnectionKind = z.infer<typeof ConnectionKind>;

export const ConnectionId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, "is not an id: letters, digits, _ and -, at most 64");

/** A database as shown to everybody who may use it. */
export const ConnectionView = z.object({
  id: z.string(),
  name: z.string(),
  kind: ConnectionKind,
  /** `main` of an SQLite file; the name of a PostgreSQL database. */
  default_catalog: z.string(),
});
export type ConnectionView = z.infer<typeof ConnectionView>;

/**
 * Anybody with an admin's token can set a connection, so the secrets that it may name are restricted. Otherwise an admin could
 * make the server send one of its keys to the admin's own database.
 */
const CREDENTIAL_VARIABLE = /^(?:PGPASSWORD|SALLYPORT_CONNECTION_[A-Z0-9_]{1,150})$/;
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const SSL_MODES: ReadonlySet<string> = new Set(["disable", "require", "verify-full"]);
const POSTGRES_PARAMETERS: ReadonlySet<string> = new Set(["host", "sslmode"]);

/** Absent: it is valid. Never repeats the text: it may contain a password. */
export function postgresUrlProblem(text: string): string | undefined {
  if (!/^postgres(?:ql)?:\/\//.test(text) || !URL.canParse(text))
    return "must be an address such as postgres://reader@db.example.org/sales";
  const url = new URL(text);
  if (url.password !== "") return "must hold no password; use credential_env or credential_file";
  if (url.username === "") return "must name a user, such as postgres://reader@db.example.org/sales";
  if (url.pathname.length < 2) return "must end with the name of a database";
  if (url.hash !== "") return "must hold no #; write it as %23";
  for (const [name, value] of url.searchParams) {
    if (!POSTGRES_PARAMETERS.has(name)) return "may have only ?sslmode= and ?host=";
    if (name === "sslmode" && !SSL_MODES.has(value))
      return `must have one of these for sslmode: ${[...SSL_MODES].join(", ")}`;
    if (name === "host" && !value.startsWith("/"))
      return "must have the folder of a socket for ?host=, such as /run/postgresql";
  }
  return url.hostname === "" && !url.searchParams.has("host") ? "must name a host" : undefined;
}

const PostgresUrl = z
  .string()
  .max(2_000)
  .superRefine((text, context) => {
    const message = postgresUrlProblem(text);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

/** PostgreSQL's limit for names. */
const DatabaseRole = z.string().min(1).max(63);

const Shared = z.object({
  /** Shown to people. Absent: the id. */
  name: z.string().min(1).max(200).optional(),
  /** Which roles may use it. Absent: admin and operator. */
  roles: z.array(Role).min(1).max(Role.options.length).optional(),
  /** The ids of the only tokens that may use it, which also need one of `roles`. Absent: all of these roles. */
  principals: z.array(z.string().min(1).max(100)).min(1).max(LIMITS.connectionPrincipals).optional(),
  /** How long one statement may take. Absent: LIMITS.connectionQueryMs. */
  statement_timeout_ms: z.number().int().min(1).max(LIMITS.connectionQueryMaxMs).optional(),
  /** The most rows of one answer. Absent: LIMITS.connectionRows. */
  max_rows: z.number().int().min(1).max(LIMITS.connectionRowsMax).optional(),
});

const SqliteConnection = Shared.extend({
  kind: z.literal("sqlite"),
  /** A regular file, absolute. It is opened for reading only. */
  path: z.string().min(1).max(LIMITS.pathChars).startsWith("/", "must be an absolute path"),
}).strict();

const PostgresConnection = Shared.extend({
  kind: z.literal("postgres"),
  /** `postgres://user@host:port/database`, with `?sslmode=` and, for a socket, `?host=/folder` instead of the host. Never contains a password. */
  url: PostgresUrl,
  /** An environment variable of the server with the password. Without it and credential_file, no password is sent. */
  credential_env: z
    .string()
    .regex(
      CREDENTIAL_VARIABLE,
      "must be PGPASSWORD or begin with SALLYPORT_CONNECTION_; the password itself does not belong here",
    )
    .optional(),
  /** A file of mode 600 or 400 in the folder `connections` of the home folder; its first line is the password. */
  credential_file: z
    .string()
    .regex(FILE_NAME, "must be the name of a file in the folder connections of the home folder")
    .optional(),
  /** The database role that statements run as. Absent: the login's. */
  db_role: DatabaseRole.optional(),
  /** By token id. A token that is not listed gets `db_role`; without one it is refused. */
  db_roles: z.record(z.string().min(1).max(100), DatabaseRole).optional(),
  /** True: a role that may write is accepted. Weaker: then only the read-only transaction and the parser prevent writes. */
  allow_writable_role: z.boolean().optional(),
})
  .strict()
  .superRefine((setting, context) => {
    if (setting.credential_env !== undefined && setting.credential_file !== undefined)
      context.addIssue({ code: "custom", path: ["credential_file"], message: "does not go with credential_env" });
    if (Object.keys(setting.db_roles ?? {}).length > LIMITS.connectionPrincipals)
      context.addIssue({
        code: "custom",
        path: ["db_roles"],
        message: `holds more than ${LIMITS.connectionPrincipals} tokens`,
      });
  });

/** What an admin sets. */
export const ConnectionConfig = z.discriminatedUnion("kind", [SqliteConnection, PostgresConnection]);
export type ConnectionConfig = z.infer<typeof ConnectionConfig>;

/** A connection as its admin sees it. Says where a password is, never contains one. */
export const ConnectionRecord = z.object({
  id: ConnectionId,
  config: ConnectionConfig,
  /** `start`: it was given on the server's command line, and is changed there. */
  source: z.enum(["store", "start"]),
  updated_at: z.string(),
  updated_by: PrincipalRef,
});
export type ConnectionRecord = z.infer<typeof ConnectionRecord>;

/** A database's answer to a connection test. */
export const ConnectionReport = z.object({
  id: z.string(),
  status: z.enum(["ok", "failed"]),
  /** For people; says what to do when it is not `ok`. */
  message: z.string(),
  server_version: z.string().optional(),
  latency_ms: z.number().int().optional(),
});
export type ConnectionReport = z.infer<typeof ConnectionReport>;

export const CatalogList = z.object({ catalogs: z.array(z.string()) });
export type CatalogList = z.infer<typeof CatalogList>;

const Bound = z.union([z.string(), z.number()]);

export const CatalogColumn = z.object({
  name: z.string(),
  /** As the database writes it. */
  type: z.string(),
  comment: z.string().optional(),
  /** True: no two rows have the same value. Absent: unknown. */
  is_unique: z.boolean().optional(),
  /** The following four come from the database's own statistics or from a small table: useful, not exact. Absent: unknown. */
  min: Bound.optional(),
  max: Bound.optional(),
  values: z.array(z.string()).optional(),
  unique_count: z.number().int().optional(),
});
export type CatalogColumn = z.infer<typeof CatalogColumn>;

export const CatalogTable = z.object({
  name: z.string(),
  comment: z.string().optional(),
  /** An estimate if the database has one; absent: unknown. */
  row_count: z.number().int().optional(),
  columns: z.array(CatalogColumn),
});
export type CatalogTable = z.infer<typeof CatalogTable>;

/** A foreign key. */
export const CatalogJoin = z.object({
  from_schema: z.string(),
  from_table: z.string(),
  from_columns: z.array(z.string()),
  to_schema: z.string(),
  to_table: z.string(),
  to_columns: z.array(z.string()),
  /** `many-to-one` or `one-to-one`. */
  cardinality: z.string().optional(),
  comment: z.string().optional(),
});
export type CatalogJoin = z.infer<typeof CatalogJoin>;

/** What this caller may read in a database. */
export const CatalogView = z.object({
  catalog: z.string(),
  schemas: z.array(z.object({ name: z.string(), tables: z.array(CatalogTable) })),
  joins: z.array(CatalogJoin),
  /** True: there is more than listed. */
  truncated: z.boolean(),
});
export type CatalogView = z.infer<typeof CatalogView>;

const Sql = z.string().min(1).max(LIMITS.connectionSqlChars);

export const ClassifySql = z.object({ sql: Sql }).strict();
export type ClassifySql = z.infer<typeof ClassifySql>;

/** What a statement would do, found by parsing it. `writes`: everything that a connection here does not run. */
export const SqlClass = z.object({
  does: z.enum(["reads", "writes"]),
  /** Why it does not run. */
  reason: z.string().optional(),
});
export type SqlClass = z.infer<typeof SqlClass>;

export const QuerySql = z
  .object({
    sql: Sql,
    /** Absent, or more than the connection allows: the connection's maximum. */
    max_rows: z.number().int().min(1).max(LIMITS.connectionRowsMax).optional(),
  })
  .strict();
export type QuerySql = z.infer<typeof QuerySql>;

/**
 * Values are JSON. Integers that JavaScript cannot hold and decimals of more than 15 digits are texts, times are ISO 8601, bytes are
 * `\x` and hexadecimal digits, JSON and arrays stay as they are.
 */
export const QueryAnswer = z.object({
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  rows: z.array(z.array(z.unknown())),
  row_count: z.number().int(),
  /** True: there were more rows. */
  truncated: z.boolean(),
  elapsed_ms: z.number().int(),
});
export type QueryAnswer = z.infer<typeof QueryAnswer>;
