import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Place } from "../server.ts";

/** A living process that a session of a home started. */
export interface Marked {
  readonly pid: number;
  readonly session: string;
  /** Its program and arguments. */
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // It is gone, or somebody else's.
    return "";
  }
}

/** All of them, in one breath: nothing of ours happens between the first and the last look. */
export function markedProcesses(place: Place): readonly Marked[] {
  const marker = read(join(place.home, "instance")).trim();
  if (marker === "") return [];
  return readdirSync("/proc").flatMap((name): readonly Marked[] => {
    if (!/^\d+$/.test(name)) return [];
    const environ = read(`/proc/${name}/environ`);
    // A program may be started with nothing of the server's environment; it is told where in this home its records are.
    const records = environ.includes(`${place.home}/engines/`) ? /\/engines\/(ses_\w+)/.exec(environ)?.[1] : undefined;
    if (records === undefined && !`\0${environ}`.includes(`\0SALLYPORT_INSTANCE=${marker}\0`)) return [];
    const stat = read(`/proc/${name}/stat`);
    const state = stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
    if (state === "" || state === "Z" || state === "X") return [];
    const environment = Object.fromEntries(
      environ.split("\0").flatMap((pair) => {
        const at = pair.indexOf("=");
        return at > 0 ? [[pair.slice(0, at), pair.slice(at + 1)]] : [];
      }),
    );
    const words = read(`/proc/${name}/cmdline`).split("\0").slice(0, -1);
    return [{ pid: Number(name), session: environment["SALLYPORT_SESSION"] ?? records ?? "", words, environment }];
  });
}

/** What vendors' programs are called; some packages name theirs `.exe` everywhere. */
const VENDORS: ReadonlySet<string> = new Set(["claude", "codex", "opencode"]);

/** The vendor's own program, and not what it started. An agent of the Agent Client Protocol is known by its launcher. */
export function isVendor({ words: [program = "", launcher = "", verb] }: Marked): boolean {
  return VENDORS.has(basename(program, ".exe")) || (basename(launcher) === "inside.js" && verb === "launch");
}

/** False when it was gone already. */
export function signal(pid: number, name: "SIGKILL" | "SIGSTOP"): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

const NOTICE_MS = 10_000;

/** Resolves when whoever started these killed processes has taken notice of their end. */
export async function noticed(pids: readonly number[]): Promise<void> {
  for (const begun = Date.now(); pids.some((pid) => existsSync(`/proc/${pid}`));) {
    if (Date.now() - begun > NOTICE_MS) throw new Error(`nobody notices the end of ${pids.join(", ")}`);
    await pause(2);
  }
}
