import { WebSocket } from "ws";
import { openThread, threadRows, type ThreadMapping } from "../../src/protocol/index.ts";
import type { TestApp } from "../support/app.ts";

export type Row = Record<string, unknown> & { readonly type: string };

/** What a row `approval.requested` asks. */
export interface AskedRow {
  readonly id: string;
  readonly input_hash: string;
  readonly tool: string;
  /** Absent: it is too long for a row. */
  readonly input?: Readonly<Record<string, unknown>>;
}

/** A client of document 002's bridge: sends controls, remembers every row. */
export class BridgeClient {
  readonly socket: WebSocket;
  readonly rows: Row[] = [];
  readonly #opened: Promise<void>;
  #taken = 0;
  #changed: () => void = () => undefined;

  constructor(
    app: { readonly serving: { readonly url: string; readonly token: string } },
    options: { readonly token?: string; readonly query?: string } = {},
  ) {
    const { token = app.serving.token, query = "replay=off" } = options;
    this.socket = new WebSocket(`${app.serving.url.replace("http", "ws")}/bridge?token=${token}&${query}`);
    this.socket.on("message", (data: Buffer) => {
      this.rows.push(JSON.parse(data.toString()) as Row);
      this.#changed();
    });
    this.#opened = new Promise((resolve, reject) => {
      this.socket.once("open", resolve);
      this.socket.once("error", reject);
    });
  }

  async say(message: unknown): Promise<void> {
    await this.#opened;
    this.socket.send(typeof message === "string" || Buffer.isBuffer(message) ? message : JSON.stringify(message));
  }

  /** On our own engine unless it is said otherwise: the rows are those of the journal, whatever wrote it. */
  submit(text: string, more: object = {}): Promise<void> {
    return this.say({ control: "run.submit", text, engine: "loop", ...more });
  }

  /** Waits for the next row that fits; answers all rows since the last such wait, that one included. */
  async until(wanted: string | ((row: Row) => boolean)): Promise<readonly Row[]> {
    const fits = typeof wanted === "string" ? ({ type }: Row): boolean => type === wanted : wanted;
    for (;;) {
      const at = this.rows.findIndex((row, index) => index >= this.#taken && fits(row));
      if (at !== -1) {
        const rows = this.rows.slice(this.#taken, at + 1);
        this.#taken = at + 1;
        return rows;
      }
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  /** The rows up to the end of a turn. */
  turn(): Promise<readonly Row[]> {
    return this.until(({ type }) => type === "turn.completed" || type === "turn.failed");
  }

  /** The next question of the threads that it follows. */
  async question(): Promise<AskedRow> {
    const [row] = (await this.until("approval.requested")).slice(-1);
    return (row as { readonly approval: AskedRow } & Row).approval;
  }

  /** The thread that was named last: a turn of a thread that the client was told of does not name it again. */
  get thread(): string {
    return threadOf(this.rows.filter((row) => named(row) !== undefined).slice(-1));
  }

  /** The answer to a control that is refused. */
  async refusal(message: unknown): Promise<Row> {
    await this.say(message);
    return (await this.until((row) => row.type === "error" && "code" in row)).at(-1) as Row;
  }

  async status(): Promise<Row> {
    await this.say({ control: "bridge.status" });
    return (await this.until("bridge.status")).at(-1) as Row;
  }

  close(): void {
    this.socket.terminate();
  }
}

/** The thread that a row names; undefined: it names none. */
function named({ type, thread_id }: Row): string | undefined {
  return type === "thread.started" || type === "thread.resumed" ? String(thread_id) : undefined;
}

/** The first thread that these rows name. */
export function threadOf(rows: readonly Row[]): string {
  return String(rows.find((row) => named(row) !== undefined)?.["thread_id"]);
}

/** Rows by thread: each belongs to the thread that was named last. Only the first name of a thread is among them. */
export function byThread(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const threads = new Map<string, Row[]>();
  let current: Row[] = [];
  for (const row of rows) {
    const id = named(row);
    if (id === undefined) {
      current.push(row);
      continue;
    }
    current = threads.get(id) ?? [];
    threads.set(id, current);
    if (current.length === 0 && row.type === "thread.started") current.push(row);
  }
  return threads;
}

/** What the mapping makes of a session's journal, with the thread named once. */
export async function mapped(app: TestApp, id: string, mapping: ThreadMapping = "compat"): Promise<readonly unknown[]> {
  const { events } = await app.client.events(id, { limit: 1_000 });
  let state = openThread(mapping);
  const rows = events.flatMap((event) => {
    const step = threadRows(state, event);
    state = step.state;
    return step.rows;
  });
  return mapping === "rich" ? rows : rows.filter(({ type }, index) => index === 0 || type !== "thread.started");
}

/** Says yes to the next question of a session. */
export async function approveNext(app: TestApp, id: string): Promise<void> {
  for await (const frame of app.client.watch(id)) {
    if (frame.type !== "approval.requested") continue;
    const { status, input_hash } = await app.client.approval(frame.approval.id);
    if (status !== "pending") continue;
    await app.client.decide(frame.approval.id, { decision: "approve", input_hash });
    return;
  }
}
