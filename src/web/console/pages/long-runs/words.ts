import type { LongRunEnd, LongRunView } from "../../../../protocol/index.ts";
import type { Tone } from "../../../ui/states.tsx";

const ENDS: Readonly<Record<LongRunEnd, { readonly label: string; readonly tone: Tone }>> = {
  all_pass: { label: "all features pass", tone: "ok" },
  no_progress: { label: "ended without progress", tone: "warn" },
  max_sessions: { label: "had all its sessions", tone: "warn" },
  budget: { label: "budget is used up", tone: "warn" },
  failed: { label: "failed", tone: "bad" },
  stopped: { label: "stopped", tone: "plain" },
};

export function runWords({ status, end }: Pick<LongRunView, "status" | "end">): {
  readonly label: string;
  readonly tone: Tone;
} {
  switch (status) {
    case "working":
      return { label: "working", tone: "info" };
    case "waiting":
      return { label: "between two sessions", tone: "info" };
    case "paused":
      return { label: "paused", tone: "warn" };
    case "ended":
      return end === undefined ? { label: "ended", tone: "plain" } : ENDS[end];
  }
}

/** The part of a whole, from 0 to 100. Nothing of nothing is 0. */
export function percent(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.max(0, Math.min(100, Math.round((part / whole) * 100)));
}
