import { Link } from "@tanstack/react-router";
import { FolderDown, GitBranch, Undo2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { Approval, ReviewPreview } from "../../../protocol/index.ts";
import { useShortcuts } from "../../ui/app/shortcuts.tsx";
import { Button } from "../../ui/button.tsx";
import { Note } from "../../ui/states.tsx";
import { visible } from "../../ui/visible.ts";
import { ConfirmChanges, type ChangesDecision, type ChangesQuestion } from "../pages/changes/confirm.tsx";
import { FileList } from "../pages/changes/file-list.tsx";
import { Counts, DiffView } from "./diff-view.tsx";
import type { UnboundDecision } from "./use-decision.ts";
import { plural, rich, t } from "../../ui/language/t.ts";

/** Everything that a session changed: the files, and the diff of the chosen one. */
export function ReviewView({
  preview,
  sessionId,
}: {
  readonly preview: ReviewPreview;
  readonly sessionId: string;
}): ReactNode {
  const { files } = preview;
  const [wanted, setWanted] = useState<string | undefined>(undefined);
  const at = Math.max(
    0,
    files.findIndex(({ path }) => path === wanted),
  );
  const file = files[at];
  const go = (step: number): void => setWanted(files[Math.max(0, Math.min(files.length - 1, at + step))]?.path);
  useShortcuts(
    t("Changed files"),
    files.length > 1
      ? [
          { keys: ["]"], label: t("Next file"), run: () => go(1) },
          { keys: ["["], label: t("File before"), run: () => go(-1) },
        ]
      : [],
  );
  return (
    <div className="space-y-3">
      <ReviewSummary preview={preview} sessionId={sessionId} />
      {file !== undefined && (
        <>
          <FileList files={files} current={file.path} onChoose={setWanted} above />
          {file.diff === undefined ? (
            <Note>
              {visible(file.path)}: {file.binary === true ? t("the file is binary") : t("its diff is not shown here")}
            </Note>
          ) : (
            <DiffView key={file.path} patch={file.diff} path={file.path} title={file.path} />
          )}
        </>
      )}
    </div>
  );
}

function ReviewSummary({
  preview,
  sessionId,
}: {
  readonly preview: ReviewPreview;
  readonly sessionId: string;
}): ReactNode {
  const { file_count: count, additions, deletions, source, conflicts, cut } = preview;
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-soft">
        <span>{plural({ one: "{count} file", other: "{count} files" }, { count })}</span>
        <Counts added={additions} removed={deletions} />
        <span>{rich("for {source}", { source: <code className="break-all text-ink">{visible(source)}</code> })}</span>
        <ToChanges sessionId={sessionId} />
      </p>
      {conflicts > 0 && (
        <Note tone="warn" role="status">
          {plural(
            {
              one: "{count} of them changed in the folder meanwhile, so they cannot be applied together. Open the changes to apply the others, or commit all of them to a branch.",
              other:
                "{count} of them changed in the folder meanwhile, so they cannot be applied together. Open the changes to apply the others, or commit all of them to a branch.",
            },
            { count: conflicts },
          )}
        </Note>
      )}
      {cut === true && <Note tone="warn">{t("Not everything fits here. Open the changes to see all of it.")}</Note>}
    </>
  );
}

function ToChanges({ sessionId }: { readonly sessionId: string }): ReactNode {
  return (
    <Link to="/sessions/$sessionId/changes" params={{ sessionId }} className="text-accent underline">
      {t("Open the changes")}
    </Link>
  );
}

/** What a person can do with the changes. */
export function ReviewDecide({
  approval,
  preview,
  busy,
  decide,
}: {
  readonly approval: Approval;
  readonly preview: ReviewPreview;
  readonly busy: boolean;
  readonly decide: (answer: UnboundDecision) => void;
}): ReactNode {
  const [asked, setAsked] = useState<ChangesQuestion | undefined>(undefined);
  const { session_id } = approval;
  const { source, conflicts, file_count: files } = preview;
  return (
    <div className="flex flex-wrap gap-2 max-sm:grid max-sm:grid-cols-2 max-sm:gap-1.5">
      <Button variant="ok" disabled={conflicts > 0} aria-disabled={busy} onClick={() => setAsked("apply")}>
        <FolderDown aria-hidden className="size-4" /> {t("Apply")}
      </Button>
      <Button disabled={preview.commit === undefined} aria-disabled={busy} onClick={() => setAsked("commit")}>
        <GitBranch aria-hidden className="size-4" />
        <span>
          <span className="sm:hidden">{t("Commit")}</span>
          <span className="max-sm:hidden">{t("Commit to a branch")}</span>
        </span>
      </Button>
      <Button variant="danger" aria-disabled={busy} onClick={() => setAsked("discard")}>
        <Undo2 aria-hidden className="size-4" /> {t("Discard")}
      </Button>
      <Button
        aria-disabled={busy}
        title={t("The changes stay with the session")}
        onClick={() => decide({ decision: "reject" })}
      >
        {t("Later")}
      </Button>
      {asked !== undefined && (
        <ConfirmChanges
          asked={asked}
          subject={{ session_id, source, files, conflicts: 0 }}
          busy={busy}
          onClose={() => setAsked(undefined)}
          run={(decided) => {
            setAsked(undefined);
            decide({ decision: "approve", updated_input: answerOf(decided) });
          }}
        />
      )}
    </div>
  );
}

function answerOf(decided: ChangesDecision): Approval["input"] {
  const { verb } = decided;
  return verb === "commit" ? { action: verb, branch: decided.branch, message: decided.message } : { action: verb };
}
