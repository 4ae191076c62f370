import { type MessagePort, parentPort, receiveMessageOnPort } from "node:worker_threads";
import { STORE_LIMITS } from "../../protocol/limits/store.ts";
import {
  type SqliteDatabase,
  extendedCode,
  loadSqlite,
  type OpenDatabase,
  primaryCode,
  SQLITE,
  type PreparedStatement,
} from "./binding.ts";
import { isDamage } from "./damage.ts";
import { diskOf, makeReserve, releaseReserve } from "./disk.ts";
import { type Lock, takeLock } from "./lock.ts";
import type { Faults, FromWriter, SentWrite, ThreadJob, ToWriter, WriteOutcome, WriterData } from "./messages.ts";
import { Presence, type ReplacedStore } from "./presence.ts";
import { type StoreRecord, writeRecord } from "./record.ts";
import { StoreRefusal } from "./refusal.ts";
import { refuseWhatIsLost } from "./refuse-lost.ts";
import { migrate, refuseNewer } from "./schema.ts";
import { quietly, stallOf, wordsOf } from "./stall.ts";
import { type WriteOperation, type WriteName, WRITES } from "./statements.ts";
import type { Stall, StoreDisk } from "../store.ts";

// The store's only writer, in its own thread: waiting for the disk never blocks the server's event loop.

type ControlStatement = "begin" | "commit" | "rollback" | "save" | "keep" | "undo" | "count" | "state" | "free";
type Statements = Readonly<Record<WriteName | ControlStatement, PreparedStatement>>;

/** Errors that a single Write can cause. All other SQLite errors are about the disk or the database. */
const WRITE_ERRORS: ReadonlySet<number | undefined> = new Set([
  undefined,
  SQLITE.error,
  SQLITE.tooBig,
  SQLITE.constraint,
  SQLITE.mismatch,
  SQLITE.range,
]);

function connect(open: OpenDatabase, { path, busyMs }: WriterData): SqliteDatabase {
  const database = open(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${busyMs}`);
    refuseNewer(database);
    database.exec(`
      -- Counts for a database that is made now: it gives space back in small steps.
      PRAGMA auto_vacuum = INCREMENTAL;
      -- What is deleted is overwritten where its page is written anyway; whole pages are given back to the disk.
      PRAGMA secure_delete = FAST;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      -- What a savepoint may have to undo is small: no file is made for it in each transaction.
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -${STORE_LIMITS.storeCacheKib};
      PRAGMA wal_autocheckpoint = ${STORE_LIMITS.storeCheckpointPages};
      PRAGMA journal_size_limit = ${STORE_LIMITS.storeWalBytes};
    `);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function openForWriting(open: OpenDatabase, data: WriterData): SqliteDatabase {
  if (!data.acceptLoss) refuseWhatIsLost(open, data.path);
  const database = connect(open, data);
  try {
    migrate(database, data.path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A disk that was full when the last process ended is still full: the reserve lets the next one start. */
function openWithReserve(open: OpenDatabase, data: WriterData): SqliteDatabase {
  try {
    return openForWriting(open, data);
  } catch (error) {
    if (stallOf(error, data.path)?.cause !== "full" || !releaseReserve(data.path)) throw error;
    return openForWriting(open, data);
  }
}

function prepare(database: SqliteDatabase): Statements {
  const statement = (sql: string) => database.prepare(sql);
  return {
    session: statement(WRITES.session),
    sessionAsIndexed: statement(WRITES.sessionAsIndexed),
    event: statement(WRITES.event),
    approval: statement(WRITES.approval),
    receipt: statement(WRITES.receipt),
    deletedPrincipal: statement(WRITES.deletedPrincipal),
    principal: statement(WRITES.principal),
    usedPrincipal: statement(WRITES.usedPrincipal),
    deletedKey: statement(WRITES.deletedKey),
    key: statement(WRITES.key),
    usedKey: statement(WRITES.usedKey),
    audit: statement(WRITES.audit),
    document: statement(WRITES.document),
    olderDocuments: statement(WRITES.olderDocuments),
    deletedDocument: statement(WRITES.deletedDocument),
    endedReservation: statement(WRITES.endedReservation),
    reservation: statement(WRITES.reservation),
    spending: statement(WRITES.spending),
    usage: statement(WRITES.usage),
    deletedApprovals: statement(WRITES.deletedApprovals),
    deletedSession: statement(WRITES.deletedSession),
    deletedMark: statement(WRITES.deletedMark),
    deletedEvents: statement(WRITES.deletedEvents),
    deletedEventsOf: statement(WRITES.deletedEventsOf),
    deletedForGood: statement(WRITES.deletedForGood),
    sweep: statement(WRITES.sweep),
    sweepPrincipals: statement(WRITES.sweepPrincipals),
    sweepKeys: statement(WRITES.sweepKeys),
    begin: statement("BEGIN IMMEDIATE"),
    commit: statement("COMMIT"),
    rollback: statement("ROLLBACK"),
    save: statement("SAVEPOINT one_write"),
    keep: statement("RELEASE one_write"),
    undo: statement("ROLLBACK TO one_write"),
    count: statement("UPDATE store_state SET commits = ?"),
    free: statement("PRAGMA freelist_count"),
    state: statement("SELECT instance, commits FROM store_state"),
  };
}

function runOperations(statements: Statements, operations: readonly WriteOperation[]): number {
  let changes = 0;
  for (const [name, values] of operations) {
    if (name === "session" && Number(statements.sessionAsIndexed.run(...values).changes) === 1) changes = 1;
    else changes = Number(statements[name].run(...values).changes);
  }
  return changes;
}

/** All of one Write or nothing, without affecting the others of its transaction. */
function runWrite(statements: Statements, operations: readonly WriteOperation[]): WriteOutcome {
  statements.save.run();
  try {
    const changes = runOperations(statements, operations);
    statements.keep.run();
    return { changes };
  } catch (error) {
    if (isDamage(error) || !WRITE_ERRORS.has(primaryCode(error))) throw error;
    statements.undo.run();
    statements.keep.run();
    const extended = extendedCode(error);
    const taken = extended === SQLITE.primaryKey || extended === SQLITE.unique;
    return { code: taken ? "conflict" : "store_failed", why: wordsOf(error) };
  }
}

/** Fails if a test asked for it. */
function pretend(faults: Faults | undefined, step: 0 | 1): void {
  if (faults === undefined || Atomics.load(faults, 0) <= 0 || Atomics.load(faults, 1) !== step) return;
  Atomics.sub(faults, 0, 1);
  const errcode = Atomics.load(faults, 2);
  throw Object.assign(new Error(`made by a test: code ${errcode}`), { errcode });
}

/** Writes, one transaction at a time. If the disk or another program is in the way, the same can be tried again. */
class WriterLoop {
  readonly #open: OpenDatabase;
  readonly #data: WriterData;
  #database: SqliteDatabase;
  #statements: Statements;
  readonly #instance: string;
  /** Number of transactions in the database, and in the record. */
  #commits: number;
  #recorded = -1;
  /** The log has not been folded in since the last transaction. */
  #unfolded = true;
  /** Maintenance runs since the last transaction. */
  #quiet = 0;
  readonly #presence: Presence;
  /** Set for good: the open files are not the ones on the disk. */
  #replaced: ReplacedStore | undefined;
  /** Chains in which a Write was refused; the oldest is forgotten first. */
  readonly #broken = new Set<string>();

  constructor(open: OpenDatabase, data: WriterData, database: SqliteDatabase) {
    this.#open = open;
    this.#data = data;
    this.#database = database;
    this.#statements = this.#prepare(database);
    const { instance, commits } = this.#statements.state.get() as StoreRecord;
    this.#instance = instance;
    this.#commits = commits;
    this.#presence = new Presence(open, data.path);
    this.#record();
  }

  /** One transaction for all; on the disk when it returns. Throws when nothing of it is. */
  transaction(writes: readonly SentWrite[], damaged = new Map<SentWrite, WriteOutcome>()): readonly WriteOutcome[] {
    const broken = new Set<string>();
    const outcomes: WriteOutcome[] = [];
    let current: SentWrite | undefined;
    this.#refuseReplaced();
    try {
      pretend(this.#data.faults, 0);
      this.#begin();
      for (const write of writes) {
        current = write;
        outcomes.push(this.#write(write, { broken, damaged }));
      }
      current = undefined;
      this.#statements.count.run(this.#commits + 1);
      pretend(this.#data.faults, 1);
      this.#statements.commit.run();
      // What went into an unlinked file is not on the disk.
      this.#refuseReplaced();
    } catch (error) {
      // SQLite may have rolled back already.
      quietly(() => this.#statements.rollback.run());
      this.#refuseReplaced();
      if (isDamage(error) && current !== undefined) {
        // It needs a damaged page, the others do not: try again without it. Each round leaves out one more.
        damaged.set(current, { code: "store_failed", why: wordsOf(error), isDamaged: true });
        return this.transaction(writes, damaged);
      }
      if (primaryCode(error) === SQLITE.busy || stallOf(error, this.#data.path) === undefined) throw error;
      if (!this.#storedAfterAll()) throw error;
    }
    this.#commits += 1;
    this.#unfolded = true;
    this.#quiet = 0;
    for (const chain of broken) this.#remember(chain);
    return outcomes;
  }

  #prepare(database: SqliteDatabase): Statements {
    database.exec(`PRAGMA busy_timeout = ${Math.min(this.#data.busyMs, STORE_LIMITS.storeBusyStepMs)}`);
    return prepare(database);
  }

  /** Waits for another program's lock in short steps: a stopping server does not wait for the whole time. */
  #begin(): void {
    const { busyMs, hurry } = this.#data;
    const since = performance.now();
    for (;;) {
      try {
        this.#statements.begin.run();
        return;
      } catch (error) {
        const isOver = performance.now() - since >= busyMs || Atomics.load(hurry, 0) !== 0;
        if (primaryCode(error) !== SQLITE.busy || isOver) throw error;
        // SQLite may refuse without waiting.
        Atomics.wait(hurry, 0, 0, Math.min(busyMs, STORE_LIMITS.storeBusyPauseMs));
      }
    }
  }

  /** Reconnects after a disk error. Returns whether the failed transaction is stored nevertheless. */
  #storedAfterAll(): boolean {
    const database = connect(this.#open, this.#data);
    quietly(() => this.#database.close());
    this.#database = database;
    this.#statements = this.#prepare(database);
    return (this.#statements.state.get() as StoreRecord).commits > this.#commits;
  }

  #write(
    write: SentWrite,
    { broken, damaged }: { readonly broken: Set<string>; readonly damaged: ReadonlyMap<SentWrite, WriteOutcome> },
  ): WriteOutcome {
    const { operations, chain } = write;
    if (chain !== undefined && (broken.has(chain) || this.#broken.has(chain)))
      return { code: "store_failed", why: "an earlier write of its chain was refused" };
    const outcome = damaged.get(write) ?? runWrite(this.#statements, operations);
    if (chain !== undefined && !("changes" in outcome)) broken.add(chain);
    return outcome;
  }

  #remember(chain: string): void {
    this.#broken.add(chain);
    if (this.#broken.size <= STORE_LIMITS.storeBrokenChains) return;
    for (const oldest of this.#broken) return void this.#broken.delete(oldest);
  }

  #refuseReplaced(): void {
    this.#replaced ??= this.#presence.missing();
    if (this.#replaced !== undefined) throw this.#replaced;
  }

  /** Returned once, when the files are found to be replaced. */
  look(): ReplacedStore | undefined {
    if (this.#replaced !== undefined) return undefined;
    this.#replaced = this.#presence.lost({ instance: this.#instance, commits: this.#commits });
    return this.#replaced;
  }

  /** Periodic maintenance. Does nothing if other files are in place of ours: those are not ours to write. */
  tend(): StoreDisk | undefined {
    const { path, reserveBytes, minFreeBytes } = this.#data;
    if (this.#replaced !== undefined) return diskOf(path);
    this.#record();
    this.#quiet += 1;
    if (this.#quiet > 1) this.#shrink();
    if (this.#unfolded && this.#quiet > 1) this.#fold();
    const disk = diskOf(path);
    if (disk !== undefined && disk.freeBytes > minFreeBytes + reserveBytes) makeReserve(path, reserveBytes);
    return disk;
  }

  /** Never claims more than is stored: it is written after the transactions that it counts. */
  #record(): void {
    if (this.#recorded === this.#commits) return;
    quietly(() => {
      writeRecord(this.#data.path, { instance: this.#instance, commits: this.#commits });
      this.#recorded = this.#commits;
    });
  }

  /** Returns some of the space of deleted rows to the disk. */
  #shrink(): void {
    quietly(() => {
      const { freelist_count } = this.#statements.free.get() as { readonly freelist_count: number };
      if (freelist_count === 0) return;
      this.#database.exec(`PRAGMA incremental_vacuum(${STORE_LIMITS.storeVacuumPages})`);
      this.#unfolded = true;
    });
  }

  /** Folds the log into the database, so that little is lost with the log. */
  #fold(): void {
    quietly(() => {
      this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      this.#unfolded = false;
    });
  }

  close(): void {
    // Done explicitly: with the package, the reader's connection stays open until its statements are collected. Then
    // this connection is not the last, and closing it would leave the log as it is.
    this.#replaced ??= this.#presence.missing();
    if (this.#replaced === undefined || this.#replaced.isOnlyLog) {
      this.#fold();
      this.#record();
    }
    quietly(() => this.#database.close());
  }
}

interface Collected {
  readonly writes: readonly SentWrite[];
  readonly batches: number;
  /** Of the last batch. */
  readonly epoch: number;
  readonly close: boolean;
}

/**
 * Collects what arrived during the last transaction into one with this message. A batch holds no more Writes than the
 * limit, so a transaction holds less than twice as many. Batches of a past epoch are dropped.
 */
function collect(port: MessagePort, first: ToWriter, epoch: number): Collected {
  const writes: SentWrite[] = [];
  let batches = 0;
  let next: ToWriter | undefined = first;
  while (next?.kind === "batch") {
    if (next.epoch >= epoch) {
      writes.push(...next.writes);
      batches += 1;
    }
    if (writes.length >= STORE_LIMITS.storeBatchWrites) break;
    next = receiveMessageOnPort(port)?.message as ToWriter | undefined;
  }
  return { writes, batches, epoch, close: next?.kind === "close" };
}

/** A full disk has a reserve, which lets running work finish. */
function runOnce(writing: WriterLoop, writes: readonly SentWrite[], path: string): readonly WriteOutcome[] {
  try {
    return writing.transaction(writes);
  } catch (error) {
    if (stallOf(error, path)?.cause !== "full" || !releaseReserve(path)) throw error;
    return writing.transaction(writes);
  }
}

function serve(port: MessagePort, writing: WriterLoop, { data, lock }: { data: WriterData; lock: Lock }): void {
  const say = (message: FromWriter) => port.postMessage(message);
  let epoch = 0;
  const stalled = (stall: Omit<Stall, "since">) => {
    epoch += 1;
    say({ kind: "stalled", ...stall });
  };
  const tend = () => {
    const replaced = stallOf(writing.look(), data.path);
    if (replaced !== undefined) stalled(replaced);
    const disk = writing.tend();
    if (disk !== undefined) say({ kind: "disk", ...disk });
  };
  const tending = setInterval(tend, data.tendMs);
  const end = () => {
    clearInterval(tending);
    writing.close();
    lock.release();
    port.close();
  };
  port.on("message", (first: ToWriter) => {
    const { writes, batches, close } = collect(port, first, epoch);
    try {
      if (batches > 0) say({ kind: "done", batches, outcomes: runOnce(writing, writes, data.path) });
    } catch (error) {
      const stall = stallOf(error, data.path);
      if (stall === undefined) {
        say({ kind: "fatal", why: wordsOf(error) });
        return end();
      }
      stalled(stall);
      tend();
    }
    if (close) end();
  });
  say({ kind: "ready" });
  tend();
}

/** Why a database cannot be opened, and what to do. */
function refusalOf(error: unknown, { path }: WriterData): FromWriter {
  if (error instanceof StoreRefusal) return { kind: "refused", code: error.code, message: error.message };
  const cause = stallOf(error, path)?.cause;
  const advice = cause === undefined ? BROKEN_ADVICE : STALL_ADVICE[cause];
  const message = `The database ${path} cannot be opened: ${wordsOf(error)}. ${advice}`;
  return { kind: "refused", code: "store_failed", message };
}

const BROKEN_ADVICE =
  "`sallyport doctor` says what is damaged; `sallyport restore <file>` puts a backup in its place and keeps this one aside.";
const STALL_ADVICE: Readonly<Record<Stall["cause"], string>> = {
  locked: "Another program has locked it: end that program, then start again.",
  full: "The disk is full: free some space, then start again.",
  read_only: "The disk or the folder is read-only: make it writable, then start again.",
  io: "The disk reports errors: look at the system's log.",
  replaced: "Its files were removed or replaced meanwhile: put them back, then start again.",
};

async function start(port: MessagePort, data: WriterData): Promise<void> {
  let lock: Lock | undefined;
  try {
    const open = await loadSqlite();
    lock = takeLock(open, data.path);
    const permitted = new Promise<ToWriter>((resolve) => port.once("message", resolve));
    port.postMessage({ kind: "locked" } satisfies FromWriter);
    if ((await permitted).kind === "close") {
      lock.release();
      port.close();
      return;
    }
    const database = openWithReserve(open, data);
    serve(port, new WriterLoop(open, data, database), { data, lock });
  } catch (error) {
    port.postMessage(refusalOf(error, data));
    lock?.release();
    port.close();
  }
}

parentPort?.on("message", ({ data, port }: ThreadJob) => void start(port, data));
