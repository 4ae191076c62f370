import type { PipelineStep, Ruling } from "../../../../protocol/index.ts";
import { t } from "../../../ui/language/t.ts";

export type StepName = PipelineStep | "execute" | "journal";

/** The ten steps, in order, in words. */
export const STEPS: readonly { readonly name: StepName; readonly does: string }[] = [
  { name: "schema", does: t("The input matches the tool’s schema.") },
  { name: "tool", does: t("The tool exists and is available to the session.") },
  { name: "policy", does: t("No deny rule matches, and the host is allowed.") },
  { name: "paths", does: t("Its paths stay in the workspace, links included.") },
  { name: "hooks", does: t("The shell guard allows it, if the profile uses it.") },
  { name: "autonomy", does: t("Autonomy, rules and grants decide whether it runs or needs approval.") },
  { name: "approval", does: t("A person approves.") },
  { name: "limits", does: t("The turn has steps and budget left.") },
  { name: "execute", does: t("It runs.") },
  { name: "journal", does: t("The result is journaled.") },
];

export type StepState = "passed" | "allowed" | "asks" | "refused" | "waits" | "skipped" | "follows" | "not reached";

/** What each step does with a call that was ruled on. */
export function stepStates({ effect, step }: Pick<Ruling, "effect" | "step">): readonly StepState[] {
  const decided = STEPS.findIndex(({ name }) => name === step);
  return STEPS.map(({ name }, index): StepState => {
    if (index < decided) return "passed";
    if (index === decided) return effect === "allow" ? "allowed" : effect === "ask" ? "asks" : "refused";
    if (effect === "deny") return "not reached";
    if (name === "approval") return effect === "ask" ? "waits" : "skipped";
    return "follows";
  });
}

export const EFFECT_WORDS: Readonly<Record<Ruling["effect"], string>> = {
  allow: t("It would run without asking."),
  ask: t("It would need approval."),
  deny: t("It would be blocked."),
};
