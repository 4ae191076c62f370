import { CirclePause, CirclePlay, type LucideIcon } from "lucide-react";
import type { SessionView } from "../../../../protocol/index.ts";
import { t } from "../../../ui/language/t.ts";

export const hasEnded = ({ status }: SessionView): boolean => status === "complete" || status === "failed";

export const pauseOf = (
  session: SessionView,
): { readonly icon: LucideIcon; readonly verb: "pause" | "resume"; readonly label: string } =>
  session.status === "paused"
    ? { icon: CirclePlay, verb: "resume", label: t("Resume") }
    : { icon: CirclePause, verb: "pause", label: t("Pause") };
