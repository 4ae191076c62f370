import type { ReactNode } from "react";
import { AUTONOMY_ORDER, type Autonomy, type PermissionMode } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Field, Select } from "../../../ui/field.tsx";
import { Badge } from "../../../ui/states.tsx";
import { mostAutonomy, usePolicy } from "./data.ts";
import { Choice, Wrong, type PartProps } from "./parts.tsx";
import { t } from "../../../ui/language/t.ts";

/** The two that people choose between. */
const MAIN = ["sdk", "bypassPermissions"] as const satisfies readonly PermissionMode[];
type Main = (typeof MAIN)[number];

const WHEN: Readonly<Record<Main, { readonly label: string; readonly text: string }>> = {
  sdk: {
    label: t("Ask before changes"),
    text: t(
      "Reads run on their own. Every edit and command waits for your approval. Other clients call it Review & Approve (SDK).",
    ),
  },
  bypassPermissions: {
    label: t("Auto Execute"),
    text: t("Runs without asking. Policy blocks still apply. Use only in folders you can afford to lose."),
  },
};

/** The other modes that a request may name, least first. */
const OTHERS: readonly { readonly mode: PermissionMode | ""; readonly label: string }[] = [
  { mode: "", label: t("Profile default") },
  { mode: "plan", label: t("Plan: read-only tools") },
  { mode: "dontAsk", label: t("Never ask: block what would need approval") },
  { mode: "acceptEdits", label: t("Accept edits: change workspace files without asking") },
  { mode: "default", label: t("Default: the profile’s autonomy") },
  { mode: "toolApproval", label: t("Review & Approve (CLI): same as Ask before changes, maybe unreliable elsewhere") },
  { mode: "mcpApproval", label: t("mcpApproval (same as Ask before changes)") },
  { mode: "mcpProxy", label: t("mcpProxy (same as Ask before changes)") },
];
/** Stands for the two main modes in the list of the others. */
const MAIN_MODE = "main";
const isMain = (mode: string): mode is Main => (MAIN as readonly string[]).includes(mode);

const AUTONOMY: Readonly<Record<Autonomy, string>> = {
  read_only: t("read_only: only reads the profile allows"),
  restricted: t("restricted: everything needs approval"),
  supervised: t("supervised: reads run, changes and other commands need approval"),
  full: t("full: runs without asking"),
};

/** The profile that counts, and the most that it allows this person. */
function useMost(draft: PartProps["draft"]): { readonly name: string; readonly most: Autonomy } {
  const { me } = useConnection();
  const { data: policy } = usePolicy();
  const name = (draft.profile === "" ? policy?.default_profile : draft.profile) ?? "";
  return { name, most: mostAutonomy(policy?.profiles[name], me.role) };
}

/** The one question about permissions that everybody answers. */
export function PermissionField({ draft, change, problems }: PartProps): ReactNode {
  const { name, most } = useMost(draft);
  const tooMuch = most !== "full";
  return (
    <fieldset>
      <legend className="mb-2 text-sm font-medium">{t("Permission mode")}</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {MAIN.map((mode) => (
          <Choice
            key={mode}
            name="mode"
            label={WHEN[mode].label}
            badge={mode === "sdk" ? <Badge tone="ok">{t("recommended")}</Badge> : undefined}
            checked={draft.mode === mode}
            disabled={mode === "bypassPermissions" && tooMuch}
            onChange={() => change({ mode })}
          >
            {mode === "bypassPermissions" && tooMuch
              ? t("The profile {name} allows {most} at most.", { name, most })
              : WHEN[mode].text}
          </Choice>
        ))}
      </div>
      {!isMain(draft.mode) && <p className="mt-2 text-sm text-soft">{t("Another mode is set under Advanced.")}</p>}
      <Wrong text={problems.mode} />
    </fieldset>
  );
}

/** The other modes, and the autonomy. */
export function OtherPermissions({ draft, change, problems }: PartProps): ReactNode {
  const { most } = useMost(draft);
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <Field label={t("Another mode")} hint={t("In place of the two above.")}>
        {(ids) => (
          <Select
            {...ids}
            value={isMain(draft.mode) ? MAIN_MODE : draft.mode}
            onChange={({ target }) =>
              change({ mode: target.value === MAIN_MODE ? "sdk" : (target.value as PermissionMode | "") })
            }
          >
            <option value={MAIN_MODE}>{t("None")}</option>
            {OTHERS.map(({ mode, label }) => (
              <option key={mode} value={mode}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field
        label={t("Autonomy")}
        error={problems.autonomy}
        hint={t("What runs without asking. The mode can lower it, never raise it.")}
      >
        {(ids) => (
          <Select
            {...ids}
            value={draft.autonomy}
            onChange={(event) => change({ autonomy: event.target.value as Autonomy | "" })}
          >
            <option value="">{t("Set by mode and profile")}</option>
            {AUTONOMY_ORDER.map((level) => (
              <option key={level} value={level} disabled={AUTONOMY_ORDER.indexOf(level) > AUTONOMY_ORDER.indexOf(most)}>
                {AUTONOMY[level]}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </div>
  );
}
