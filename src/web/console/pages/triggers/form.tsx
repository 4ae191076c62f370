import type { ReactNode } from "react";
import type { Template } from "../../../../protocol/index.ts";
import { Field, Input, Select } from "../../../ui/field.tsx";
import { amountProblem } from "../tokens/keys/key-fields.ts";
import type { TriggerFields } from "./fields.ts";

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
      <Field label="Name">
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
        label="Template"
        hint={
          templates.length === 0
            ? "There is none yet: make one under New session, with Save as template."
            : "What its sessions begin with. They act with your token, policy and budget."
        }
      >
        {(ids) => (
          <Select
            {...ids}
            required
            value={fields.template}
            onChange={(event) => onChange({ template: event.target.value })}
          >
            <option value="">Choose a template</option>
            {templates.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field
        label="Dollars for each session"
        hint="As the template says if empty."
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
