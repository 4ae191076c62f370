import type { ReactNode } from "react";
import {
  AUTONOMY_ORDER,
  PERMISSION_MODE_LABELS,
  PERMISSION_MODES,
  type Autonomy,
  type PermissionMode,
} from "../../../../protocol/index.ts";
import { useConnection } from "../../app/connection.tsx";
import { Field, Select } from "../../ui/field.tsx";
import { Badge } from "../../ui/states.tsx";
import { mostAutonomy, usePolicy } from "./data.ts";
import { Choice, Wrong, type PartProps } from "./parts.tsx";

type Main = (typeof PERMISSION_MODES)[number];

const WHEN: Readonly<Record<Main, string>> = {
  bypassPermissions:
    "Nothing is asked; what the policy refuses stays refused. For a folder and a policy that you would trust to anybody.",
  sdk: "It reads on its own. Each edit and each command waits until you have seen it and said yes. For nearly everything.",
  toolApproval:
    "The same questions, under the name that older clients use. Here it works as the one above: take that one.",
};

/** The other modes that a request may name, least first. */
const OTHERS: readonly { readonly mode: PermissionMode | ""; readonly label: string }[] = [
  { mode: "", label: "As the policy profile says" },
  { mode: "plan", label: "Plan: only tools that read" },
  { mode: "dontAsk", label: "Never ask: what would be asked is refused" },
  { mode: "acceptEdits", label: "Accept edits: files of the workspace without a question" },
  { mode: "default", label: "Default: what the profile’s autonomy says" },
  { mode: "mcpApproval", label: "mcpApproval (as Review & Approve)" },
  { mode: "mcpProxy", label: "mcpProxy (as Review & Approve)" },
];
const isMain = (mode: string): mode is Main => (PERMISSION_MODES as readonly string[]).includes(mode);

const AUTONOMY: Readonly<Record<Autonomy, string>> = {
  read_only: "read_only: only reads that the profile names",
  restricted: "restricted: everything is asked",
  supervised: "supervised: reads run, changes and commands are asked",
  full: "full: nothing is asked",
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
        {PERMISSION_MODES.map((mode) => (
          <Choice
            key={mode}
            name="mode"
            label={PERMISSION_MODE_LABELS[mode]}
            badge={<ModeBadge mode={mode} />}
            checked={draft.mode === mode}
            disabled={mode === "bypassPermissions" && tooMuch}
            onChange={() => change({ mode })}
          >
            {mode === "bypassPermissions" && tooMuch
              ? `The profile ${name ?? ""} gives you ${most} at most.`
              : WHEN[mode]}
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
        hint="How much it may do without asking. The mode can make it less, never more."
      >
        {(ids) => (
          <Select
            {...ids}
            value={draft.autonomy}
            onChange={(event) => change({ autonomy: event.target.value as Autonomy | "" })}
          >
            <option value="">As the mode and the profile say</option>
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

function ModeBadge({ mode }: { readonly mode: Main }): ReactNode {
  switch (mode) {
    case "sdk":
      return <Badge tone="ok">recommended</Badge>;
    case "toolApproval":
      return <Badge tone="warn">maybe unreliable</Badge>;
    case "bypassPermissions":
      return undefined;
  }
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
