import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { LIMITS } from "../protocol/limits.ts";
import { type Database, extendedCode, loadSqlite, primaryCode, SQLITE, type Statement } from "./binding.ts";
import { type Lock, takeLock } from "./lock.ts";
import type { FromWriter, Outcome, ToWriter, WriterData } from "./messages.ts";
import { Refusal } from "./refusal.ts";
import { migrate, refuseNewer } from "./schema.ts";
import { type Operation, type WriteName, WRITES } from "./statements.ts";

// The store's only writer, in a thread of its own: waiting for the disk never holds up the event loop of the server.

interface Open {
  readonly database: Database;
  readonly lock: Lock;
}

type Statements = Readonly<Record<WriteName | "begin" | "commit" | "rollback" | "save" | "keep" | "undo", Statement>>;

/** What one Write alone can be to blame for. Anything else that SQLite says is about the disk or the database. */
const WRITE_ERRORS: ReadonlySet<number | undefined> = new Set([
  undefined,
  SQLITE.error,
  SQLITE.tooBig,
  SQLITE.constraint,
  SQLITE.mismatch,
  SQLITE.range,
]);

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function openForWriting(path: string): Promise<Open> {
  const open = await loadSqlite();
  const lock = takeLock(open, path);
  try {
    const database = open(path);
    try {
      database.exec(`PRAGMA busy_timeout = ${LIMITS.storeBusyMs}`);
      refuseNewer(database);
      database.exec(`
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = FULL;
        PRAGMA cache_size = -${LIMITS.storeCacheKib};
        PRAGMA wal_autocheckpoint = ${LIMITS.storeCheckpointPages};
        PRAGMA journal_size_limit = ${LIMITS.storeWalBytes};
      `);
      migrate(database);
      return { database, lock };
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw error;
  }
}

function prepare(database: Database): Statements {
  const statement = (sql: string) => database.prepare(sql);
  return {
    session: statement(WRITES.session),
    event: statement(WRITES.event),
    approval: statement(WRITES.approval),
    receipt: statement(WRITES.receipt),
    deletedPrincipal: statement(WRITES.deletedPrincipal),
    principal: statement(WRITES.principal),
    audit: statement(WRITES.audit),
    document: statement(WRITES.document),
    endedReservation: statement(WRITES.endedReservation),
    reservation: statement(WRITES.reservation),
    spending: statement(WRITES.spending),
    usage: statement(WRITES.usage),
    sweep: statement(WRITES.sweep),
    begin: statement("BEGIN IMMEDIATE"),
    commit: statement("COMMIT"),
    rollback: statement("ROLLBACK"),
    save: statement("SAVEPOINT one_write"),
    keep: statement("RELEASE one_write"),
    undo: statement("ROLLBACK TO one_write"),
  };
}

function runOperations(statements: Statements, operations: readonly Operation[]): number {
  let changes = 0;
  for (const [name, values] of operations) changes = Number(statements[name].run(...values).changes);
  return changes;
}

/** Everything of one Write or nothing of it, without harm to the others of its transaction. */
function runWrite(statements: Statements, operations: readonly Operation[]): Outcome {
  statements.save.run();
  try {
    const changes = runOperations(statements, operations);
    statements.keep.run();
    return { changes };
  } catch (error) {
    if (!WRITE_ERRORS.has(primaryCode(error))) throw error;
    statements.undo.run();
    statements.keep.run();
    const extended = extendedCode(error);
    const taken = extended === SQLITE.primaryKey || extended === SQLITE.unique;
    return { code: taken ? "conflict" : "store_failed", why: wordsOf(error) };
  }
}

/** One transaction for all; on the disk when it returns. Throws when the store is of no more use. */
function runTransaction(statements: Statements, writes: readonly (readonly Operation[])[]): readonly Outcome[] {
  try {
    statements.begin.run();
  } catch (error) {
    // Another program holds the database for writing, and did so for the whole of `storeBusyMs`.
    if (primaryCode(error) !== SQLITE.busy) throw error;
    return writes.map(() => ({ code: "store_failed", why: wordsOf(error) }));
  }
  try {
    const outcomes = writes.map((operations) => runWrite(statements, operations));
    statements.commit.run();
    return outcomes;
  } catch (error) {
    // SQLite may have done it already.
    quietly(() => statements.rollback.run());
    throw error;
  }
}

type Batch = readonly (readonly Operation[])[];

/**
 * What came while the last transaction was written goes into one with this message. A batch holds no more Writes than
 * the limit, so a transaction holds less than twice as many.
 */
function collect(port: MessagePort, first: ToWriter): { readonly batches: readonly Batch[]; readonly close: boolean } {
  const batches: Batch[] = [];
  let count = 0;
  let next: ToWriter | undefined = first;
  while (next?.kind === "batch") {
    batches.push(next.writes);
    count += next.writes.length;
    if (count >= LIMITS.storeBatchWrites) break;
    next = receiveMessageOnPort(port)?.message as ToWriter | undefined;
  }
  return { batches, close: next?.kind === "close" };
}

/** For what is tried on the way out: nobody could do anything about its failure. */
function quietly(attempt: () => unknown): void {
  try {
    attempt();
  } catch {
    // What is on the disk is safe either way: the next start goes on from it.
  }
}

function serve(port: MessagePort, { database, lock }: Open): void {
  const statements = prepare(database);
  const say = (message: FromWriter) => port.postMessage(message);
  const end = () => {
    quietly(() => database.close());
    lock.release();
    port.close();
  };
  port.on("message", (first: ToWriter) => {
    const { batches, close } = collect(port, first);
    try {
      if (batches.length > 0) {
        say({ kind: "done", batches: batches.length, outcomes: runTransaction(statements, batches.flat()) });
      }
    } catch (error) {
      say({ kind: "fatal", why: wordsOf(error) });
      return end();
    }
    if (!close) return;
    // Said, not left to the closing: with the package, the reader's connection lives on behind its statements until
    // they are collected, so that this one is not the last and closing it leaves the log as it is.
    quietly(() => database.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
    end();
  });
  say({ kind: "ready" });
}

async function start(port: MessagePort, { path }: WriterData): Promise<void> {
  try {
    serve(port, await openForWriting(path));
  } catch (error) {
    const refused: FromWriter =
      error instanceof Refusal
        ? { kind: "refused", code: error.code, message: error.message }
        : {
            kind: "refused",
            code: "store_failed",
            message: `The database ${path} cannot be opened: ${wordsOf(error)}`,
          };
    port.postMessage(refused);
    port.close();
  }
}

if (parentPort !== null) await start(parentPort, workerData as WriterData);
