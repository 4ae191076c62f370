import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Place } from "../../support/server.ts";
import { join } from "node:path";

export interface OwnedProcess {
  readonly pid: number;
  /** The session that it was started for. */
  readonly session: string;
  /** The vendor's own program, not something that it runs. */
  readonly isVendor: boolean;
}

/** Living processes that sessions of this home have started. */
export async function processesOf(place: Place): Promise<readonly OwnedProcess[]> {
  const marker = (await readFile(join(place.home, "instance"), "utf8")).trim();
  const found: OwnedProcess[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const environment = (await readFile(`/proc/${name}/environ`, "latin1").catch(() => "")).split("\0");
    if (!environment.includes(`SALLYPORT_INSTANCE=${marker}`)) continue;
    const session = environment.find((entry) => entry.startsWith("SALLYPORT_SESSION="))?.slice(18) ?? "";
    const [program = ""] = (await readFile(`/proc/${name}/cmdline`, "latin1").catch(() => "")).split("\0");
    found.push({ pid: Number(name), session, isVendor: basename(program) === "claude" });
  }
  return found;
}

const WAIT_MS = 10_000;

/** Waits for something of the outside world, which tells nobody: the answer, or undefined when it never came. */
export async function until<Found>(
  look: () => Promise<Found | undefined>,
  waitMs = WAIT_MS,
): Promise<Found | undefined> {
  const end = performance.now() + waitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined || performance.now() > end) return found;
    await pause(10);
  }
}
