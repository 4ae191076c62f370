import { createServer } from "node:net";

/** Below what the system hands out by itself, so that nobody else gets the port while its server is down. */
const FIRST = 12_000;
const PER_WORKER = 500;
const WORKERS = 36;
/** Keeps processes apart that were started one after the other. */
const STRIDE = 151;
/** One of the workers that vitest runs at the same time has it. */
const WORKER = Number(process.env["VITEST_POOL_ID"] ?? process.pid);

const taken = new Set<number>();

/** A port of this worker's own, for a server that is killed and comes back at the same address. */
export async function ownPort(): Promise<number> {
  const first = FIRST + (WORKER % WORKERS) * PER_WORKER;
  for (let tried = 0; tried < PER_WORKER; tried += 1) {
    // Another run of the tests on this machine has the same workers: it begins at another one of their ports.
    const port = first + ((process.pid * STRIDE + tried) % PER_WORKER);
    if (taken.has(port) || !(await isFree(port))) continue;
    taken.add(port);
    return port;
  }
  throw new Error(`no port is free from ${first} to ${first + PER_WORKER}`);
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
