import { LIMITS, type ThreadMapping, type ThreadRow } from "../../protocol/index.ts";
import type { SocketConnection } from "../connection.ts";

const encoder = new TextEncoder();

/** Rows of one thread. */
interface RowBatch {
  readonly thread_id: string;
  readonly rows: readonly ThreadRow[];
  readonly mapping: ThreadMapping;
}

/**
 * The rows of all threads on their way to one client. Rows do not name their thread, so a switch to another thread begins with a
 * row that does. In `rich` that is `thread.started`, which also begins each prompt. Otherwise it is sent once a thread, as apps open
 * a new thread with it; later `thread.resumed` names it again, where it must.
 */
export class RowFeed {
  readonly #connection: SocketConnection;
  /** The thread that the client expects rows of. */
  #thread: string | undefined;
  /** Threads that the client was told of, the longest idle one first. */
  readonly #named = new Set<string>();
  #turn: Promise<void> = Promise.resolve();

  constructor(connection: SocketConnection) {
    this.#connection = connection;
  }

  /** Sends rows without mixing them with another thread's; resolves when there is room for more. */
  tell(batch: RowBatch): Promise<void> {
    if (batch.rows.length === 0) return Promise.resolve();
    this.#turn = this.#turn.then(() => this.#send(batch));
    return this.#turn;
  }

  async #send({ thread_id, rows, mapping }: RowBatch): Promise<void> {
    const all = mapping === "rich" ? this.#often(thread_id, rows) : this.#once(thread_id, rows);
    this.#thread = thread_id;
    this.#name(thread_id);
    await this.#connection.push(all.map((row) => ({ bytes: encoder.encode(JSON.stringify(row)) })));
  }

  #often(thread_id: string, rows: readonly ThreadRow[]): readonly ThreadRow[] {
    const named = rows[0]?.type === "thread.started" || this.#thread === thread_id;
    return named ? rows : [{ type: "thread.started", thread_id }, ...rows];
  }

  #once(thread_id: string, rows: readonly ThreadRow[]): readonly ThreadRow[] {
    const rest = rows.filter(({ type }) => type !== "thread.started");
    if (!this.#named.has(thread_id)) return [{ type: "thread.started", thread_id }, ...rest];
    return this.#thread === thread_id || rest.length === 0 ? rest : [{ type: "thread.resumed", thread_id }, ...rest];
  }

  #name(thread_id: string): void {
    this.#named.delete(thread_id);
    this.#named.add(thread_id);
    const [oldest] = this.#named;
    if (oldest !== undefined && this.#named.size > LIMITS.bridgeNamedThreads) this.#named.delete(oldest);
  }
}
