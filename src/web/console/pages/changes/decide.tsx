import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FolderDown, GitBranch, Undo2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { ChangeList, ChangesDone, SessionView } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Note, Trouble } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { KEYS } from "../../app/feed.tsx";
import { ConfirmChanges, type ChangesDecision, type ChangesQuestion } from "./confirm.tsx";
import { wantedOf, type ChangeSelection } from "./selection.ts";
import { forms, plural, t } from "../../../ui/language/t.ts";
import type { PluralForms } from "../../../ui/language/translate.ts";

const SAID: Readonly<Record<ChangesQuestion, PluralForms>> = {
  apply: forms({ one: "{count} file written into the folder", other: "{count} files written into the folder" }),
  commit: forms({ one: "{count} file committed on {branch}", other: "{count} files committed on {branch}" }),
  discard: forms({ one: "{count} file put back", other: "{count} files put back" }),
};

interface DecideProps {
  readonly session: SessionView;
  readonly list: ChangeList;
  readonly selection: ChangeSelection;
}

/** Apply, commit or discard what was looked at and is chosen; nothing happens if it changed since. */
export function Decide({ session, list, selection }: DecideProps): ReactNode {
  const may = useMay("changes.decide");
  const [asked, setAsked] = useState<ChangesQuestion | undefined>(undefined);
  const isWorking = session.turn_id !== undefined;
  const isDirect = list.workspace_mode === "direct";
  const chosen = countOf(list, selection, "included");
  const fitting = countOf(list, selection, "left out");
  const isAll = Object.keys(selection).length === 0;
  return (
    <div className="space-y-3">
      {list.conflicts > 0 && (
        <Note tone="warn" role="status">
          {plural(
            {
              one: "{count} file changed in the folder since the session began, and will not be written over. Apply the others, or commit everything to a branch and merge it.",
              other:
                "{count} files changed in the folder since the session began, and will not be written over. Apply the others, or commit everything to a branch and merge it.",
            },
            { count: list.conflicts },
          )}
        </Note>
      )}
      {isWorking && may && (
        <Note tone="info" role="status">
          {t("The session is still working. You can decide when its turn has ended.")}
        </Note>
      )}
      {may && (
        <div className="flex flex-wrap items-center gap-2">
          {!isDirect && (
            <Button variant="primary" disabled={isWorking || fitting === 0} onClick={() => setAsked("apply")}>
              <FolderDown aria-hidden className="size-4" />
              {isAll && list.conflicts === 0
                ? t("Apply")
                : isAll
                  ? plural(
                      { one: "Apply the other {count} file", other: "Apply the other {count} files" },
                      { count: fitting },
                    )
                  : plural({ one: "Apply {count} file", other: "Apply {count} files" }, { count: fitting })}
            </Button>
          )}
          <Button
            {...(isDirect ? { variant: "primary" as const } : {})}
            disabled={isWorking || list.commit === undefined || chosen === 0}
            onClick={() => setAsked("commit")}
          >
            <GitBranch aria-hidden className="size-4" />
            {isDirect ? t("Commit") : t("Commit to a branch")}
          </Button>
          <Button variant="danger" disabled={isWorking || chosen === 0} onClick={() => setAsked("discard")}>
            <Undo2 aria-hidden className="size-4" /> {t("Discard")}
          </Button>
          <span role="status" className="text-sm text-soft">
            {isAll
              ? ""
              : plural(
                  { one: "{chosen} of {count} file included", other: "{chosen} of {count} files included" },
                  { chosen, count: list.files.length },
                )}
          </span>
        </div>
      )}
      {isDirect && list.commit === undefined && (
        <Note>{t("This folder is in no git repository with a commit, so nothing can be committed.")}</Note>
      )}
      {asked !== undefined && (
        <Confirm asked={asked} list={list} selection={selection} onClose={() => setAsked(undefined)} />
      )}
    </div>
  );
}

function countOf(list: ChangeList, selection: ChangeSelection, conflicts: "included" | "left out"): number {
  const wanted = wantedOf(list, selection, { conflicts });
  return wanted === undefined ? 0 : (wanted.paths?.length ?? list.files.length);
}

function useDecision(
  { list, selection }: Pick<DecideProps, "list" | "selection">,
  onDone: () => void,
): { readonly busy: boolean; readonly error: Error | null; readonly run: (decided: ChangesDecision) => void } {
  const { client } = useConnection();
  const tell = useTell();
  const queries = useQueryClient();
  const { session_id: id } = list;
  const decision = useMutation({
    mutationFn: (decided: ChangesDecision): Promise<ChangesDone> => {
      const { verb } = decided;
      const wanted = wantedOf(list, selection, { conflicts: verb === "apply" ? "left out" : "included" });
      if (wanted === undefined) return Promise.reject(new Error(t("Nothing is chosen.")));
      switch (verb) {
        case "apply":
          return client.applyChanges(id, wanted);
        case "commit":
          return client.commitChanges(id, { ...wanted, branch: decided.branch, message: decided.message });
        case "discard":
          return client.discardChanges(id, wanted);
      }
    },
    onSuccess: ({ paths, branch }, { verb }) => {
      tell.ok(plural(SAID[verb], { count: paths.length, branch: branch ?? "" }));
      onDone();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: KEYS.changes(id) }),
  });
  return { busy: decision.isPending, error: decision.error, run: (decided) => decision.mutate(decided) };
}

function Confirm({
  asked,
  list,
  selection,
  onClose,
}: Pick<DecideProps, "list" | "selection"> & {
  readonly asked: ChangesQuestion;
  readonly onClose: () => void;
}): ReactNode {
  const { busy, error, run } = useDecision({ list, selection }, onClose);
  const chosen = countOf(list, selection, "included");
  const subject = {
    session_id: list.session_id,
    source: list.source,
    files: chosen,
    conflicts: chosen - countOf(list, selection, "left out"),
    message: list.proposed_message,
    currentBranch: list.workspace_mode === "direct" ? (list.current_branch ?? "") : undefined,
  };
  return (
    <ConfirmChanges
      asked={asked}
      subject={subject}
      busy={busy}
      trouble={error === null ? undefined : <Trouble title={t("Nothing was done")} error={error} />}
      onClose={onClose}
      run={run}
    />
  );
}
