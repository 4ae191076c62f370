import { useId, useState, type FormEvent, type ReactNode } from "react";
import type { Approval, Question } from "../../../protocol/index.ts";
import { Button } from "../../ui/button.tsx";
import { Input } from "../../ui/field.tsx";
import { Badge } from "../../ui/states.tsx";
import { answersOf, choose, chooseOther, isAnswered, NOTHING_CHOSEN, type Chosen } from "../../ui/answers.ts";
import { InFooter } from "./footer-slot.tsx";
import { visible } from "../../ui/visible.ts";
import { plural, t } from "../../ui/language/t.ts";

/** The agent's own questions as a form. `onAnswer` undefined: read-only. */
export function QuestionForm({
  approval,
  questions,
  busy,
  onAnswer,
}: {
  readonly approval: Approval;
  readonly questions: readonly Question[];
  readonly busy: boolean;
  readonly onAnswer: ((input: Approval["input"]) => void) | undefined;
}): ReactNode {
  const form = useId();
  const [chosen, setChosen] = useState<readonly Chosen[]>([]);
  const open = questions.filter((_, index) => !isAnswered(chosen[index] ?? NOTHING_CHOSEN)).length;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (open === 0) onAnswer?.({ ...approval.input, answers: answersOf(questions, chosen) });
  };
  return (
    <form id={form} onSubmit={submit} className="space-y-4">
      {questions.map((question, index) => (
        <One
          key={index}
          question={question}
          chosen={chosen[index] ?? NOTHING_CHOSEN}
          disabled={onAnswer === undefined || busy}
          onChange={(next) =>
            setChosen((before) =>
              questions.map((_, other) => (other === index ? next : (before[other] ?? NOTHING_CHOSEN))),
            )
          }
        />
      ))}
      {onAnswer !== undefined && (
        <InFooter>
          <Button type="submit" form={form} variant="primary" disabled={open > 0} busy={busy}>
            {plural({ one: "Send the answer", other: "Send the answers" }, { count: questions.length })}
          </Button>
          {open > 0 && (
            <span className="self-center text-sm text-soft">
              {plural(
                { one: "{count} question left to answer", other: "{count} questions left to answer" },
                { count: open },
              )}
            </span>
          )}
        </InFooter>
      )}
    </form>
  );
}

interface OneProps {
  readonly question: Question;
  readonly chosen: Chosen;
  readonly disabled: boolean;
  readonly onChange: (chosen: Chosen) => void;
}

function One({
  question: { question, header, options, multiSelect, link },
  chosen,
  disabled,
  onChange,
}: OneProps): ReactNode {
  const name = useId();
  const kind = multiSelect ? "checkbox" : "radio";
  return (
    <fieldset disabled={disabled} className="space-y-2">
      <legend className="mb-1 flex flex-wrap items-center gap-2 text-sm font-medium">
        {header !== "" && <Badge tone="accent">{visible(header)}</Badge>}
        <span className="whitespace-pre-wrap">{visible(question)}</span>
        {multiSelect && <span className="font-normal text-faint">{t("choose any number")}</span>}
      </legend>
      {link !== undefined && /^https?:/.test(link) && (
        <a
          href={link}
          target="_blank"
          rel="noopener noreferrer"
          className="block text-sm break-all text-accent underline"
        >
          {visible(link)}
        </a>
      )}
      {options.map((option, index) => (
        <label
          key={index}
          className="flex cursor-pointer gap-3 rounded-lg border px-3 py-2 has-checked:border-accent has-checked:bg-accent-soft"
        >
          <input
            type={kind}
            name={name}
            checked={chosen.labels.includes(option.label)}
            onChange={() => onChange(choose(chosen, option.label, multiSelect))}
            className="mt-1 size-4 shrink-0 accent-accent"
          />
          <span className="min-w-0 flex-1 text-sm">
            <span className="block font-medium">{visible(option.label)}</span>
            <span className="block text-soft">{visible(option.description)}</span>
            {option.preview !== undefined && option.preview !== "" && (
              <code className="mt-1.5 block max-h-60 overflow-auto rounded border bg-paper p-2 text-xs whitespace-pre-wrap [overflow-wrap:anywhere]">
                {visible(option.preview)}
              </code>
            )}
          </span>
        </label>
      ))}
      <Other
        kind={kind}
        name={name}
        chosen={chosen}
        onChange={(words) => onChange(chooseOther(chosen, words, multiSelect))}
      />
    </fieldset>
  );
}

function Other({
  kind,
  name,
  chosen,
  onChange,
}: {
  readonly kind: "radio" | "checkbox";
  readonly name: string;
  readonly chosen: Chosen;
  readonly onChange: (words: string | undefined) => void;
}): ReactNode {
  const id = useId();
  const on = chosen.other !== undefined;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border px-3 py-2 has-checked:border-accent has-checked:bg-accent-soft">
      <input
        id={id}
        type={kind}
        name={name}
        checked={on}
        onChange={(event) => onChange(event.target.checked ? (chosen.other ?? "") : undefined)}
        className="size-4 shrink-0 accent-accent"
      />
      <label htmlFor={id} className="cursor-pointer text-sm font-medium">
        {t("Other")}
      </label>
      <Input
        aria-label={t("Your own answer")}
        className="h-9 min-w-40 flex-1"
        value={chosen.other ?? ""}
        placeholder={t("In your own words")}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
