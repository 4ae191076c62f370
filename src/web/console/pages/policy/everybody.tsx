import type { ReactNode } from "react";
import { Field, Select } from "../../../ui/field.tsx";
import { problemsAt } from "./draft.ts";
import { NumberEditor } from "./field-editors.tsx";
import type { FieldSpec } from "./field-kinds.ts";
import type { PolicyEditor } from "./use-draft.ts";
import { valueWords } from "./value-words.ts";
import type { Policy } from "../../../../protocol/index.ts";
import { t } from "../../../ui/language/t.ts";

const BUDGETS = [
  {
    name: "per_day_microusd",
    spec: {
      kind: "dollars",
      label: t("Daily limit, all users"),
      hint: t("Days start at midnight UTC."),
      absent: t("no limit"),
    },
  },
  {
    name: "total_microusd",
    spec: {
      kind: "dollars",
      label: t("Total limit, all users"),
      hint: t("All sessions, all time."),
      absent: t("no limit"),
    },
  },
] as const satisfies readonly { readonly name: keyof NonNullable<Policy["budget"]>; readonly spec: FieldSpec }[];

/** Settings of all profiles: the default profile, and the global limits. */
export function EverybodyEditor({ editor }: { readonly editor: PolicyEditor }): ReactNode {
  const { draft, problems } = editor;
  const setBudget = (name: (typeof BUDGETS)[number]["name"], value: unknown): void => {
    const { [name]: _, ...others } = draft.budget ?? {};
    const { budget: __, ...policy } = draft;
    const budget = value === undefined ? others : { ...others, [name]: value };
    editor.setDraft(Object.keys(budget).length === 0 ? policy : { ...policy, budget });
  };
  return (
    <div className="grid grid-cols-1 gap-4 md:grid-cols-3">
      <Field
        label={t("Default profile")}
        hint={t("Used when a session does not choose one.")}
        error={problemsAt(problems, "default_profile")[0]?.message}
      >
        {(ids) => (
          <Select
            {...ids}
            value={draft.default_profile}
            onChange={(event) => editor.setDraft({ ...draft, default_profile: event.target.value })}
          >
            {Object.keys(draft.profiles).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        )}
      </Field>
      {BUDGETS.map(({ name, spec }) => (
        <NumberEditor
          key={`${name}-${editor.round}`}
          kind="dollars"
          spec={spec}
          value={draft.budget?.[name]}
          problems={problemsAt(problems, `budget.${name}`)}
          onChange={(value) => setBudget(name, value)}
          onWrong={(wrong) => editor.setWrong(`budget.${name}`, wrong)}
        />
      ))}
    </div>
  );
}

export function EverybodyView({ policy }: { readonly policy: Policy }): ReactNode {
  return (
    <dl className="grid gap-3 text-sm md:grid-cols-3">
      <div>
        <dt className="text-soft">{t("Default profile")}</dt>
        <dd className="font-medium">{policy.default_profile}</dd>
      </div>
      {BUDGETS.map(({ name, spec }) => (
        <div key={name}>
          <dt className="text-soft">{spec.label}</dt>
          <dd className={policy.budget?.[name] === undefined ? "text-faint" : "font-medium"}>
            {valueWords(spec, policy.budget?.[name])}
          </dd>
        </div>
      ))}
    </dl>
  );
}
