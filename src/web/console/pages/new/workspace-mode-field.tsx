import type { ReactNode } from "react";
import { Field, Select } from "../../../ui/field.tsx";
import { hasOwnFiles, type Draft } from "./draft.ts";
import type { PartProps } from "./parts.tsx";
import { t } from "../../../ui/language/t.ts";

const HINTS: Readonly<Record<Draft["workspaceMode"], string>> = {
  "": t("As the profile says; by default in the folder itself."),
  direct: t("Changes are in the folder at once."),
  worktree: t("A git worktree of the last commit, on a branch of its own. You decide on its changes at the end."),
  empty: t("A new folder of its own. It is deleted with the session."),
  snapshot: t("A copy without what looks like a secret. You decide on its changes at the end."),
};

/** Whether it works in the folder itself or on files of its own, and what a copy leaves out. */
export function WorkspaceModeField({ draft, change, problems }: PartProps): ReactNode {
  return (
    <>
      <Field label={t("Works in")} error={problems.workspaceMode} hint={HINTS[draft.workspaceMode]}>
        {(ids) => (
          <Select
            {...ids}
            value={draft.workspaceMode}
            onChange={(event) => change({ workspaceMode: event.target.value as Draft["workspaceMode"] })}
          >
            <option value="">{t("Profile default")}</option>
            <option value="direct">{t("The folder itself")}</option>
            <option value="worktree">{t("A git worktree")}</option>
            <option value="snapshot">{t("A filtered snapshot")}</option>
            <option value="empty">{t("An empty folder")}</option>
          </Select>
        )}
      </Field>
      {draft.workspaceMode === "snapshot" && (
        <Field
          label={t("Leave out")}
          error={problems.repoFilter}
          hint={t("By name and by content. Never less than the profile says.")}
        >
          {(ids) => (
            <Select
              {...ids}
              value={draft.repoFilter}
              onChange={(event) => change({ repoFilter: event.target.value as Draft["repoFilter"] })}
            >
              <option value="">{t("Profile default")}</option>
              <option value="standard">{t("Standard: keys, passwords and the like")}</option>
              <option value="strict">{t("Strict: everything that is no source file too")}</option>
            </Select>
          )}
        </Field>
      )}
      {hasOwnFiles(draft) && <ReviewField draft={draft} change={change} problems={problems} />}
    </>
  );
}

const REVIEW_HINTS: Readonly<Record<Draft["review"], string>> = {
  "": t("As the profile says; by default each change."),
  each: t("Edits and commands wait for your approval, as the permission mode says."),
  at_end: t("Edits and commands in the sandbox run unasked. You review all changes once, when a turn has ended."),
};

/** Modes that promise a question before each change. */
const ASKING: ReadonlySet<Draft["mode"]> = new Set(["sdk", "toolApproval", "mcpApproval", "mcpProxy"]);

function ReviewField({ draft, change, problems }: Pick<PartProps, "draft" | "change" | "problems">): ReactNode {
  const choose = (review: Draft["review"]): void =>
    change({ review, ...(review === "at_end" && ASKING.has(draft.mode) ? { mode: "" } : {}) });
  return (
    <Field label={t("Review")} error={problems.review} hint={REVIEW_HINTS[draft.review]}>
      {(ids) => (
        <Select {...ids} value={draft.review} onChange={(event) => choose(event.target.value as Draft["review"])}>
          <option value="">{t("Profile default")}</option>
          <option value="each">{t("Each change")}</option>
          <option value="at_end">{t("All changes at the end")}</option>
        </Select>
      )}
    </Field>
  );
}
