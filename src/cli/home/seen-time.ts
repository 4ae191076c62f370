import { renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LIMITS, type Log } from "../../protocol/index.ts";
import type { Clock, ExpiryClock } from "../../sessions/index.ts";
import { readTextFile } from "../settings/text-file.ts";
import { SEEN_TIME_FILE } from "./files.ts";

/** The latest time that a server of this home has seen, milliseconds since the epoch. 0: none is known. */
function readSeenTime(home: string): number {
  const at = Date.parse((readTextFile(join(home, SEEN_TIME_FILE)) ?? "").trim());
  return Number.isNaN(at) ? 0 : at;
}

/** What an operator is told of a clock that was set back. Undefined: it was not, or by very little. */
export function setBackWords(
  home: string,
  now: number,
): { readonly found: string; readonly advice: string } | undefined {
  const seen = readSeenTime(home);
  if (seen - now <= LIMITS.clockBackMs) return undefined;
  return {
    found: `the clock is ${Math.round((seen - now) / 1_000)} s behind the time that a server of this home has seen (${new Date(seen).toISOString()})`,
    advice: `set the clock right; if the earlier time was wrong, stop the server and delete ${join(home, SEEN_TIME_FILE)}`,
  };
}

interface SeenTimeOptions {
  readonly home: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** A clock for what expires: it begins where the last server of this home was, wherever the wall clock was set since. */
export function openExpiryClock({ home, clock, log }: SeenTimeOptions): ExpiryClock & { close(): Promise<void> } {
  const words = setBackWords(home, clock.now());
  if (words !== undefined) log.warn({}, `${words.found}: tokens expire by that time. To mend it, ${words.advice}`);
  const floor = readSeenTime(home) - clock.elapsed();
  const now = (): number => Math.max(clock.now(), floor + clock.elapsed());
  const path = join(home, SEEN_TIME_FILE);
  const own = statSync(home);
  let latest = 0;
  const keep = (): void => {
    latest = Math.max(latest, now());
    try {
      // Another home may stand in its place.
      const { dev, ino } = statSync(home);
      if (dev !== own.dev || ino !== own.ino) return;
      writeFileSync(`${path}.next`, `${new Date(latest).toISOString()}\n`, { mode: 0o600 });
      renameSync(`${path}.next`, path);
    } catch {
      // A disk that is full or read-only is told by the store; the next time is kept when it can be.
    }
  };
  let cancel = (): void => undefined;
  const tick = (): void => {
    keep();
    cancel = clock.after(LIMITS.clockKeepMs, tick);
  };
  tick();
  return {
    now,
    elapsed: () => clock.elapsed(),
    after: (ms, callback) => clock.after(ms, callback),
    isSetBack: words !== undefined,
    close: async () => {
      cancel();
      keep();
    },
  };
}
