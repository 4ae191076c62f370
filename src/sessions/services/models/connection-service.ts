import { z } from "zod";
import { catalogOf, type ConnectionBook } from "../../../connections/index.ts";
import { may } from "../../../gate/index.ts";
import {
  ConnectionRecord,
  Failure,
  LIMITS,
  SYSTEM,
  type CatalogList,
  type CatalogView,
  type ConnectionConfig,
  type ConnectionReport,
  type ConnectionView,
  type PrincipalRef,
  type QueryAnswer,
  type QuerySql,
  type Role,
  type SqlClass,
} from "../../../protocol/index.ts";
import { auditRow, authorize, type Caller } from "../../access/access.ts";
import type { Dependencies } from "../../dependencies.ts";

const DOCUMENT = "connections";
const Records = z.array(ConnectionRecord);
const DEFAULT_ROLES: readonly Role[] = ["admin", "operator"];

interface ConnectionServices extends Pick<Dependencies, "store" | "clock" | "newId" | "redact"> {
  readonly connections: ConnectionBook;
}

type OpenedDatabase = Awaited<ReturnType<ConnectionBook["database"]>>;

/** Databases that an admin lets people read. All settings are one document: its versions are their history. */
export class ConnectionService {
  readonly #dependencies: ConnectionServices;
  readonly #started: readonly ConnectionRecord[];
  #records: Promise<readonly ConnectionRecord[]> | undefined;
  /** Resolves when the last change has ended, so that each change starts from the one before. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(dependencies: ConnectionServices) {
    this.#dependencies = dependencies;
    const updated_at = this.#now();
    this.#started = dependencies.connections.started.map(({ id, config }) => ({
      id,
      config,
      source: "start" as const,
      updated_at,
      updated_by: SYSTEM,
    }));
  }

  /** Those that the caller may use, by name. */
  async list(caller: Caller): Promise<readonly ConnectionView[]> {
    authorize(caller, "connection.use");
    const records = await this.#all();
    return records
      .filter((record) => isFor(record, caller))
      .map(viewOf)
      .toSorted(byName);
  }

  async get(caller: Caller, id: string): Promise<ConnectionRecord> {
    authorize(caller, "connection.write");
    return this.#find(id);
  }

  /** Creates it, or replaces the one with this id. Queries that run on the old one are ended. */
  async put(caller: Caller, id: string, config: ConnectionConfig): Promise<ConnectionRecord> {
    authorize(caller, "connection.write");
    this.#refuseStarted(id);
    const clean = JSON.parse(this.#dependencies.redact(JSON.stringify(config))) as ConnectionConfig;
    const record: ConnectionRecord = {
      id,
      config: clean,
      source: "store",
      updated_at: this.#now(),
      updated_by: refOf(caller),
    };
    const { name, kind } = viewOf(record);
    await this.#change(caller, { action: "connection.set", id, details: { name, kind, config: clean } }, (records) => {
      const others = records.filter((known) => known.id !== id);
      if (others.length >= LIMITS.connections)
        throw new Failure("limit_reached", `there can be ${LIMITS.connections} connections; delete one first`);
      return [...others, record];
    });
    return record;
  }

  async remove(caller: Caller, id: string): Promise<void> {
    authorize(caller, "connection.write");
    this.#refuseStarted(id);
    await this.#change(caller, { action: "connection.delete", id }, (records) => {
      const others = records.filter((known) => known.id !== id);
      if (others.length === records.length) throw missing(id);
      return others;
    });
  }

  /** Whether it can be reached, accepts its password, and has a role that cannot write. */
  async test(caller: Caller, id: string, signal: AbortSignal): Promise<ConnectionReport> {
    authorize(caller, "connection.write");
    const record = await this.#find(id);
    const began = this.#dependencies.clock.now();
    const report = await this.#database(record)
      .then((database) => database.test(signal))
      .then(
        (server_version): ConnectionReport => ({
          id,
          status: "ok",
          message: verdictOf(record.config),
          server_version,
        }),
        (error: unknown): ConnectionReport => ({ id, status: "failed", message: this.#failure(error).message }),
      );
    const { status, message } = report;
    await this.#dependencies.store.commit({
      audit: [
        auditRow(this.#dependencies, caller, { action: "connection.test", target: id, details: { status, message } }),
      ],
    });
    return { ...report, latency_ms: this.#since(began) };
  }

  async catalogs(caller: Caller, id: string): Promise<CatalogList> {
    const record = await this.#usable(caller, id);
    return { catalogs: [catalogOf(record.config)] };
  }

  /** What the caller may read in it. */
  async catalog(
    caller: Caller,
    id: string,
    request: { readonly name: string; readonly signal: AbortSignal },
  ): Promise<CatalogView> {
    const record = await this.#usable(caller, id);
    const { name, signal } = request;
    const catalog = catalogOf(record.config);
    if (name !== catalog) throw new Failure("not_found", `Catalog '${name}' not found. Available catalogs: ${catalog}`);
    return this.#ask(record, (database) => database.describe({ principal: caller.id, signal }));
  }

  async classify(
    caller: Caller,
    id: string,
    request: { readonly sql: string; readonly signal: AbortSignal },
  ): Promise<SqlClass> {
    const record = await this.#usable(caller, id);
    const { sql, signal } = request;
    return this.#ask(record, (database) => database.classify({ principal: caller.id, signal }, sql));
  }

  /** Runs one read-only statement. The audit log records who ran what, and the outcome. */
  async query(caller: Caller, id: string, request: QuerySql & { readonly signal: AbortSignal }): Promise<QueryAnswer> {
    const record = await this.#usable(caller, id);
    const { sql, signal, max_rows } = request;
    const most = record.config.max_rows ?? LIMITS.connectionRows;
    const maxRows = Math.min(max_rows ?? most, most);
    const began = this.#dependencies.clock.now();
    try {
      const asking = { principal: caller.id, signal };
      const rows = await this.#ask(record, (database) => database.query(asking, { sql, maxRows }));
      const elapsed_ms = this.#since(began);
      const { row_count, truncated } = rows;
      await this.#told(caller, record, { sql, outcome: "ok", rows: row_count, truncated, elapsed_ms });
      return { ...rows, elapsed_ms };
    } catch (error) {
      const { code, message } = this.#failure(error);
      await this.#told(caller, record, { sql, outcome: code, message, elapsed_ms: this.#since(began) });
      throw error;
    }
  }

  async #told(
    caller: Caller,
    { id }: ConnectionRecord,
    audited: { readonly sql: string; readonly [fact: string]: unknown },
  ): Promise<void> {
    // Redacted before it is cut: half a secret is a secret too.
    const sql = this.#dependencies.redact(audited.sql).slice(0, LIMITS.connectionAuditChars);
    const details = { ...audited, sql };
    await this.#dependencies.store.commit({
      audit: [auditRow(this.#dependencies, caller, { action: "connection.query", target: id, details })],
    });
  }

  async #ask<Answer>(record: ConnectionRecord, work: (database: OpenedDatabase) => Promise<Answer>): Promise<Answer> {
    try {
      return await work(await this.#database(record));
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /**
   * Databases repeat what they were sent and computed, so their messages are redacted and cut. Anything but a Failure is a bug, and
   * rethrown.
   */
  #failure(error: unknown): Failure {
    if (!(error instanceof Failure)) throw error;
    const words = (text: string): string => this.#dependencies.redact(text).slice(0, LIMITS.connectionMessageChars);
    const details =
      error.details === undefined
        ? undefined
        : (JSON.parse(JSON.stringify(error.details), (_key, value: unknown) =>
            typeof value === "string" ? words(value) : value,
          ) as unknown);
    return new Failure(error.code, words(error.message), details);
  }

  /** For callers that may not use it, it does not exist; an admin learns why. */
  async #usable(caller: Caller, id: string): Promise<ConnectionRecord> {
    authorize(caller, "connection.use");
    const record = (await this.#all()).find((known) => known.id === id);
    if (record !== undefined && isFor(record, caller)) return record;
    if (record !== undefined && may(caller.role, "connection.write") !== "no")
      throw new Failure("forbidden", `the connection ${id} is not for you: its roles or principals do not name you`);
    throw missing(id);
  }

  async #find(id: string): Promise<ConnectionRecord> {
    const record = (await this.#all()).find((known) => known.id === id);
    if (record === undefined) throw missing(id);
    return record;
  }

  async #database({ id, config }: ConnectionRecord): Promise<OpenedDatabase> {
    return this.#dependencies.connections.database(id, config);
  }

  #refuseStarted(id: string): void {
    if (this.#started.some((known) => known.id === id))
      throw new Failure("conflict", `the connection ${id} was named when the server was started; change it there`);
  }

  async #change(
    caller: Caller,
    audited: { readonly action: string; readonly id: string; readonly details?: unknown },
    change: (records: readonly ConnectionRecord[]) => readonly ConnectionRecord[],
  ): Promise<void> {
    const changed = this.#changing.then(async () => {
      const records = change(await this.#stored());
      const { action, id, details } = audited;
      await this.#dependencies.store.commit({
        documents: [
          {
            name: DOCUMENT,
            at: this.#now(),
            by: refOf(caller),
            body: JSON.stringify(records),
            keep: LIMITS.documentVersions,
          },
        ],
        audit: [auditRow(this.#dependencies, caller, { action, target: id, details })],
      });
      this.#records = Promise.resolve(records);
      this.#dependencies.connections.forget(id);
    });
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  async #all(): Promise<readonly ConnectionRecord[]> {
    const stored = await this.#stored();
    // Connections from the command line come first.
    return [...this.#started, ...stored.filter(({ id }) => !this.#started.some((known) => known.id === id))];
  }

  #stored(): Promise<readonly ConnectionRecord[]> {
    this.#records ??= this.#read();
    this.#records.catch(() => {
      this.#records = undefined;
    });
    return this.#records;
  }

  async #read(): Promise<readonly ConnectionRecord[]> {
    const [newest] = await this.#dependencies.store.read.documents({ name: DOCUMENT, limit: 1 });
    return newest === undefined ? [] : Records.parse(JSON.parse(newest.body));
  }

  #now(): string {
    return new Date(this.#dependencies.clock.now()).toISOString();
  }

  #since(began: number): number {
    return Math.max(0, Math.round(this.#dependencies.clock.now() - began));
  }
}

function isFor({ config }: ConnectionRecord, caller: Caller): boolean {
  const { roles = DEFAULT_ROLES, principals } = config;
  return roles.includes(caller.role) && (principals === undefined || principals.includes(caller.id));
}

function viewOf({ id, config }: ConnectionRecord): ConnectionView {
  return { id, name: config.name ?? id, kind: config.kind, default_catalog: catalogOf(config) };
}

function verdictOf(config: ConnectionConfig): string {
  return config.kind === "postgres" && config.allow_writable_role === true
    ? "it answers; whether its role may write was not checked (allow_writable_role)"
    : "it answers, and cannot be written";
}

function missing(id: string): Failure {
  return new Failure("not_found", `there is no connection ${id}`);
}

function refOf({ id, name, role }: Caller): PrincipalRef {
  return { id, name, role };
}

function byName(one: ConnectionView, other: ConnectionView): number {
  return one.name.localeCompare(other.name, "en") || (one.id < other.id ? -1 : 1);
}
