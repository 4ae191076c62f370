import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:net";
import pg from "pg";
import { postgresPrograms } from "./programs.ts";

const START_TRIES = 200;
const START_WAIT_MS = 50;

const isRequired = process.env["SALLYPORT_POSTGRES_TESTS"] === "required";

/** Whether the tests with PostgreSQL can run. Where they must, a machine without one fails them instead of passing them over. */
export const hasPostgres = postgresPrograms() !== undefined || isRequired;

/** A private cluster in a folder of its own, of which nothing is left. */
export interface Cluster {
  readonly port: number;
  /** The folder of its socket. */
  readonly folder: string;
  /** `postgres://user@127.0.0.1:port/database` */
  url(user: string, database?: string): string;
  /** Runs statements as its superuser. */
  admin(sql: string, database?: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** PostgreSQL does not run as root: then it runs as nobody. */
function identity(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const number = (flag: string): number => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: number("-u"), gid: number("-g") };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  const bin = postgresPrograms();
  if (bin === undefined) throw new Error("PostgreSQL is not installed: apt-get install postgresql");
  const folder = mkdtempSync(join(tmpdir(), "sallyport-pg-"));
  const who = identity();
  if (who.uid !== undefined && who.gid !== undefined) chownSync(folder, who.uid, who.gid);
  const data = join(folder, "data");
  const clean = (): void => rmSync(folder, { recursive: true, force: true });
  // Nothing of this machine's user: its HOME is not readable for nobody.
  const env = { PATH: process.env["PATH"] ?? "", LC_ALL: "C.UTF-8", HOME: folder };
  let server: ChildProcess | undefined;
  try {
    const words = ["-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-sync", "--locale=C.UTF-8"];
    execFileSync(join(bin, "initdb"), words, { ...who, env, cwd: folder, stdio: "pipe" });
    const port = await freePort();
    const options = { fsync: "off", max_connections: "40", shared_buffers: "16MB", ...settings };
    const flags = Object.entries(options).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const places = ["-D", data, "-k", folder, "-h", "127.0.0.1", "-p", String(port)];
    server = spawn(join(bin, "postgres"), [...places, ...flags], { ...who, env, cwd: folder, stdio: "ignore" });
    const cluster = clusterOf({ port, folder, server, clean });
    await untilUp(cluster, server);
    return cluster;
  } catch (error) {
    server?.kill("SIGKILL");
    clean();
    throw error;
  }
}

async function untilUp(cluster: Cluster, server: ChildProcess): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await cluster.admin("SELECT 1");
      return;
    } catch (error) {
      if (tries >= START_TRIES || server.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, START_WAIT_MS));
    }
  }
}

interface Running {
  readonly port: number;
  readonly folder: string;
  readonly server: ChildProcess;
  readonly clean: () => void;
}

function clusterOf({ port, folder, server, clean }: Running): Cluster {
  const gone = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  return {
    port,
    folder,
    url: (user, database = "postgres") => `postgres://${user}@127.0.0.1:${port}/${database}`,
    admin: async (sql, database = "postgres") => {
      const client = new pg.Client({ host: "127.0.0.1", port, user: "postgres", database });
      await client.connect();
      try {
        const { rows } = (await client.query(sql)) as { rows?: readonly Readonly<Record<string, unknown>>[] };
        return rows ?? [];
      } finally {
        await client.end();
      }
    },
    [Symbol.asyncDispose]: async () => {
      // At once, without waiting for those who are still connected.
      server.kill("SIGQUIT");
      await gone;
      clean();
    },
  };
}
