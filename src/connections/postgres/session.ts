import { connect } from "node:net";
import pg, { escapeIdentifier, type ClientBase } from "pg";
import { Failure, LIMITS } from "../../protocol/index.ts";
import { abortedBy, type Lane } from "../lanes.ts";
import { clientConfig, type DatabaseAddress } from "./address.ts";
import { failureOf } from "./failures.ts";
import { refuseWritable } from "./rights.ts";

export interface PostgresSessionOptions {
  readonly address: DatabaseAddress;
  /** Read on use. Undefined: none is sent. */
  readonly password: () => string | undefined;
  readonly allowWritable: boolean;
  readonly after: (ms: number, callback: () => void) => () => void;
}

export interface Transaction {
  /** Undefined: the login's role. */
  readonly role: string | undefined;
  readonly ms: number;
  readonly signal: AbortSignal;
}

/** Parts of pg's client that its types leave out: what a cancel request must name. */
interface Backend {
  readonly processID: number | null;
  readonly secretKey: number | null;
  readonly connection: { readonly stream: { destroy(): void } };
}

/** One connection to a PostgreSQL server. Each piece of work has its own read-only transaction, which leaves nothing behind. */
export class PostgresSession implements Lane {
  readonly #client: pg.Client;
  readonly #options: PostgresSessionOptions;
  #isDead = false;

  private constructor(client: pg.Client, options: PostgresSessionOptions) {
    this.#client = client;
    this.#options = options;
    client.on("error", () => {
      this.#isDead = true;
    });
    client.on("end", () => {
      this.#isDead = true;
    });
  }

  static async open(options: PostgresSessionOptions, signal: AbortSignal): Promise<PostgresSession> {
    const session = new PostgresSession(new pg.Client(clientConfig(options.address, options.password())), options);
    const abort = (): void => session.#destroy();
    signal.addEventListener("abort", abort, { once: true });
    try {
      await session.#client.connect();
      if (!options.allowWritable) {
        await session.transaction({ role: undefined, ms: LIMITS.connectionOpenMs, signal }, refuseWritable);
      }
      return session;
    } catch (error) {
      session.#destroy();
      throw signal.aborted ? abortedBy(signal) : failureOf(error);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  async transaction<Answer>(
    { role, ms, signal }: Transaction,
    work: (client: ClientBase) => Promise<Answer>,
  ): Promise<Answer> {
    const late = new AbortController();
    const stop = this.#options.after(ms + LIMITS.connectionGraceMs, () => late.abort());
    const either = AbortSignal.any([signal, late.signal]);
    const cancel = (): void => this.#cancel();
    either.addEventListener("abort", cancel, { once: true });
    try {
      if (either.aborted) throw abortedBy(signal);
      await this.#client.query(opening(role, ms));
      return await work(this.#client);
    } catch (error) {
      if (signal.aborted) throw abortedBy(signal);
      if (late.signal.aborted) throw new Failure("timed_out", `the database did not end the statement in ${ms} ms`);
      throw failureOf(error);
    } finally {
      stop();
      either.removeEventListener("abort", cancel);
      // The connection may still be usable after an error; this finds out.
      if (!this.#isDead && !either.aborted) await this.#forget().catch(() => this.#destroy());
      else this.#destroy();
    }
  }

  async close(): Promise<void> {
    if (this.#isDead) {
      this.#destroy();
      return;
    }
    this.#isDead = true;
    const stop = this.#options.after(LIMITS.connectionGraceMs, () => this.#destroy());
    await this.#client.end().catch(() => undefined);
    stop();
  }

  /** Nothing of one caller remains for the next: no transaction, role, setting, lock, temporary table or prepared statement. */
  async #forget(): Promise<void> {
    if (this.#isDead) return;
    await this.#client.query("ROLLBACK");
    await this.#client.query("DISCARD ALL");
  }

  /** Ends the statement in the database, over a separate connection as PostgreSQL requires; this one is given up. */
  #cancel(): void {
    const { processID, secretKey } = this.#client as unknown as Backend;
    const { host, port } = this.#options.address;
    const destroy = (): void => this.#destroy();
    if (processID === null || secretKey === null) {
      destroy();
      return;
    }
    const request = Buffer.alloc(16);
    for (const [index, value] of [16, CANCEL, processID, secretKey].entries()) request.writeInt32BE(value, index * 4);
    const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    socket.setTimeout(LIMITS.connectionGraceMs, () => socket.destroy());
    socket.on("error", destroy);
    // The server closes it when it has forwarded the request.
    socket.on("close", destroy);
    socket.end(request);
    socket.resume();
  }

  #destroy(): void {
    this.#isDead = true;
    (this.#client as unknown as Backend).connection.stream.destroy();
  }
}

/** PostgreSQL's code for a request to cancel. */
const CANCEL = 80_877_102;

/**
 * The start of each transaction. `standard_conforming_strings` because the parser here reads texts that way. If a backslash hid a quote
 * for only one of them, they would read different statements.
 */
function opening(role: string | undefined, ms: number): string {
  return [
    "BEGIN READ ONLY",
    "SET LOCAL standard_conforming_strings = on",
    `SET LOCAL statement_timeout = ${Math.ceil(ms)}`,
    `SET LOCAL lock_timeout = ${LIMITS.connectionLockMs}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${Math.ceil(ms) + LIMITS.connectionGraceMs}`,
    "SET LOCAL datestyle = 'ISO, YMD'",
    "SET LOCAL intervalstyle = 'iso_8601'",
    "SET LOCAL timezone = 'UTC'",
    "SET LOCAL bytea_output = 'hex'",
    "SET LOCAL extra_float_digits = 1",
    ...(role === undefined ? [] : [`SET LOCAL ROLE ${escapeIdentifier(role)}`]),
  ].join("; ");
}
