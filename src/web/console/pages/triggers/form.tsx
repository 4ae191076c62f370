import type { ReactNode } from "react";
import type { Template } from "../../../../protocol/index.ts";
import { Field, Input, Select } from "../../../ui/field.tsx";
import { amountProblem } from "../tokens/keys/key-fields.ts";
import type { TriggerFields } from "./fields.ts";
import { t } from "../../../ui/language/t.ts";

export function TriggerFieldset({
  fields,
  templates,
  example,
  onChange,
}: {
  readonly fields: TriggerFields;
  readonly templates: readonly Template[];
  readonly example: string;
  readonly onChange: (change: Partial<TriggerFields>) => void;
}): ReactNode {
  return (
    <>
      <Field label={t("Name")}>
        {(ids) => (
          <Input
            {...ids}
            autoFocus
            required
            maxLength={200}
            value={fields.name}
            placeholder={example}
            onChange={(event) => onChange({ name: event.target.value })}
          />
        )}
      </Field>
      <Field
        label={t("Template")}
        hint={
          templates.length === 0
            ? t("There is none yet: make one under New session, with Save as template.")
            : t("What its sessions begin with. They act with your token, policy and budget.")
        }
      >
        {(ids) => (
          <Select
            {...ids}
            required
            value={fields.template}
            onChange={(event) => onChange({ template: event.target.value })}
          >
            <option value="">{t("Choose a template")}</option>
            {templates.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field
        label={t("Dollars for each session")}
        hint={t("As the template says if empty.")}
        error={amountProblem(fields.maxCost)}
      >
        {(ids) => (
          <Input
            {...ids}
            inputMode="decimal"
            value={fields.maxCost}
            placeholder="2.50"
            onChange={(event) => onChange({ maxCost: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}
