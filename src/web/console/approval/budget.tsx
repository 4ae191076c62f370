import { useState, type FormEvent, type ReactNode } from "react";
import type { Approval, Preview } from "../../../protocol/index.ts";
import { Button } from "../ui/button.tsx";
import { Field, Input } from "../ui/field.tsx";
import { writeDollars, parseDollars } from "../ui/dollars.ts";

/** A limit is reached: what is asked, and how much it shall be from now on. `onAnswer` undefined: it can only be read. */
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
  const [text, setText] = useState(() => writeDollars(proposed_limit_microusd));
  const limit = parseDollars(text);
  const error =
    limit === undefined
      ? "Write an amount in dollars, such as 2.50."
      : limit <= shortage.limit_microusd
        ? `It must be more than the limit of now, $${writeDollars(shortage.limit_microusd)}.`
        : undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (limit !== undefined && error === undefined) onAnswer?.({ limit_microusd: limit });
  };
  const facts = [
    ["Limit", shortage.limit_microusd],
    ["Spent", shortage.spent_microusd],
    ["Reserved", shortage.reserved_microusd],
    ["Asked for at most", shortage.asked_microusd],
  ] as const;
  return (
    <form onSubmit={submit} className="space-y-4">
      <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border bg-line sm:grid-cols-4">
        {facts.map(([name, amount]) => (
          <div key={name} className="bg-paper px-3 py-2">
            <dt className="text-xs text-faint">{name}</dt>
            <dd className="text-base font-semibold tabular-nums">${writeDollars(amount)}</dd>
          </div>
        ))}
      </dl>
      {onAnswer !== undefined && (
        <div className="flex flex-wrap items-start gap-3">
          <Field label="New limit, in dollars" error={error} className="w-56">
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
          <Button type="submit" variant="secondary" className="mt-[1.65rem]" disabled={error !== undefined} busy={busy}>
            {limit === undefined ? "Set the limit" : `Set the limit to $${writeDollars(limit)}`}
          </Button>
        </div>
      )}
    </form>
  );
}
