import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Policy } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { KEYS } from "../../app/feed.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Note, Skeleton, Trouble } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { DiffView } from "./diff-view.tsx";
import { layerToSend, policyYaml, problemsOf, samePolicy } from "./draft.ts";
import type { PolicyEditor } from "./use-draft.ts";
import { t } from "../../../ui/language/t.ts";

interface Now {
  readonly inForce: Policy;
  /** What was last set here; absent: nothing. */
  readonly stored: Policy | undefined;
}

/** Shows the changes, and saves them. Never silently overwrites what somebody else saved meanwhile. */
export function SaveDialog({
  editor,
  onClose,
}: {
  readonly editor: PolicyEditor;
  readonly onClose: () => void;
}): ReactNode {
  const { client } = useConnection();
  const now = useQuery({
    queryKey: [...KEYS.policy, "before-saving", editor.round],
    queryFn: async (): Promise<Now> => {
      const [inForce, history] = await Promise.all([client.policy(), client.policyHistory()]);
      return { inForce, stored: history.changes[0]?.policy };
    },
    staleTime: 0,
    gcTime: 0,
  });
  const removed = Object.keys(editor.before.profiles).filter((name) => editor.draft.profiles[name] === undefined);
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={t("Review changes")}
      description={t("Takes effect immediately, including running sessions.")}
    >
      <div className="space-y-4">
        {removed.length > 0 && (
          <Note tone="info">
            {t("{removed}: where a profile of this name ships or stands in policy.yaml, that one holds again.", {
              removed: removed.join(", "),
            })}
          </Note>
        )}
        <DiffView label={t("Changes")} before={policyYaml(editor.before)} after={policyYaml(editor.draft)} />
        {now.isPending && <Skeleton className="h-10" />}
        {now.error !== null && (
          <Trouble title={t("Can’t load the policy")} error={now.error} onRetry={() => void now.refetch()} />
        )}
        {now.data !== undefined && <SaveOrReload editor={editor} now={now.data} onClose={onClose} />}
      </div>
    </Dialog>
  );
}

function SaveOrReload({
  editor,
  now,
  onClose,
}: {
  readonly editor: PolicyEditor;
  readonly now: Now;
  readonly onClose: () => void;
}): ReactNode {
  const { client } = useConnection();
  const queries = useQueryClient();
  const tell = useTell();
  const save = useMutation({
    mutationFn: () => client.setPolicy(layerToSend({ stored: now.stored, before: editor.before, draft: editor.draft })),
    onSuccess: (policy) => {
      queries.setQueryData(KEYS.policy, policy);
      void queries.invalidateQueries({ queryKey: [...KEYS.policy, "history"] });
      editor.begin(policy);
      tell.ok(t("Policy saved"));
      onClose();
    },
    onError: (error) => editor.setProblems(problemsOf(error)),
  });
  if (!samePolicy(now.inForce, editor.before)) {
    return (
      <Note tone="warn" role="alert">
        <p>{t("Someone else changed the policy since you started. Saving would overwrite it.")}</p>
        <Button
          size="small"
          className="mt-2"
          onClick={() => {
            queries.setQueryData(KEYS.policy, now.inForce);
            editor.begin(now.inForce);
            onClose();
          }}
        >
          {t("Discard my changes and load theirs")}
        </Button>
      </Note>
    );
  }
  return (
    <>
      {save.error !== null && <Trouble title={t("The server rejected it")} error={save.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{save.error === null ? t("Cancel") : t("Back to the form")}</Button>
        <Button variant="primary" busy={save.isPending} onClick={() => save.mutate()}>
          {t("Save the policy")}
        </Button>
      </div>
    </>
  );
}
