import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { TokenView } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { KEYS } from "../../app/feed.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Note, Trouble } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { t } from "../../../ui/language/t.ts";

/** Asks before a token becomes useless. */
export function RemoveToken({
  token,
  onClose,
}: {
  readonly token: TokenView;
  readonly onClose: () => void;
}): ReactNode {
  const { client, me, signOut } = useConnection();
  const queries = useQueryClient();
  const tell = useTell();
  const isOwn = token.id === me.id;
  const remove = useMutation({
    mutationFn: () => client.deleteToken(token.id),
    onSuccess: async () => {
      tell.ok(t("The token of {name} is useless now.", { name: token.name }));
      if (isOwn) {
        signOut();
        return;
      }
      await queries.invalidateQueries({ queryKey: KEYS.tokens });
      onClose();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("Remove the token of {name}?", { name: token.name })}
      description={t("Whoever uses it loses access at once. Its sessions and their history stay.")}
    >
      <div className="space-y-4">
        {isOwn && (
          <Note tone="bad" role="alert">
            {t("This is your own token. You will be signed out and need another one to come back.")}
          </Note>
        )}
        {remove.error !== null && <Trouble title={t("It was not removed")} error={remove.error} />}
        <div className="flex justify-end gap-2">
          <Button autoFocus onClick={onClose}>
            {t("Keep it")}
          </Button>
          <Button variant="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
            {isOwn ? t("Remove my own token") : t("Remove the token")}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
