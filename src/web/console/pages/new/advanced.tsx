import { ChevronRight } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { LIMITS } from "../../../../protocol/index.ts";
import { Field, Input, Select, TextArea } from "../../../ui/field.tsx";
import { EMPTY, type Draft } from "./draft.ts";
import { ToolsField } from "./limit-fields.tsx";
import type { PartProps } from "./parts.tsx";

const FIELDS = [
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
  const set = FIELDS.filter((field) => draft[field] !== EMPTY[field]).length;
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
        <ChevronRight aria-hidden className="size-4 text-faint transition-transform group-open:rotate-90" />
        <h2 className="text-base font-semibold">Advanced</h2>
        <span className="text-sm text-faint">{set === 0 ? "tools, instructions, limits" : `${String(set)} set`}</span>
      </summary>
      <div className="space-y-4 px-4 pb-4">
        <ToolsField {...props} />
        <SystemPrompt {...props} />
        <WorkspaceInstructions {...props} />
        <Bounds {...props} />
        <Answers {...props} />
      </div>
    </details>
  );
}

function WorkspaceInstructions({ draft, change, problems }: PartProps): ReactNode {
  return (
    <Field
      label="Workspace instructions"
      error={problems.instructions}
      hint="CLAUDE.md, AGENTS.md, skills, commands and agents of the folder."
    >
      {(ids) => (
        <Select
          {...ids}
          value={draft.instructions}
          onChange={(event) => change({ instructions: event.target.value as Draft["instructions"] })}
        >
          <option value="">Loaded, unless the profile says no</option>
          <option value="off">Not loaded</option>
        </Select>
      )}
    </Field>
  );
}

function SystemPrompt({ draft, change, problems }: PartProps): ReactNode {
  return (
    <Field label="System prompt" error={problems.systemPrompt} hint="Added after the engine’s own instructions.">
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
    label: "Max steps per turn",
    hint: "Model messages in one turn.",
    usual: String(LIMITS.maxTurns),
  },
  {
    field: "maxTokens",
    label: "Max tokens per reply",
    hint: "Output tokens of one model reply.",
    usual: String(LIMITS.maxTokens),
  },
  { field: "thinkingTokens", label: "Thinking tokens", hint: "1,024 or more.", usual: "Off" },
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
      <Field label="If nobody answers" error={problems.unattended}>
        {(ids) => (
          <Select
            {...ids}
            value={draft.unattended}
            onChange={(event) => change({ unattended: event.target.value as Draft["unattended"] })}
          >
            <option value="">Profile default</option>
            <option value="deny">Deny when time is up</option>
            <option value="park">Wait indefinitely</option>
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
          Ask before reads too
          <span className="block text-faint">Every file read needs your approval.</span>
        </span>
      </label>
    </div>
  );
}
