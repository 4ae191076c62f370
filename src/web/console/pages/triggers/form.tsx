import type { ReactNode } from "react";
import type { Template } from "../../../../protocol/index.ts";
import { SelectField, TextField } from "../../../ui/field.tsx";
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
      <TextField
        label={t("Name")}
        autoFocus
        required
        maxLength={200}
        value={fields.name}
        placeholder={example}
        onChange={(text) => onChange({ name: text })}
      />
      <SelectField
        label={t("Template")}
        hint={
          templates.length === 0
            ? t("There is none yet: make one under New session, with Save as template.")
            : t("What its sessions begin with. They act with your token, policy and budget.")
        }
        required
        value={fields.template}
        onChange={(choice) => onChange({ template: choice })}
      >
        <option value="">{t("Choose a template")}</option>
        {templates.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextField
        label={t("Dollars for each session")}
        hint={t("As the template says if empty.")}
        error={amountProblem(fields.maxCost)}
        inputMode="decimal"
        value={fields.maxCost}
        placeholder="2.50"
        onChange={(text) => onChange({ maxCost: text })}
      />
    </>
  );
}
