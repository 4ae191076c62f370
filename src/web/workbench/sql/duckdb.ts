import { AsyncDuckDB, VoidLogger, type AsyncDuckDBConnection } from "@duckdb/duckdb-wasm";
import wasmUrl from "@duckdb/duckdb-wasm/dist/duckdb-eh.wasm?url";
import workerUrl from "@duckdb/duckdb-wasm/dist/duckdb-browser-eh.worker.js?url";
import { SQL_LIMITS } from "./limits.ts";

/** How much of the engine has come; `total` 0: not known. */
export interface LoadProgress {
  readonly loaded: number;
  readonly total: number;
}

export interface OpenedDuckDb {
  readonly connection: AsyncDuckDBConnection;
  /** At once, whatever it is doing. Answers that are awaited never come. */
  readonly kill: () => void;
}

/**
 * Extensions would be fetched from another host at the first use of a function that is in one, and without a network the engine would be
 * broken from then on: so neither they nor anything else may come from outside, and no query can allow it again.
 */
const SETTINGS = [
  "SET autoinstall_known_extensions=false",
  "SET autoload_known_extensions=false",
  `SET memory_limit='${SQL_LIMITS.memory}'`,
  "SET enable_external_access=false",
  "SET lock_configuration=true",
] as const;

/** The engine in a worker of its own, from files of this server. */
export async function openDuckDb(progress: (progress: LoadProgress) => void): Promise<OpenedDuckDb> {
  const worker = new Worker(workerUrl);
  const kill = (): void => worker.terminate();
  const database = new AsyncDuckDB(new VoidLogger(), worker);
  try {
    const connection = await Promise.race([connect(database, progress), trouble(worker)]);
    return { connection, kill };
  } catch (error) {
    kill();
    throw error;
  }
}

async function connect(
  database: AsyncDuckDB,
  progress: (progress: LoadProgress) => void,
): Promise<AsyncDuckDBConnection> {
  await database.instantiate(wasmUrl, null, ({ bytesLoaded, bytesTotal }) =>
    progress({ loaded: bytesLoaded, total: bytesTotal }),
  );
  await database.open({ path: ":memory:", query: { castTimestampToDate: false } });
  const connection = await database.connect();
  for (const setting of SETTINGS) await connection.query(setting);
  return connection;
}

/** The library does not tell when its worker could not be loaded. */
function trouble(worker: Worker): Promise<never> {
  return new Promise((_, reject) => {
    worker.addEventListener("error", (event) => {
      reject(new Error(`The SQL engine could not be started: ${event.message || "its files could not be loaded"}`));
    });
  });
}
