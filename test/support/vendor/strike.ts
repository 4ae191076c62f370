import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUDGET_TOOL, isToolItem, type JournalEvent, type StreamFrame } from "../../../src/protocol/index.ts";
import type { Dice } from "../money/dice.ts";
import type { Place } from "../server.ts";
import { isVendor, markedProcesses, signal } from "./processes.ts";

/** What is killed. `machine`: the server and all that it started end at once, as when the power fails. */
const STRIKES = ["vendor", "server", "machine"] as const;
export type StrikeKind = (typeof STRIKES)[number];

/** The first event of a type, the first question about a tool, the first result of one, or so many frames after the turn began. */
type Moment = JournalEvent["type"] | "tool.asked" | "tool.ended" | number;

/** One killing, in a turn. A moment that does not come is the turn's end. */
export interface Strike {
  readonly kind: StrikeKind;
  readonly at: Moment;
  /** After that moment. */
  readonly waitMs: number;
  /** Of a machine: what the vendor's program has written since the turn's prompt was not on the disk yet, which it never waits for. */
  readonly unwritten?: boolean;
}

const MOST_FRAMES = 30;
const LONGEST_WAIT_MS = 300;

/** `kinds`: what there is to kill; absent: all of it. */
export function rollStrike(dice: Dice, kinds: readonly StrikeKind[] = STRIKES): Strike {
  // At a frame, or between two of them.
  const waitMs = dice.chance(0.5) ? 0 : dice.between(0, LONGEST_WAIT_MS);
  const kind = dice.of(kinds);
  return { kind, at: dice.between(0, MOST_FRAMES), waitMs, unwritten: kind === "machine" && dice.chance(0.5) };
}

/** Whether this is the moment. `frames`: so many came since the turn began. */
export function isDue({ at }: Strike, frame: StreamFrame, frames: number): boolean {
  if (at === "tool.asked") return frame.type === "approval.requested" && frame.approval.tool !== BUDGET_TOOL;
  if (at === "tool.ended") return frame.type === "item.completed" && isToolItem(frame.item);
  return frame.type === at || frames === at;
}

interface Target {
  readonly place: Place;
  /** The server's pid. */
  readonly server: number;
  readonly session: string;
}

/** Ends what is to be ended, by pid. Answers what that was; empty: there was nothing to end. */
export function strike(kind: StrikeKind, { place, server, session }: Target): readonly number[] {
  switch (kind) {
    case "vendor":
      return markedProcesses(place)
        .filter((entry) => entry.session === session && isVendor(entry))
        .map(({ pid }) => pid)
        .filter((pid) => signal(pid, "SIGKILL"));
    case "server":
      return [server].filter((pid) => signal(pid, "SIGKILL"));
    case "machine": {
      // All stand still before the first one ends, so that nobody gets to see another's end.
      const stopped = new Set([server].filter((pid) => signal(pid, "SIGSTOP")));
      for (let fresh = -1; fresh !== stopped.size && stopped.size > 0;) {
        fresh = stopped.size;
        for (const { pid } of markedProcesses(place)) if (signal(pid, "SIGSTOP")) stopped.add(pid);
      }
      return [...stopped].filter((pid) => signal(pid, "SIGKILL"));
    }
  }
}

/** Where vendors' programs keep their records, in a session's folder, as lines. OpenCode's is a database, which waits for the disk. */
const RECORDS = ["claude/projects", "codex/sessions", "acp/.qwen", "acp/.claude/projects"] as const;
/** Lines of a record that hold a part of the conversation. */
const SAID = /^\{"(?:parentUuid|timestamp|uuid)"/;

/** Cuts the vendor's record of a session behind the last line with these words. */
export function cutRecord({ place, session }: Pick<Target, "place" | "session">, words: string): void {
  for (const records of RECORDS) {
    const folder = join(place.home, "engines", session, records);
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".jsonl")) continue;
      const lines = readFileSync(join(folder, name), "utf8").split("\n");
      const last = lines.findLastIndex((line) => SAID.test(line) && line.includes(words));
      if (last >= 0) writeFileSync(join(folder, name), `${lines.slice(0, last + 1).join("\n")}\n`);
    }
  }
}
