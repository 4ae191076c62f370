import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { SessionView } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Trouble } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { visible } from "../../../ui/visible.ts";
import { titleOf } from "../../../ui/words.tsx";
import { KEYS } from "../../app/feed.tsx";
import { t } from "../../../ui/language/t.ts";

/** Asks before a session is deleted for good. */
export function DeleteDialog({
  session,
  onClose,
}: {
  readonly session: SessionView;
  readonly onClose: () => void;
}): ReactNode {
  const { client } = useConnection();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const tell = useTell();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.deleteSession(session.id),
    onSuccess: async () => {
      onClose();
      await navigate({ to: "/sessions" });
      queries.removeQueries({ queryKey: KEYS.session(session.id) });
      void queries.invalidateQueries({ queryKey: KEYS.sessions });
      tell.ok(t("Session deleted"));
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("Delete this session?")}
      description={t("Its conversation, approvals and files of its own are gone for good. Forks and usage stay.")}
    >
      <p dir="auto" className="line-clamp-3 rtl:text-right rounded-lg bg-sunken px-3 py-2 text-sm break-words">
        {visible(titleOf(session))}
      </p>
      {error !== null && <Trouble title={t("Not deleted")} error={error} />}
      <div className="mt-5 flex justify-end gap-2">
        <Button onClick={onClose}>{t("Cancel")}</Button>
        <Button variant="danger" busy={isPending} onClick={() => mutate()}>
          {t("Delete session")}
        </Button>
      </div>
    </Dialog>
  );
}
