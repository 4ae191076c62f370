import type { PipelineStep, Ruling } from "../../../../protocol/index.ts";

export type StepName = PipelineStep | "execute" | "journal";

/** The ten steps, in order, in words. */
export const STEPS: readonly { readonly name: StepName; readonly does: string }[] = [
  { name: "schema", does: "The input fits the tool." },
  { name: "tool", does: "The tool exists and is on the session’s list." },
  { name: "policy", does: "No deny rule names it; its host is one that may be reached." },
  { name: "paths", does: "Its paths stay in the workspace, links followed." },
  { name: "hooks", does: "The shell guard lets it pass, where the profile has it." },
  { name: "autonomy", does: "The autonomy, the rules and the grants let it run or have it asked." },
  { name: "approval", does: "A person says yes." },
  { name: "limits", does: "The turn has messages and money left." },
  { name: "execute", does: "It runs." },
  { name: "journal", does: "What it did is written down." },
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
  allow: "It would run without a question.",
  ask: "A person would be asked.",
  deny: "It would be refused.",
};
