import { ChevronRight } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { LIMITS } from "../../../../protocol/index.ts";
import { Field, Input, Select, TextArea } from "../../../ui/field.tsx";
import { EMPTY, type Draft } from "./draft.ts";
import { EngineField, ModelFields } from "./engine-fields.tsx";
import { BudgetField, ProfileField, ToolsField } from "./limit-fields.tsx";
import type { PartProps } from "./parts.tsx";
import { OtherPermissions } from "./permission-field.tsx";
import { SandboxField } from "./sandbox-field.tsx";
import { WorkspaceModeField } from "./workspace-mode-field.tsx";
import { plural, t } from "../../../ui/language/t.ts";

const FIELDS = [
  "workspaceMode",
  "engine",
  "provider",
  "model",
  "sandbox",
  "network",
  "review",
  "autonomy",
  "budget",
  "profile",
  "tools",
  "systemPrompt",
  "instructions",
  "maxTurns",
  "maxTokens",
  "thinkingTokens",
  "unattended",
  "askReads",
] as const;

/** Settings that most sessions do not need. Opens by itself if one of them is set or wrong. */
export function Advanced(props: PartProps): ReactNode {
  const { draft, problems } = props;
  const hasOtherMode = draft.mode !== "sdk" && draft.mode !== "bypassPermissions";
  const set = FIELDS.filter((field) => draft[field] !== EMPTY[field]).length + (hasOtherMode ? 1 : 0);
  const wrong = FIELDS.some((field) => problems[field] !== undefined);
  const [open, setOpen] = useState(set > 0);
  useEffect(() => {
    if (wrong) setOpen(true);
  }, [wrong]);
  return (
    <details
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group rounded-xl border bg-raised"
    >
      <summary className="flex cursor-pointer list-none items-center gap-2 rounded-xl p-4 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="size-4 text-faint transition-transform group-open:rotate-90 rtl:group-open:-rotate-90"
        />
        <h2 className="text-base font-semibold">{t("Advanced")}</h2>
        <span className="text-sm text-faint">
          {set === 0
            ? t("model, sandbox, budget, tools, limits")
            : plural({ one: "{count} set", other: "{count} set" }, { count: set })}
        </span>
      </summary>
      <div className="space-y-6 px-4 pb-4">
        <Fields title={t("Environment")}>
          <WorkspaceModeField {...props} />
          <EngineField {...props} />
          <ModelFields {...props} />
          <SandboxField {...props} />
        </Fields>
        <Fields title={t("Limits")}>
          <BudgetField {...props} />
          <ProfileField {...props} />
        </Fields>
        <OtherPermissions {...props} />
        <ToolsField {...props} />
        <SystemPrompt {...props} />
        <WorkspaceInstructions {...props} />
        <Bounds {...props} />
        <Answers {...props} />
      </div>
    </details>
  );
}

/** Fields that belong together, two beside each other where there is room. */
function Fields({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <section>
      <h3 className="mb-3 text-sm font-semibold">{title}</h3>
      <div className="grid items-start gap-4 sm:grid-cols-2">{children}</div>
    </section>
  );
}

function WorkspaceInstructions({ draft, change, problems }: PartProps): ReactNode {
  return (
    <Field
      label={t("Workspace instructions")}
      error={problems.instructions}
      hint={t("CLAUDE.md, AGENTS.md, skills, commands and agents of the folder.")}
    >
      {(ids) => (
        <Select
          {...ids}
          value={draft.instructions}
          onChange={(event) => change({ instructions: event.target.value as Draft["instructions"] })}
        >
          <option value="">{t("Loaded, unless the profile says no")}</option>
          <option value="off">{t("Not loaded")}</option>
        </Select>
      )}
    </Field>
  );
}

function SystemPrompt({ draft, change, problems }: PartProps): ReactNode {
  return (
    <Field
      label={t("System prompt")}
      error={problems.systemPrompt}
      hint={t("Added after the engine’s own instructions.")}
    >
      {(ids) => (
        <TextArea
          {...ids}
          rows={3}
          maxLength={200_000}
          value={draft.systemPrompt}
          onChange={(event) => change({ systemPrompt: event.target.value })}
        />
      )}
    </Field>
  );
}

const BOUNDS: readonly {
  readonly field: "maxTurns" | "maxTokens" | "thinkingTokens";
  readonly label: string;
  readonly hint: string;
  readonly usual: string;
}[] = [
  {
    field: "maxTurns",
    label: t("Max steps per turn"),
    hint: t("Model messages in one turn."),
    usual: String(LIMITS.maxTurns),
  },
  {
    field: "maxTokens",
    label: t("Max tokens per reply"),
    hint: t("Output tokens of one model reply."),
    usual: String(LIMITS.maxTokens),
  },
  { field: "thinkingTokens", label: t("Thinking tokens"), hint: t("1,024 or more."), usual: t("Off") },
];

function Bounds({ draft, change, problems }: PartProps): ReactNode {
  return (
    <div className="grid grid-cols-1 gap-4 sm:grid-cols-3">
      {BOUNDS.map(({ field, label, hint, usual }) => (
        <Field key={field} label={label} error={problems[field]} hint={hint}>
          {(ids) => (
            <Input
              {...ids}
              inputMode="numeric"
              autoComplete="off"
              value={draft[field]}
              placeholder={usual}
              className="tabular-nums"
              onChange={(event) => change({ [field]: event.target.value })}
            />
          )}
        </Field>
      ))}
    </div>
  );
}

function Answers({ draft, change, problems }: PartProps): ReactNode {
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <Field label={t("If nobody answers")} error={problems.unattended}>
        {(ids) => (
          <Select
            {...ids}
            value={draft.unattended}
            onChange={(event) => change({ unattended: event.target.value as Draft["unattended"] })}
          >
            <option value="">{t("Profile default")}</option>
            <option value="deny">{t("Deny when time is up")}</option>
            <option value="park">{t("Wait indefinitely")}</option>
          </Select>
        )}
      </Field>
      <label className="flex items-start gap-2.5 pt-1 text-sm sm:pt-7">
        <input
          type="checkbox"
          className="mt-0.5 size-4 accent-(--accent)"
          checked={draft.askReads}
          onChange={(event) => change({ askReads: event.target.checked })}
        />
        <span>
          {t("Ask before reads too")}
          <span className="block text-faint">{t("Every file read needs your approval.")}</span>
        </span>
      </label>
    </div>
  );
}
