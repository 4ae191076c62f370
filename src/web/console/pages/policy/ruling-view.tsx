import type { ReactNode } from "react";
import type { Ruling } from "../../../../protocol/index.ts";
import { classes } from "../../../ui/classes.ts";
import { Badge, Note, type Tone } from "../../../ui/states.tsx";
import { EFFECT_WORDS, stepStates, STEPS, type StepState } from "./pipeline.ts";
import { rich, t } from "../../../ui/language/t.ts";

const EFFECT_TONES: Readonly<Record<Ruling["effect"], Tone>> = { allow: "ok", ask: "warn", deny: "bad" };
const STATE_TONES: Readonly<Record<StepState, Tone>> = {
  passed: "plain",
  allowed: "ok",
  asks: "warn",
  refused: "bad",
  waits: "warn",
  skipped: "plain",
  follows: "plain",
  "not reached": "plain",
};

/** What was ruled, and the ten steps with the one that decided. Absent: only the steps. */
export function RulingView({ ruling }: { readonly ruling: Ruling | undefined }): ReactNode {
  return (
    <div className="space-y-4">
      {ruling === undefined ? (
        <p className="text-sm text-soft">
          {t("Every tool call goes through these steps in order. Test one to see which step decides. Nothing runs.")}
        </p>
      ) : (
        <Note tone={EFFECT_TONES[ruling.effect]}>
          <p className="text-base font-semibold">{EFFECT_WORDS[ruling.effect]}</p>
          <p className="mt-1 break-words text-ink">{ruling.why}</p>
          <p className="mt-1 break-words text-ink">
            {ruling.rule === ""
              ? rich("Decided by {step}", { step: <strong className="font-semibold">{ruling.step}</strong> })
              : rich("Decided by {step}, rule {rule}", {
                  step: <strong className="font-semibold">{ruling.step}</strong>,
                  rule: <code className="rounded bg-raised px-1 py-0.5 text-xs">{ruling.rule}</code>,
                })}
          </p>
        </Note>
      )}
      <ol className="space-y-0.5">
        {STEPS.map((step, index) => (
          <Step
            key={step.name}
            number={index + 1}
            name={step.name}
            does={step.does}
            state={ruling && stepStates(ruling)[index]}
            isDeciding={ruling?.step === step.name}
          />
        ))}
      </ol>
    </div>
  );
}

function Step({
  number,
  name,
  does,
  state,
  isDeciding,
}: {
  readonly number: number;
  readonly name: string;
  readonly does: string;
  readonly state: StepState | undefined;
  readonly isDeciding: boolean;
}): ReactNode {
  return (
    <li
      aria-current={isDeciding ? "step" : undefined}
      className={classes(
        "flex items-start gap-3 rounded-lg border px-3 py-2 text-sm",
        isDeciding ? "border-line-strong bg-panel" : "border-transparent",
      )}
    >
      <span aria-hidden className="w-5 shrink-0 text-end text-faint tabular-nums">
        {number}
      </span>
      <span className="min-w-0 flex-1">
        <span className="font-medium">{name}</span> <span className="text-soft">{does}</span>
      </span>
      {state !== undefined && (
        <Badge tone={STATE_TONES[state]}>{isDeciding ? t("decides: {state}", { state }) : state}</Badge>
      )}
    </li>
  );
}
