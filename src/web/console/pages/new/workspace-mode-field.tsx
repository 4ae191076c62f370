import type { ReactNode } from "react";
import { Field, Select } from "../../../ui/field.tsx";
import { hasOwnFiles, type Draft } from "./draft.ts";
import type { PartProps } from "./parts.tsx";

const HINTS: Readonly<Record<Draft["workspaceMode"], string>> = {
  "": "As the profile says; by default in the folder itself.",
  direct: "Changes are in the folder at once.",
  worktree: "A git worktree of the last commit, on a branch of its own. You decide on its changes at the end.",
  empty: "A new folder of its own. It is deleted with the session.",
  snapshot: "A copy without what looks like a secret. You decide on its changes at the end.",
};

/** Whether it works in the folder itself or on files of its own, and what a copy leaves out. */
export function WorkspaceModeField({ draft, change, problems }: PartProps): ReactNode {
  return (
    <>
      <Field label="Works in" error={problems.workspaceMode} hint={HINTS[draft.workspaceMode]}>
        {(ids) => (
          <Select
            {...ids}
            value={draft.workspaceMode}
            onChange={(event) => change({ workspaceMode: event.target.value as Draft["workspaceMode"] })}
          >
            <option value="">Profile default</option>
            <option value="direct">The folder itself</option>
            <option value="worktree">A git worktree</option>
            <option value="snapshot">A filtered snapshot</option>
            <option value="empty">An empty folder</option>
          </Select>
        )}
      </Field>
      {draft.workspaceMode === "snapshot" && (
        <Field
          label="Leave out"
          error={problems.repoFilter}
          hint="By name and by content. Never less than the profile says."
        >
          {(ids) => (
            <Select
              {...ids}
              value={draft.repoFilter}
              onChange={(event) => change({ repoFilter: event.target.value as Draft["repoFilter"] })}
            >
              <option value="">Profile default</option>
              <option value="standard">Standard: keys, passwords and the like</option>
              <option value="strict">Strict: everything that is no source file too</option>
            </Select>
          )}
        </Field>
      )}
      {hasOwnFiles(draft) && <ReviewField draft={draft} change={change} problems={problems} />}
    </>
  );
}

const REVIEW_HINTS: Readonly<Record<Draft["review"], string>> = {
  "": "As the profile says; by default each change.",
  each: "Edits and commands wait for your approval, as the permission mode says.",
  at_end: "Edits and commands in the sandbox run unasked. You review all changes once, when a turn has ended.",
};

/** Modes that promise a question before each change. */
const ASKING: ReadonlySet<Draft["mode"]> = new Set(["sdk", "toolApproval", "mcpApproval", "mcpProxy"]);

function ReviewField({ draft, change, problems }: Pick<PartProps, "draft" | "change" | "problems">): ReactNode {
  const choose = (review: Draft["review"]): void =>
    change({ review, ...(review === "at_end" && ASKING.has(draft.mode) ? { mode: "" } : {}) });
  return (
    <Field label="Review" error={problems.review} hint={REVIEW_HINTS[draft.review]}>
      {(ids) => (
        <Select {...ids} value={draft.review} onChange={(event) => choose(event.target.value as Draft["review"])}>
          <option value="">Profile default</option>
          <option value="each">Each change</option>
          <option value="at_end">All changes at the end</option>
        </Select>
      )}
    </Field>
  );
}
