import { Failure, LIMITS, type ConnectionConfig, type Redactor } from "../protocol/index.ts";
import { passwordOf, type CredentialEnvironment } from "./credential.ts";
import type { NamedDatabase } from "./database.ts";
import { addressOf } from "./postgres/address.ts";
import { PostgresParser } from "./postgres/parser.ts";
import { SqliteFile } from "./sqlite/database.ts";

/** A connection with the password from its address, which is neither stored nor shown. */
export interface StartedConnection {
  readonly id: string;
  readonly config: ConnectionConfig;
  /** Absent: none, or the one that the config names. */
  readonly password?: string | undefined;
}

export interface ConnectionBookOptions {
  /** Those given on the server's command line. */
  readonly started: readonly StartedConnection[];
  readonly environment: CredentialEnvironment;
  /** Where the files with passwords are. Absolute. */
  readonly credentials: string;
  /** The server's own folders, of which nothing is read. Real. */
  readonly hidden: readonly string[];
  readonly redact: Pick<Redactor, "learn">;
  readonly after: (ms: number, callback: () => void) => () => void;
}

interface OpenDatabaseEntry {
  /** What it was made from, to detect changes. */
  readonly from: string;
  readonly database: Promise<NamedDatabase>;
}

/** The configured databases, opened on first use and closed when their settings change. */
export class ConnectionBook {
  readonly started: readonly StartedConnection[];
  readonly #options: ConnectionBookOptions;
  readonly #opened = new Map<string, OpenDatabaseEntry>();
  readonly #closing = new Set<Promise<void>>();
  readonly #parser: PostgresParser;
  #isClosed = false;

  constructor(options: ConnectionBookOptions) {
    this.#options = options;
    this.started = options.started;
    this.#parser = new PostgresParser(options);
    for (const { password } of options.started) if (password !== undefined) options.redact.learn(password);
  }

  /** The database of a connection with these settings. */
  database(id: string, config: ConnectionConfig): Promise<NamedDatabase> {
    if (this.#isClosed) throw new Failure("shutting_down", "the server stops");
    const from = JSON.stringify(config);
    const known = this.#opened.get(id);
    if (known?.from === from) return known.database;
    this.forget(id);
    const database = this.#open(id, config);
    this.#opened.set(id, { from, database });
    return database;
  }

  /** Ends the queries that run on it. */
  forget(id: string): void {
    const known = this.#opened.get(id);
    if (known === undefined) return;
    this.#opened.delete(id);
    const closing = known.database
      .then((database) => database.close())
      .catch(() => undefined)
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const id of this.#opened.keys()) this.forget(id);
    await Promise.all([...this.#closing, this.#parser.close()]);
  }

  async #open(id: string, config: ConnectionConfig): Promise<NamedDatabase> {
    const { after, hidden } = this.#options;
    const statementMs = config.statement_timeout_ms ?? LIMITS.connectionQueryMs;
    if (config.kind === "sqlite") return new SqliteFile({ path: config.path, statementMs, hidden, after });
    // Loaded on first use: a driver takes time to load, and most servers have no PostgreSQL.
    const { PostgresDatabase } = await import("./postgres/database.ts");
    const given = this.started.find((connection) => connection.id === id)?.password;
    return new PostgresDatabase({
      address: addressOf(config.url),
      password: () => given ?? this.#password(config),
      allowWritable: config.allow_writable_role ?? false,
      roleOf: (principal) => roleOf(config, principal),
      statementMs,
      parser: this.#parser,
      after,
    });
  }

  #password(config: Extract<ConnectionConfig, { readonly kind: "postgres" }>): string | undefined {
    const { environment, credentials, redact } = this.#options;
    return passwordOf(config, { environment, folder: credentials, learn: (secret) => redact.learn(secret) });
  }
}

/** If tokens have their own database roles, a token without one gets the login's role only if the settings say so. */
function roleOf(
  config: Extract<ConnectionConfig, { readonly kind: "postgres" }>,
  principal: string,
): string | undefined {
  const { db_role, db_roles } = config;
  if (db_roles === undefined) return db_role;
  const own = Object.hasOwn(db_roles, principal) ? db_roles[principal] : undefined;
  const role = own ?? db_role;
  if (role === undefined)
    throw new Failure(
      "forbidden",
      "this connection has no database role for you; an admin gives you one with db_roles",
    );
  return role;
}

export function catalogOf(config: ConnectionConfig): string {
  return config.kind === "sqlite" ? "main" : addressOf(config.url).database;
}
