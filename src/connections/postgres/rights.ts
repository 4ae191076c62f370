import { escapeIdentifier, type ClientBase } from "pg";
import { Failure } from "../../protocol/index.ts";

/**
 * What the login, or a role that it can assume, may do beyond reading. In this order: server rights, built-in roles that do more
 * than read, tables and columns, sequences, schemas, the database.
 */
const WRITABLE = `
WITH mine AS MATERIALIZED (
  SELECT oid, rolname, rolsuper, rolcreaterole, rolcreatedb, rolreplication
  FROM pg_catalog.pg_roles WHERE pg_catalog.pg_has_role(session_user, oid, 'MEMBER')
), relations AS MATERIALIZED (
  SELECT c.oid, c.relname, c.relkind, n.nspname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'
)
(SELECT 'attribute' AS kind, rolname AS role, concat_ws(' ', CASE WHEN rolsuper THEN 'NOSUPERUSER' END, CASE WHEN rolcreaterole THEN 'NOCREATEROLE' END,
   CASE WHEN rolcreatedb THEN 'NOCREATEDB' END, CASE WHEN rolreplication THEN 'NOREPLICATION' END) AS object, '' AS schema
 FROM mine WHERE rolname = session_user AND (rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication))
UNION ALL
(SELECT 'attribute', rolname, 'NOSUPERUSER', '' FROM mine WHERE rolname <> session_user AND rolsuper
   AND NOT (SELECT rolsuper FROM mine WHERE rolname = session_user) LIMIT 3)
UNION ALL
(SELECT 'member', session_user, rolname, '' FROM mine
 WHERE NOT (SELECT rolsuper FROM mine WHERE rolname = session_user) AND rolname IN
   ('pg_write_all_data', 'pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program', 'pg_signal_backend',
    'pg_signal_autovacuum_worker', 'pg_checkpoint', 'pg_maintain', 'pg_create_subscription', 'pg_database_owner') LIMIT 10)
UNION ALL
(SELECT 'table', mine.rolname, r.relname, r.nspname FROM mine, relations r WHERE NOT mine.rolsuper AND mine.rolname !~ '^pg_'
   AND r.relkind IN ('r', 'p', 'v', 'f') AND (pg_catalog.has_table_privilege(mine.oid, r.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
     OR pg_catalog.has_any_column_privilege(mine.oid, r.oid, 'INSERT, UPDATE')) LIMIT 3)
UNION ALL
(SELECT 'sequence', mine.rolname, r.relname, r.nspname FROM mine, relations r WHERE NOT mine.rolsuper AND mine.rolname !~ '^pg_'
   AND CASE WHEN r.relkind = 'S' THEN pg_catalog.has_sequence_privilege(mine.oid, r.oid, 'USAGE, UPDATE') END LIMIT 3)
UNION ALL
(SELECT 'schema', mine.rolname, n.nspname, '' FROM mine, pg_catalog.pg_namespace n WHERE NOT mine.rolsuper AND mine.rolname !~ '^pg_'
   AND n.nspname !~ '^pg_(toast|temp)' AND pg_catalog.has_schema_privilege(mine.oid, n.oid, 'CREATE') LIMIT 3)
UNION ALL
(SELECT 'database', mine.rolname, current_database(), '' FROM mine WHERE NOT mine.rolsuper AND mine.rolname !~ '^pg_'
   AND pg_catalog.has_database_privilege(mine.oid, current_database(), 'CREATE') LIMIT 3)`;

interface Right {
  readonly kind: "attribute" | "member" | "table" | "sequence" | "schema" | "database";
  readonly role: string;
  readonly object: string;
  readonly schema: string;
}

/** Throws if the login may write: its rights are the first of the two protections. */
export async function refuseWritable(client: ClientBase): Promise<void> {
  const { rows } = await client.query<Right>(WRITABLE);
  if (rows.length === 0) return;
  const { rows: names } = await client.query<{ login: string; database: string }>(
    "SELECT session_user AS login, current_database() AS database",
  );
  const { login = "", database = "" } = names[0] ?? {};
  const remedies = [...new Set(rows.map(remedyOf))];
  throw new Failure(
    "connection_failed",
    [
      `the database role ${login} may write (${[...new Set(rows.map(wordsOf))].join("; ")}), and only a role that cannot is used. Take it from the role:`,
      ...remedies,
      "or make a role that can only read, and use that:",
      ...recipe(database),
      "With allow_writable_role: true it is used all the same; that is weaker.",
    ].join("\n"),
    { remedies, recipe: recipe(database) },
  );
}

function wordsOf({ kind, role, object, schema }: Right): string {
  switch (kind) {
    case "attribute":
      return `${role} should be ${object}`;
    case "member":
      return `it is a member of ${object}`;
    case "table":
      return `${role} may change ${schema}.${object}`;
    case "sequence":
      return `${role} may advance ${schema}.${object}`;
    case "schema":
      return `${role} may create in the schema ${object}`;
    case "database":
      return `${role} may create in the database ${object}`;
  }
}

function remedyOf({ kind, role, object, schema }: Right): string {
  const name = escapeIdentifier;
  switch (kind) {
    case "attribute":
      return `ALTER ROLE ${name(role)} ${object};`;
    case "member":
      return `REVOKE ${name(object)} FROM ${name(role)};`;
    case "table":
      return `REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA ${name(schema)} FROM ${name(role)}, PUBLIC;`;
    case "sequence":
      return `REVOKE USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA ${name(schema)} FROM ${name(role)}, PUBLIC;`;
    case "schema":
      return `REVOKE CREATE ON SCHEMA ${name(object)} FROM ${name(role)}, PUBLIC;`;
    case "database":
      return `REVOKE CREATE ON DATABASE ${name(object)} FROM ${name(role)}, PUBLIC;`;
  }
}

function recipe(database: string): readonly string[] {
  return [
    "CREATE ROLE sallyport_reader LOGIN PASSWORD '…' NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION;",
    "ALTER ROLE sallyport_reader SET default_transaction_read_only = on;",
    `GRANT CONNECT ON DATABASE ${escapeIdentifier(database)} TO sallyport_reader;`,
    "GRANT USAGE ON SCHEMA public TO sallyport_reader;",
    "GRANT SELECT ON ALL TABLES IN SCHEMA public TO sallyport_reader;",
  ];
}
