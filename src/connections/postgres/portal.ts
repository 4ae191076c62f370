import type { Connection, Submittable } from "pg";
import { Failure, LIMITS } from "../../protocol/index.ts";

export interface ResultField {
  readonly name: string;
  readonly dataTypeID: number;
}

export interface Fetched {
  readonly fields: readonly ResultField[];
  /** As PostgreSQL writes them. */
  readonly rows: readonly (readonly (string | null)[])[];
  readonly truncated: boolean;
}

/** Parts of pg's connection that its types leave out. */
interface PostgresConnection extends Omit<Connection, "execute" | "parse" | "bind" | "describe" | "close"> {
  parse(query: { readonly text: string }): void;
  bind(config: object): void;
  describe(message: { readonly type: "P" }): void;
  execute(config: { readonly rows: number }): void;
  close(message: { readonly type: "P" }): void;
}

/**
 * One statement over the extended protocol, which accepts only one, fetched a few rows at a time: a large result is never held in
 * memory.
 */
export class Portal implements Submittable {
  readonly done: Promise<Fetched>;
  readonly #text: string;
  readonly #maxRows: number;
  readonly #resolve: (fetched: Fetched) => void;
  readonly #reject: (error: unknown) => void;
  readonly #rows: (readonly (string | null)[])[] = [];
  #fields: readonly ResultField[] = [];
  #bytes = 0;
  #received = 0;
  #truncated = false;
  #error: unknown;
  #unwatch: () => void = () => undefined;

  constructor(text: string, maxRows: number) {
    this.#text = text;
    this.#maxRows = maxRows;
    let resolve: (fetched: Fetched) => void = () => undefined;
    let reject: (error: unknown) => void = () => undefined;
    this.done = new Promise<Fetched>((yes, no) => {
      resolve = yes;
      reject = no;
    });
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: Connection): void {
    const wire = connection as unknown as PostgresConnection;
    this.#watch(wire);
    wire.stream.cork();
    wire.parse({ text: this.#text });
    wire.bind({});
    wire.describe({ type: "P" });
    this.#fetch(wire);
    wire.stream.uncork();
  }

  handleRowDescription({ fields }: { readonly fields: readonly ResultField[] }): void {
    this.#fields = fields;
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#truncated) return;
    const size = fields.reduce((sum, field) => sum + (field === null ? 4 : Buffer.byteLength(field) + 3), 2);
    if (this.#rows.length >= this.#maxRows || this.#bytes + size > LIMITS.connectionResultBytes) {
      this.#truncated = true;
      return;
    }
    this.#bytes += size;
    this.#rows.push(fields);
  }

  handlePortalSuspended(connection: Connection): void {
    const wire = connection as unknown as PostgresConnection;
    if (!this.#truncated) {
      this.#fetch(wire);
      return;
    }
    wire.close({ type: "P" });
    wire.sync();
  }

  handleCommandComplete(_message: unknown, connection: Connection): void {
    connection.sync();
  }

  handleEmptyQuery(connection: Connection): void {
    connection.sync();
  }

  handleCopyInResponse(connection: Connection): void {
    connection.sync();
  }

  handleCopyData(): void {
    // The statement returns no rows.
  }

  handleError(error: unknown, connection: Connection): void {
    this.#error ??= error;
    // The connection itself may be closed: then nothing else will arrive.
    if (connection.stream.writable) connection.sync();
    this.#finish();
  }

  handleReadyForQuery(): void {
    this.#finish();
  }

  #fetch(wire: PostgresConnection): void {
    // One more than wanted shows whether there are more.
    wire.execute({ rows: Math.min(LIMITS.connectionBatchRows, this.#maxRows + 1 - this.#rows.length) });
    wire.flush();
  }

  /** A single row can be huge, and the driver would hold all of it. So the connection is cut off when too much arrives. */
  #watch(wire: PostgresConnection): void {
    const { stream } = wire;
    const count = (chunk: Buffer): void => {
      this.#received += chunk.length;
      if (this.#received <= 2 * LIMITS.connectionResultBytes) return;
      this.#truncated = true;
      stream.destroy();
      this.#finish();
    };
    stream.on("data", count);
    this.#unwatch = () => stream.off("data", count);
  }

  #finish(): void {
    this.#unwatch();
    if (this.#error !== undefined && !this.#truncated) this.#reject(this.#error);
    else if (this.#truncated && this.#rows.length === 0)
      this.#reject(
        new Failure("payload_too_large", `one row has more than ${LIMITS.connectionResultBytes} bytes; select less`),
      );
    else this.#resolve({ fields: this.#fields, rows: this.#rows, truncated: this.#truncated });
  }
}
