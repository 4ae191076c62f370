import type { ClientBase } from "pg";
import { Failure, LIMITS, type CatalogView, type SqlClass } from "../../protocol/index.ts";
import type { DatabaseCaller, NamedDatabase, Rows, SqlStatement } from "../database.ts";
import { Lanes, TESTER } from "../lanes.ts";
import { describe } from "./describe.ts";
import type { PostgresParser } from "./parser.ts";
import { Portal, type ResultField } from "./portal.ts";
import { PostgresSession, type PostgresSessionOptions } from "./session.ts";
import { jsonOf } from "./values.ts";

export interface PostgresOptions extends PostgresSessionOptions {
  readonly parser: PostgresParser;
  readonly statementMs: number;
  /** The database role of a principal. Undefined: the login's. Throws if the principal has none. */
  readonly roleOf: (principal: string) => string | undefined;
}

/** A PostgreSQL database. Two independent things keep a statement from writing: PostgreSQL's rights, and our parser. */
export class PostgresDatabase implements NamedDatabase {
  readonly catalog: string;
  readonly #options: PostgresOptions;
  readonly #lanes: Lanes<PostgresSession>;
  /** Type names by their number, as far as they were needed. */
  readonly #types = new Map<number, string>();

  constructor(options: PostgresOptions) {
    this.#options = options;
    this.catalog = options.address.database;
    this.#lanes = new Lanes({ open: (signal) => PostgresSession.open(options, signal), after: options.after });
  }

  test(signal: AbortSignal): Promise<string> {
    return this.#lanes.use({ principal: TESTER, signal }, (session, either) =>
      session.transaction({ role: undefined, ms: LIMITS.connectionOpenMs, signal: either }, async (client) => {
        const { rows } = await client.query<{ server_version: string }>("SHOW server_version");
        return rows[0]?.server_version ?? "";
      }),
    );
  }

  describe(asking: DatabaseCaller): Promise<CatalogView> {
    return this.#transaction(asking, (client) => describe(client, this.catalog));
  }

  classify({ principal }: DatabaseCaller, sql: string): Promise<SqlClass> {
    return this.#options.parser.classify(sql, principal);
  }

  async query(asking: DatabaseCaller, statement: SqlStatement): Promise<Rows> {
    const { does, reason } = await this.#options.parser.classify(statement.sql, asking.principal);
    if (does === "writes") throw new Failure("forbidden", `only reading is allowed here: ${reason}`, { does, reason });
    return this.run(asking, statement);
  }

  /** By PostgreSQL's own rights alone, without the parser. */
  run(asking: DatabaseCaller, { sql, maxRows }: SqlStatement): Promise<Rows> {
    return this.#transaction(asking, async (client) => {
      const portal = new Portal(sql, maxRows);
      client.query(portal);
      const { fields, rows, truncated } = await portal.done;
      await this.#learnTypes(client, fields);
      return {
        columns: fields.map(({ name, dataTypeID }) => ({
          name,
          type: this.#types.get(dataTypeID) ?? `type ${dataTypeID}`,
        })),
        rows: rows.map((row) => row.map((value, index) => jsonOf(value, fields[index]?.dataTypeID ?? 0))),
        row_count: rows.length,
        truncated,
      };
    });
  }

  close(): Promise<void> {
    return this.#lanes.close();
  }

  async #transaction<Answer>(asking: DatabaseCaller, work: (client: ClientBase) => Promise<Answer>): Promise<Answer> {
    const role = this.#options.roleOf(asking.principal);
    return this.#lanes.use(asking, (session, either) =>
      session.transaction({ role, ms: this.#options.statementMs, signal: either }, work),
    );
  }

  async #learnTypes(client: ClientBase, fields: readonly ResultField[]): Promise<void> {
    const unknown = [...new Set(fields.map(({ dataTypeID }) => dataTypeID))].filter((type) => !this.#types.has(type));
    if (unknown.length === 0) return;
    if (this.#types.size > LIMITS.connectionColumns) this.#types.clear();
    // If the answer was cut off with its connection, the rows are still useful.
    const known = await client
      .query<{ type: string; name: string }>(
        "SELECT type::text AS type, pg_catalog.format_type(type, NULL) AS name FROM unnest($1::oid[]) AS type",
        [unknown],
      )
      .catch(() => ({ rows: [] }));
    for (const { type, name } of known.rows) this.#types.set(Number(type), name);
  }
}
