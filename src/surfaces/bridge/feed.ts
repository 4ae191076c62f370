import type { ThreadRow } from "../../protocol/index.ts";
import type { SocketConnection } from "../connection.ts";

const encoder = new TextEncoder();

/**
 * The rows of all threads on their way to one client. Rows do not name their thread, so a switch to another thread
 * begins with a `thread.started` that does.
 */
export class RowFeed {
  readonly #connection: SocketConnection;
  /** The thread that the client expects rows of. */
  #thread: string | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(connection: SocketConnection) {
    this.#connection = connection;
  }

  /** Sends rows without mixing them with another thread's; resolves when there is room for more. */
  tell(thread_id: string, rows: readonly ThreadRow[]): Promise<void> {
    if (rows.length === 0) return Promise.resolve();
    this.#turn = this.#turn.then(() => this.#send(thread_id, rows));
    return this.#turn;
  }

  async #send(thread_id: string, rows: readonly ThreadRow[]): Promise<void> {
    const named = rows[0]?.type === "thread.started" || this.#thread === thread_id;
    this.#thread = thread_id;
    const all: readonly ThreadRow[] = named ? rows : [{ type: "thread.started", thread_id }, ...rows];
    await this.#connection.push(all.map((row) => ({ bytes: encoder.encode(JSON.stringify(row)) })));
  }
}
