import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { MessagePort } from "node:worker_threads";
import { Failure, LIMITS } from "../../protocol/index.ts";
import { type SqliteDatabase, loadSqlite } from "./binding.ts";
import { Commits, type Commit } from "./commits.ts";
import { Damage, isDamagedPage, type DamageFound } from "./damage.ts";
import { REFUSED, storeFailure } from "../failure.ts";
import type { Faults, FromWriter, ToWriter, WriterData } from "./messages.ts";
import { encode, encodeDeletedEvents, encodeDeletedEventsOf, type Encoded, encodeSweep, SWEEPS } from "./operations.ts";
import { makePrivate } from "./private-file.ts";
import { makeReader } from "./reader.ts";
import { idOf } from "./rows.ts";
import { makeSelect, type Select } from "./select.ts";
import { StoreThread } from "./thread.ts";
import type { Stall, Store, StoreHealth, Write } from "../store.ts";

/** Time and bounds of the store. Tests pass their own. */
interface StoreTuning {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Calls back once after `ms`; call the returned function to cancel. */
  readonly after: (ms: number, callback: () => void) => () => void;
  /** How long a transaction waits for another program's lock. */
  readonly busyMs: number;
  /** The first wait before a transaction that the disk refused is retried. */
  readonly retryMs: number;
  /** How long a closing store waits for an unavailable disk. */
  readonly closeMs: number;
  /** How often disk, record and log are maintained. */
  readonly tendMs: number;
  readonly reserveBytes: number;
  /** With less free space than this, new work is refused. */
  readonly minFreeBytes: number;
  /** Text kept while the disk is unavailable, in UTF-16 units. */
  readonly queueChars: number;
}

const BY_DEFAULT: StoreTuning = {
  now: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  busyMs: LIMITS.storeBusyMs,
  retryMs: LIMITS.storeRetryMs,
  closeMs: LIMITS.storeCloseMs,
  queueChars: LIMITS.storeQueueChars,
  tendMs: LIMITS.storeTendMs,
  reserveBytes: LIMITS.storeReserveBytes,
  minFreeBytes: LIMITS.storeMinFreeBytes,
};

export interface SqliteStoreOptions {
  /** A file; it and its folder are created if missing. */
  readonly path: string;
  /** Called once, with a message for the operator, when the store can no longer write. */
  readonly onFatal: (error: Error) => void;
  /** Called after each durable commit with the number of Writes that shared it. */
  readonly onCommit?: ((commit: Commit) => void) | undefined;
  /** Called when nothing can be written for now, and without an argument when writing resumes. */
  readonly onStall?: ((stall: Stall | undefined) => void) | undefined;
  /** Called once for each session that a damaged page affects. */
  readonly onDamage?: ((found: DamageFound) => void) | undefined;
  /** Called after the store is locked and before it is opened: to clean up what a dead owner left running. */
  readonly onLocked?: (() => Promise<unknown>) | undefined;
  /** Opens a database that lost data. Absent: it is refused. */
  readonly acceptLoss?: boolean | undefined;
  /** Absent: the machine's clock, and the limits. */
  readonly tuning?: Partial<StoreTuning> | undefined;
  /** Where it writes. Absent: a thread of its own, which ends with it. */
  readonly thread?: StoreThread | undefined;
  /** Only in tests. */
  readonly faults?: Faults | undefined;
}

export interface SqliteStore extends Store {
  /**
   * The server stops: if the disk stays unavailable for `closeMs` from now, waiting and later Writes are refused. Aborting
   * the signal ends that wait.
   */
  giveUpSoon(hurry: AbortSignal): void;
}

/** Opens the store in a local file: one thread that writes, and a connection beside it that reads. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { onFatal, onCommit, onStall, onLocked, faults, thread, acceptLoss = false } = options;
  const tuning = { ...BY_DEFAULT, ...options.tuning };
  const path = makeHome(options.path);
  const open = await loadSqlite();
  const { busyMs, tendMs, reserveBytes, minFreeBytes } = tuning;
  const hurry = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const writer = await startWriter(
    { path, busyMs, tendMs, reserveBytes, minFreeBytes, acceptLoss, hurry, faults },
    { thread, onLocked: onLocked ?? (async () => undefined) },
  );
  // No awaiting from here on: the writer's next message must find its listeners.
  try {
    const database = open(path, { readOnly: true });
    database.exec(`PRAGMA busy_timeout = ${LIMITS.storeBusyMs}; PRAGMA cache_size = -${LIMITS.storeCacheKib}`);
    const damage = new Damage(options.onDamage ?? (() => undefined));
    const onDamage = (found: DamageFound) => damage.note(found);
    const commits = new Commits({ port: writer.port, onFatal, onCommit, onStall, onDamage, ...tuning });
    return makeStore({ writer, commits, database, damage, tuning, hurry });
  } catch (error) {
    await endWriter(writer);
    throw storeFailure("store_failed", `The database ${path} cannot be read.`, error);
  }
}

function makeHome(path: string): string {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return makePrivate(path);
  } catch (error) {
    throw storeFailure("store_failed", `The database ${path} cannot be made: ${String(error)}`, error);
  }
}

interface Parts {
  readonly writer: Writer;
  readonly commits: Commits;
  readonly database: SqliteDatabase;
  readonly damage: Damage;
  readonly tuning: StoreTuning;
  readonly hurry: WriterData["hurry"];
}

interface Writer {
  readonly port: MessagePort;
  /** Resolves when it writes no more, for whatever reason. */
  readonly gone: Promise<void>;
  /** How its thread ended, in words. */
  readonly why: () => string;
}

interface WriterStart {
  /** Absent: one of its own. */
  readonly thread: StoreThread | undefined;
  readonly onLocked: () => Promise<unknown>;
}

async function startWriter(data: WriterData, { thread, onLocked }: WriterStart): Promise<Writer> {
  const used = thread ?? new StoreThread();
  const port = used.write(data);
  const closed = new Promise<void>((resolve) => port.once("close", () => resolve()));
  const writer: Writer = {
    port,
    gone: thread === undefined ? closed.then(() => used.close()) : closed,
    why: () => used.why,
  };
  const heard = (): Promise<FromWriter> =>
    new Promise((resolve) => {
      port.once("message", resolve);
      void closed.then(() => resolve({ kind: "fatal", why: used.why }));
    });
  let answer = await heard();
  if (answer.kind === "locked") {
    await onLocked().catch(async (error: unknown) => {
      await endWriter(writer);
      throw error;
    });
    const next = heard();
    const permission: ToWriter = { kind: "open" };
    port.postMessage(permission);
    answer = await next;
  }
  if (answer.kind === "ready") return writer;
  await writer.gone;
  if (answer.kind === "refused") throw new Failure(answer.code, answer.message);
  const why = answer.kind === "fatal" ? answer.why : answer.kind;
  throw new Failure("store_failed", `The store's writing thread did not start: ${why}`);
}

async function endWriter({ port, gone }: Writer): Promise<void> {
  port.postMessage({ kind: "close" } satisfies ToWriter);
  await gone;
}

/** Gives up waiting Writes if the disk is unavailable at the end of `closeMs`, or at once after the signal. */
class StoreClosing {
  readonly #parts: Parts;
  readonly #over: Promise<void>;
  #cancel: () => void = () => undefined;
  #end: () => void = () => undefined;
  #isOver = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#over = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#look(parts.tuning.closeMs);
  }

  hurryWith(signal: AbortSignal): void {
    const hurry = (): void => {
      this.#stopWaiting();
      this.#cancel();
      this.#look(0);
    };
    if (signal.aborted) hurry();
    else signal.addEventListener("abort", hurry, { once: true });
  }

  /** Resolves when nothing waits any more. */
  async drained(): Promise<void> {
    const { commits } = this.#parts;
    await Promise.race([commits.drained(), this.#over]);
    this.#isOver = true;
    this.#cancel();
    this.#stopWaiting();
    commits.abandon();
  }

  #look(ms: number): void {
    if (this.#isOver) return;
    const { commits, tuning } = this.#parts;
    this.#cancel = tuning.after(ms, () => {
      if (commits.stall === undefined) return this.#look(LIMITS.storeBusyStepMs);
      this.#stopWaiting();
      commits.abandon();
      this.#end();
    });
  }

  /** The writer's thread stops waiting for another program's lock. */
  #stopWaiting(): void {
    const { hurry } = this.#parts;
    Atomics.store(hurry, 0, 1);
    Atomics.notify(hurry, 0);
  }
}

/**
 * Deletes what deleted sessions left. One session on a damaged page fails the whole batch: then each is tried alone,
 * and damaged ones are skipped from then on.
 */
async function sweepEvents({ damage, select, repeat }: Sweeping): Promise<number> {
  const limit = LIMITS.storeSweepRows;
  let swept = await unlessDamaged(() => repeat(() => encodeDeletedEvents(limit, damage.sessions)));
  if (swept !== undefined) return swept;
  swept = 0;
  for (const id of select({ sql: "SELECT id FROM deleted_sessions", values: [], row: idOf })) {
    if (damage.sessions.has(id)) continue;
    swept += (await unlessDamaged(() => repeat(() => encodeDeletedEventsOf(id, limit)))) ?? 0;
  }
  return swept;
}

interface Sweeping {
  readonly damage: Damage;
  readonly select: Select;
  /** Repeats a step until nothing is left to do. Returns how many rows were deleted. */
  readonly repeat: (step: () => Encoded) => Promise<number>;
}

async function unlessDamaged(work: () => Promise<number>): Promise<number | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isDamagedPage(error)) return undefined;
    throw error;
  }
}

function healthOf({ commits, damage, tuning: { minFreeBytes } }: Parts): StoreHealth {
  const { stall, waitingChars, waitingWrites, refusedWrites, disk } = commits;
  const low = disk !== undefined && (disk.freeBytes < minFreeBytes || disk.freeFiles < LIMITS.storeMinFreeFiles);
  return {
    stall,
    waitingChars,
    waitingWrites,
    refusedWrites,
    disk,
    damaged: damage.sessions,
    lowSpace: low ? { freeBytes: disk.freeBytes, freeFiles: disk.freeFiles, minFreeBytes } : undefined,
  };
}

function makeStore(parts: Parts): SqliteStore {
  const { writer, commits, database, damage } = parts;
  let closing: Promise<void> | undefined;
  let stopping: StoreClosing | undefined;
  let readable = true;
  let ending = false;
  void writer.gone.then(() => {
    if (!ending) commits.fail(`its writing thread ${writer.why()}`);
  });
  const refuseClosed = (open: boolean) => {
    if (!open) throw new Failure("shutting_down", "The store is closed.");
  };
  const close = async () => {
    stopping ??= new StoreClosing(parts);
    await stopping.drained();
    readable = false;
    // Before the writer's connection, which folds the write-ahead log into the database.
    database.close();
    ending = true;
    await endWriter(writer);
  };
  const select = makeSelect(database, { refuseClosed: () => refuseClosed(readable), damage });
  const repeat = async (step: () => Encoded): Promise<number> => {
    let swept = 0;
    // One bounded delete at a time lets other writes through; each round but the last deletes rows, so it ends.
    for (let rows: number = LIMITS.storeSweepRows; rows === LIMITS.storeSweepRows; swept += rows) {
      refuseClosed(closing === undefined);
      rows = await commits.add(step());
    }
    return swept;
  };
  return {
    read: makeReader(select),
    commit: async (write, options) => {
      refuseClosed(closing === undefined);
      await commits.add(encoded(write), options);
    },
    health: () => healthOf(parts),
    sweep: async (now) => {
      const limit = LIMITS.storeSweepRows;
      let swept = 0;
      for (const what of SWEEPS) swept += await repeat(() => encodeSweep(what, { now, limit }));
      return swept + (await sweepEvents({ damage, select, repeat }));
    },
    giveUpSoon: (hurry) => {
      stopping ??= new StoreClosing(parts);
      stopping.hurryWith(hurry);
    },
    close: () => (closing ??= close()),
  };
}

/** A row that cannot be encoded (such as JSON with a cycle) is refused here, before it joins a batch. */
function encoded(write: Write): Encoded {
  try {
    return encode(write);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw storeFailure("store_failed", REFUSED.store_failed, error);
  }
}
