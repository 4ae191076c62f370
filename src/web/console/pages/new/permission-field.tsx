import type { ReactNode } from "react";
import { AUTONOMY_ORDER, type Autonomy, type PermissionMode } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Field, Select } from "../../../ui/field.tsx";
import { Badge } from "../../../ui/states.tsx";
import { mostAutonomy, usePolicy } from "./data.ts";
import { Choice, Wrong, type PartProps } from "./parts.tsx";

/** The two that people choose between. */
const MAIN = ["sdk", "bypassPermissions"] as const satisfies readonly PermissionMode[];
type Main = (typeof MAIN)[number];

const WHEN: Readonly<Record<Main, { readonly label: string; readonly text: string }>> = {
  sdk: {
    label: "Ask before changes",
    text: "Reads run on their own. Every edit and command waits for your approval. Other clients call it Review & Approve (SDK).",
  },
  bypassPermissions: {
    label: "Auto Execute",
    text: "Runs without asking. Policy blocks still apply. Use only in folders you can afford to lose.",
  },
};

/** The other modes that a request may name, least first. */
const OTHERS: readonly { readonly mode: PermissionMode | ""; readonly label: string }[] = [
  { mode: "", label: "Profile default" },
  { mode: "plan", label: "Plan: read-only tools" },
  { mode: "dontAsk", label: "Never ask: block what would need approval" },
  { mode: "acceptEdits", label: "Accept edits: change workspace files without asking" },
  { mode: "default", label: "Default: the profile’s autonomy" },
  { mode: "toolApproval", label: "Review & Approve (CLI): same as Ask before changes, maybe unreliable elsewhere" },
  { mode: "mcpApproval", label: "mcpApproval (same as Ask before changes)" },
  { mode: "mcpProxy", label: "mcpProxy (same as Ask before changes)" },
];
const isMain = (mode: string): mode is Main => (MAIN as readonly string[]).includes(mode);

const AUTONOMY: Readonly<Record<Autonomy, string>> = {
  read_only: "read_only: only reads the profile allows",
  restricted: "restricted: everything needs approval",
  supervised: "supervised: reads run, changes and other commands need approval",
  full: "full: runs without asking",
};

export function PermissionField({ draft, change, problems }: PartProps): ReactNode {
  const { me } = useConnection();
  const { data: policy } = usePolicy();
  const name = draft.profile === "" ? policy?.default_profile : draft.profile;
  const most = mostAutonomy(policy?.profiles[name ?? ""], me.role);
  const tooMuch = most !== "full";
  return (
    <>
      <fieldset className="space-y-2">
        <legend className="mb-2 text-sm font-medium">Permission mode</legend>
        {MAIN.map((mode) => (
          <Choice
            key={mode}
            name="mode"
            label={WHEN[mode].label}
            badge={mode === "sdk" ? <Badge tone="ok">recommended</Badge> : undefined}
            checked={draft.mode === mode}
            disabled={mode === "bypassPermissions" && tooMuch}
            onChange={() => change({ mode })}
          >
            {mode === "bypassPermissions" && tooMuch
              ? `The profile ${name ?? ""} allows ${most} at most.`
              : WHEN[mode].text}
          </Choice>
        ))}
        <Choice name="mode" label="Another mode" checked={!isMain(draft.mode)} onChange={() => change({ mode: "" })}>
          {isMain(draft.mode) ? undefined : <OtherModes draft={draft} change={change} problems={problems} />}
        </Choice>
        <Wrong text={problems.mode} />
      </fieldset>
      <Field
        label="Autonomy"
        error={problems.autonomy}
        hint="What runs without asking. The mode can lower it, never raise it."
      >
        {(ids) => (
          <Select
            {...ids}
            value={draft.autonomy}
            onChange={(event) => change({ autonomy: event.target.value as Autonomy | "" })}
          >
            <option value="">Set by mode and profile</option>
            {AUTONOMY_ORDER.map((level) => (
              <option key={level} value={level} disabled={AUTONOMY_ORDER.indexOf(level) > AUTONOMY_ORDER.indexOf(most)}>
                {AUTONOMY[level]}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </>
  );
}

function OtherModes({ draft, change }: PartProps): ReactNode {
  return (
    <Select
      aria-label="Other mode"
      className="mt-1.5"
      value={draft.mode}
      onChange={(event) => change({ mode: event.target.value as PermissionMode | "" })}
    >
      {OTHERS.map(({ mode, label }) => (
        <option key={mode} value={mode}>
          {label}
        </option>
      ))}
    </Select>
  );
}
