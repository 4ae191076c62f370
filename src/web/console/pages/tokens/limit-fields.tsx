import type { ReactNode } from "react";
import { AUTONOMY_ORDER } from "../../../../protocol/index.ts";
import { SelectField, TextField } from "../../../ui/field.tsx";
import type { LimitFields } from "./limits.ts";
import { t } from "../../../ui/language/t.ts";

const LIVES = [
  ["", t("until it is deleted (a visitor: an hour)")],
  ["900", t("15 minutes")],
  ["3600", t("an hour")],
  ["86400", t("a day")],
  ["2592000", t("30 days")],
  ["31536000", t("a year")],
] as const;

const TEXTS: readonly {
  readonly name: keyof LimitFields;
  readonly label: string;
  readonly hint: string;
  readonly example: string;
  readonly kind?: "decimal" | "numeric";
}[] = [
  { name: "profile", label: t("Profile"), hint: t("Of all its sessions."), example: "code-assist" },
  {
    name: "tools",
    label: t("Tools"),
    hint: t("The only ones of its sessions; patterns, with spaces between."),
    example: "mcp__shop__*",
  },
  {
    name: "origins",
    label: t("Web origins"),
    hint: t("The only pages that it works from."),
    example: "https://shop.example.org",
  },
  { name: "roots", label: t("Folders"), hint: t("Its sessions work below these. Absolute."), example: "/srv/project" },
  {
    name: "maxCost",
    label: t("Money in all, in dollars"),
    hint: t("All its sessions together, ever."),
    example: "20",
    kind: "decimal",
  },
  {
    name: "maxCostPerDay",
    label: t("Money a day, in dollars"),
    hint: t("From midnight to midnight, UTC."),
    example: "5",
    kind: "decimal",
  },
  {
    name: "maxConcurrent",
    label: t("Sessions at once"),
    hint: t("Those that have not ended."),
    example: "3",
    kind: "numeric",
  },
];

/** What the token may do at most, collapsed by default. */
export function LimitFieldset({
  value,
  onChange,
}: {
  readonly value: LimitFields;
  readonly onChange: (value: LimitFields) => void;
}): ReactNode {
  const set = (name: keyof LimitFields, text: string): void => onChange({ ...value, [name]: text });
  return (
    <details className="rounded-lg border px-3 py-2.5">
      <summary className="cursor-pointer text-sm font-medium">{t("Limits")}</summary>
      <div className="mt-3 grid grid-cols-1 gap-4 sm:grid-cols-2">
        <SelectField
          label={t("Expires after")}
          hint={t("Its connections end then, too.")}
          value={value.expiresIn}
          onChange={(choice) => set("expiresIn", choice)}
        >
          {LIVES.map(([seconds, words]) => (
            <option key={seconds} value={seconds}>
              {words}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={t("Most autonomy")}
          hint={t("What its sessions may ask for.")}
          value={value.maxAutonomy}
          onChange={(choice) => set("maxAutonomy", choice)}
        >
          <option value="">{t("as the policy says")}</option>
          {AUTONOMY_ORDER.map((level) => (
            <option key={level} value={level}>
              {level}
            </option>
          ))}
        </SelectField>
        {TEXTS.map(({ name, label, hint, example, kind }) => (
          <TextField
            key={name}
            label={label}
            hint={hint}
            {...(kind === undefined ? {} : { inputMode: kind })}
            value={value[name]}
            placeholder={example}
            autoComplete="off"
            onChange={(text) => set(name, text)}
          />
        ))}
      </div>
    </details>
  );
}
