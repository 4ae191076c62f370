import type { LongRunEnd, LongRunView } from "../../../../protocol/index.ts";
import type { Tone } from "../../../ui/states.tsx";
import { t } from "../../../ui/language/t.ts";

const ENDS: Readonly<Record<LongRunEnd, { readonly label: string; readonly tone: Tone }>> = {
  all_pass: { label: t("all features pass"), tone: "ok" },
  no_progress: { label: t("ended without progress"), tone: "warn" },
  max_sessions: { label: t("had all its sessions"), tone: "warn" },
  budget: { label: t("budget is used up"), tone: "warn" },
  failed: { label: t("failed"), tone: "bad" },
  stopped: { label: t("stopped"), tone: "plain" },
};

export function runWords({ status, end }: Pick<LongRunView, "status" | "end">): {
  readonly label: string;
  readonly tone: Tone;
} {
  switch (status) {
    case "working":
      return { label: t("working"), tone: "info" };
    case "waiting":
      return { label: t("between two sessions"), tone: "info" };
    case "paused":
      return { label: t("paused"), tone: "warn" };
    case "ended":
      return end === undefined ? { label: t("ended"), tone: "plain" } : ENDS[end];
  }
}

/** The part of a whole, from 0 to 100. Nothing of nothing is 0. */
export function percent(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.max(0, Math.min(100, Math.round((part / whole) * 100)));
}
