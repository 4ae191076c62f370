import { useId, useState, type FormEvent, type ReactNode } from "react";
import type { Approval, Preview } from "../../../protocol/index.ts";
import { Button } from "../../ui/button.tsx";
import { InFooter } from "./footer-slot.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { writeDollars, parseDollars } from "../../ui/dollars.ts";
import { exactMoney, money } from "../../ui/words.tsx";
import { t } from "../../ui/language/t.ts";

/** In micro-USD. */
const CENT = 10_000;

/** A limit is reached: what is asked, and the new limit. `onAnswer` undefined: read-only. */
export function BudgetForm({
  preview,
  busy,
  onAnswer,
}: {
  readonly preview: Extract<Preview, { type: "budget" }>;
  readonly busy: boolean;
  readonly onAnswer: ((input: Approval["input"]) => void) | undefined;
}): ReactNode {
  const { shortage, proposed_limit_microusd } = preview;
  const form = useId();
  const [text, setText] = useState(() => writeDollars(Math.ceil(proposed_limit_microusd / CENT) * CENT));
  const limit = parseDollars(text);
  const error =
    limit === undefined
      ? t("Enter an amount in dollars, such as 2.50.")
      : limit <= shortage.limit_microusd
        ? t("Enter more than the current limit of {limit}.", { limit: money(shortage.limit_microusd) })
        : undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (limit !== undefined && error === undefined) onAnswer?.({ limit_microusd: limit });
  };
  const facts = [
    [t("Limit"), shortage.limit_microusd],
    [t("Spent, at most"), shortage.spent_microusd],
    [t("Reserved"), shortage.reserved_microusd],
    [t("Next request, at most"), shortage.asked_microusd],
  ] as const;
  return (
    <form id={form} onSubmit={submit} className="space-y-4">
      <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border bg-line sm:grid-cols-4">
        {facts.map(([name, amount]) => (
          <div key={name} className="bg-paper px-3 py-2">
            <dt className="text-xs text-faint">{name}</dt>
            <dd className="text-base font-semibold tabular-nums">{money(amount)}</dd>
          </div>
        ))}
      </dl>
      {onAnswer !== undefined && (
        <>
          <Field label={t("New limit, in dollars")} error={error} className="w-56">
            {(ids) => (
              <Input
                {...ids}
                inputMode="decimal"
                value={text}
                onChange={(event) => setText(event.target.value)}
                aria-invalid={error !== undefined}
              />
            )}
          </Field>
          <InFooter>
            <Button type="submit" form={form} variant="primary" disabled={error !== undefined} busy={busy}>
              {limit === undefined ? t("Set the limit") : t("Set the limit to {amount}", { amount: exactMoney(limit) })}
            </Button>
          </InFooter>
        </>
      )}
    </form>
  );
}
