import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** What one attack got. */
export interface AttackRow {
  readonly attack: string;
  readonly escaped: boolean;
  readonly detail: string;
}

/** What was seen outside afterwards. */
interface Traces {
  readonly heard: readonly string[];
  readonly written: readonly string[];
  readonly setuid: readonly string[];
}

interface ChildOptions {
  readonly driver: string;
  readonly groups?: readonly string[];
  readonly faults?: readonly string[];
  /** The command of a sandbox that is not ours. */
  readonly program?: string | undefined;
  /** What Podman runs. */
  readonly image?: string;
  /** It waits to be killed at its end. */
  readonly hold?: boolean;
}

export interface AttackReport {
  readonly rows: readonly AttackRow[];
  readonly traces: Traces | undefined;
  /** Processes that were left to outlive the sandbox, and those that did. */
  readonly strays: number;
  readonly left: number;
  /** Why it could not be tried here. */
  readonly missing: string | undefined;
  /** The most memory that the server took. */
  readonly peakMiB: number;
}

/** Who the server is while it is attacked. */
export type ServerUser = "root" | "ordinary";
export const USERS: readonly ServerUser[] = process.getuid?.() === 0 ? ["root", "ordinary"] : ["ordinary"];

const isRoot = process.getuid?.() === 0;
const CHILD = join(import.meta.dirname, "child.mjs");
/** Addresses of our own, in a network of our own. */
const NETWORK =
  "ip link set lo up; ip link add redteam0 type veth peer redteam1; ip address add 10.203.0.1/24 dev redteam0; " +
  'ip link set redteam0 up; ip link set redteam1 up; exec "$@"';

export function startAttacks(user: ServerUser, options: ChildOptions): ChildProcess {
  const words = [
    ...(isRoot ? ["unshare", "--net", "--", "sh", "-c", NETWORK, "sh"] : []),
    ...(isRoot && user === "ordinary" ? ["setpriv", "--reuid=1001", "--regid=1001", "--clear-groups", "--"] : []),
    process.execPath,
    CHILD,
    JSON.stringify({ ...options, host: isRoot ? "0.0.0.0" : "127.0.0.1" }),
  ];
  return spawn(words[0] ?? "", words.slice(1), {
    env: { PATH: process.env["PATH"], HOME: tmpdir(), LD_LIBRARY_PATH: process.env["LD_LIBRARY_PATH"] },
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** Runs attacks in a server of their own to their end. */
export async function runAttacks(user: ServerUser, options: ChildOptions): Promise<AttackReport> {
  const child = startAttacks(user, options);
  const closed = once(child, "close");
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const said: Record<string, unknown>[] = [];
  for await (const line of linesOf(child)) said.push(JSON.parse(line) as Record<string, unknown>);
  const [code] = (await closed) as [number | null];
  const all: Record<string, unknown> = Object.assign({}, ...said.filter((row) => !("attack" in row)));
  if (code !== 0) throw new Error(`the attacked server ended with ${code}: ${stderr}`);
  return {
    rows: said.filter((row) => "attack" in row) as unknown as readonly AttackRow[],
    traces: all["traces"] as Traces | undefined,
    strays: Number(all["strays"] ?? 0),
    left: Number(all["left"] ?? 0),
    missing: all["missing"] as string | undefined,
    peakMiB: Number(all["peakMiB"] ?? 0),
  };
}

export function linesOf(child: ChildProcess): AsyncIterable<string> {
  if (child.stdout === null) throw new Error("it has no output");
  return createInterface({ input: child.stdout });
}

export function escapesIn(rows: readonly AttackRow[]): readonly string[] {
  return rows.filter(({ escaped }) => escaped).map(({ attack, detail }) => `${attack}: ${detail}`);
}
