import type { ReactNode } from "react";
import type { Approval } from "../../../protocol/index.ts";
import { fieldsOf, type EditedToolInput } from "./edit.ts";
import { JsonView, PreviewView } from "./preview.tsx";
import { visible, visibleCommand } from "../../ui/visible.ts";
import { exactMoney } from "../../ui/words.tsx";
import { t } from "../../ui/language/t.ts";

/** A call that a person changed before approving it: first what ran, then what was requested. */
export function ChangedCall({
  approval,
  changed,
}: {
  readonly approval: Approval;
  readonly changed: EditedToolInput;
}): ReactNode {
  const { tool, preview, input } = approval;
  const fields = fieldsOf(tool, changed);
  const path = changed["file_path"] ?? changed["notebook_path"];
  return (
    <>
      <section aria-label={t("Approved as changed")} className="space-y-2">
        <h3 className="text-sm font-medium">{t("Approved as changed")}</h3>
        {typeof path === "string" && <code className="block text-sm break-all">{visibleCommand(path)}</code>}
        {fields.length === 0 ? (
          <JsonView value={changed} />
        ) : (
          fields.map(({ label, text }) => (
            <figure key={label}>
              {fields.length > 1 && <figcaption className="mb-1 text-xs text-faint">{label}</figcaption>}
              <pre
                tabIndex={0}
                aria-label={label}
                className="max-h-[50dvh] overflow-auto rounded-lg border bg-paper p-3 text-sm whitespace-pre-wrap [overflow-wrap:anywhere]"
              >
                {visibleCommand(text)}
              </pre>
            </figure>
          ))
        )}
      </section>
      <details>
        <summary className="cursor-pointer py-1 text-sm text-soft">{t("What was asked for")}</summary>
        <div className="pt-2">
          <PreviewView preview={preview} input={input} />
        </div>
      </details>
    </>
  );
}

/** A person's answer to an agent's question, or the new limit. */
export function GivenAnswer({
  approval,
  given,
}: {
  readonly approval: Approval;
  readonly given: EditedToolInput;
}): ReactNode {
  const { preview } = approval;
  const limit = given["limit_microusd"];
  if (preview.type === "budget" && typeof limit === "number")
    return <p className="text-sm">{t("New limit: {amount}", { amount: exactMoney(limit) })}</p>;
  const answers = given["answers"];
  if (preview.type !== "question" || typeof answers !== "object" || answers === null) return <JsonView value={given} />;
  return (
    <dl className="space-y-2 text-sm">
      {Object.entries(answers as EditedToolInput).map(([question, answer]) => (
        <div key={question}>
          <dt className="text-soft">{visible(question)}</dt>
          <dd className="font-medium">{visible(Array.isArray(answer) ? answer.join(", ") : String(answer))}</dd>
        </div>
      ))}
    </dl>
  );
}
