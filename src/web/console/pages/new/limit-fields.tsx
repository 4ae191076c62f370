import type { ReactNode } from "react";
import { BUILT_IN_TOOL_NAMES, type Profile } from "../../../../protocol/index.ts";
import { Field, Input, Select, TextArea } from "../../../ui/field.tsx";
import { classes } from "../../../ui/classes.ts";
import { money } from "../../../ui/words.tsx";
import { usePolicy } from "./data.ts";
import { toolNames } from "./draft.ts";
import type { PartProps } from "./parts.tsx";
import { t } from "../../../ui/language/t.ts";

export function ProfileField({ draft, change, problems }: PartProps): ReactNode {
  const { data: policy } = usePolicy();
  const name = draft.profile === "" ? (policy?.default_profile ?? "") : draft.profile;
  return (
    <Field label={t("Policy profile")} error={problems.profile} hint={policy?.profiles[name]?.description}>
      {(ids) => (
        <Select {...ids} value={draft.profile} onChange={(event) => change({ profile: event.target.value })}>
          <option value="">
            {policy === undefined ? t("The default") : t("Default: {id}", { id: policy.default_profile })}
          </option>
          {Object.keys(policy?.profiles ?? {}).map((profile) => (
            <option key={profile} value={profile}>
              {profile}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

export function BudgetField({ draft, change, problems }: PartProps): ReactNode {
  const { data: policy } = usePolicy();
  const profile = policy?.profiles[draft.profile === "" ? policy.default_profile : draft.profile];
  return (
    <Field label={t("Budget")} error={problems.budget} hint={budgetWords(profile)}>
      {(ids) => (
        <div className="relative">
          <span aria-hidden className="pointer-events-none absolute top-2.5 start-3 text-sm text-faint">
            $
          </span>
          <Input
            {...ids}
            inputMode="decimal"
            autoComplete="off"
            value={draft.budget}
            placeholder={profile?.require_max_cost === true ? t("Needed") : t("No limit")}
            className="ps-7! tabular-nums"
            onChange={(event) => change({ budget: event.target.value })}
          />
        </div>
      )}
    </Field>
  );
}

function budgetWords(profile: Profile | undefined): string {
  const { max_cost_microusd: most, default_max_cost_microusd: usual, require_max_cost: needed } = profile ?? {};
  const parts = [
    t("The most this session can cost, in dollars."),
    needed === true
      ? t("The policy requires one.")
      : usual === undefined
        ? ""
        : t("Empty: {usual}.", { usual: money(usual) }),
    most === undefined ? "" : t("At most {most}.", { most: money(most) }),
  ];
  return parts.filter((part) => part !== "").join(" ");
}

export function ToolsField({ draft, change, problems }: PartProps): ReactNode {
  const names = toolNames(draft.tools);
  const toggle = (tool: string): void =>
    change({ tools: (names.includes(tool) ? names.filter((name) => name !== tool) : [...names, tool]).join(", ") });
  return (
    <div className="space-y-2">
      <Field
        label={t("Only these tools")}
        error={problems.tools}
        hint={t("Empty: all tools of the profile. * matches anything.")}
      >
        {(ids) => (
          <TextArea
            {...ids}
            rows={2}
            spellCheck={false}
            value={draft.tools}
            placeholder={t("All tools of the profile")}
            onChange={(event) => change({ tools: event.target.value })}
          />
        )}
      </Field>
      <div role="group" aria-label={t("Tools to choose from")} className="flex flex-wrap gap-1.5">
        {BUILT_IN_TOOL_NAMES.map((tool) => (
          <button
            key={tool}
            type="button"
            aria-pressed={names.includes(tool)}
            onClick={() => toggle(tool)}
            className={classes(
              "rounded-md border px-2 py-1 text-xs",
              names.includes(tool) ? "border-accent bg-accent-soft text-ink" : "text-soft hover:bg-panel",
            )}
          >
            {tool}
          </button>
        ))}
      </div>
    </div>
  );
}
