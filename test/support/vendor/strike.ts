import type { Dice } from "../money/dice.ts";
import type { Place } from "../server.ts";
import { isVendor, markedProcesses, signal } from "./processes.ts";

/** `machine`: the server and all that it started end at once, as when the power fails. */
export const STRIKES = ["vendor", "server", "machine"] as const;
export type StrikeKind = (typeof STRIKES)[number];

/** One killing: so many frames after a turn began, or when it ended before, and then so many milliseconds later. */
export interface Strike {
  readonly kind: StrikeKind;
  readonly frames: number;
  readonly waitMs: number;
}

const MOST_FRAMES = 30;
const LONGEST_WAIT_MS = 300;

export function rollStrike(dice: Dice, kind: StrikeKind): Strike {
  // At a frame, or between two of them.
  return { kind, frames: dice.between(0, MOST_FRAMES), waitMs: dice.chance(0.5) ? 0 : dice.between(0, LONGEST_WAIT_MS) };
}

/** Ends what is to be ended. Answers how many processes that were; 0: there was nothing to end. */
export function strike(kind: StrikeKind, target: { readonly place: Place; readonly server: number; readonly session: string }): number {
  const { place, server, session } = target;
  switch (kind) {
    case "vendor":
      return markedProcesses(place).filter(
        (entry) => entry.session === session && isVendor(entry) && signal(entry.pid, "SIGKILL"),
      ).length;
    case "server":
      return signal(server, "SIGKILL") ? 1 : 0;
    case "machine": {
      // All stand still before the first one ends, so that nobody gets to see another's end.
      if (!signal(server, "SIGSTOP")) return 0;
      const stopped = new Set<number>([server]);
      for (;;) {
        const fresh = markedProcesses(place).filter(({ pid }) => !stopped.has(pid));
        if (fresh.length === 0) break;
        for (const { pid } of fresh) {
          stopped.add(pid);
          signal(pid, "SIGSTOP");
        }
      }
      for (const pid of stopped) signal(pid, "SIGKILL");
      return stopped.size;
    }
  }
}
