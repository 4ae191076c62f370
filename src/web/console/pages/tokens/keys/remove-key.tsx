import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { KeyView } from "../../../../../protocol/index.ts";
import { useConnection } from "../../../../ui/app/connection.tsx";
import { Button } from "../../../../ui/button.tsx";
import { Dialog } from "../../../../ui/dialog.tsx";
import { Trouble } from "../../../../ui/states.tsx";
import { useTell } from "../../../../ui/toasts.tsx";
import { KEYS } from "../../../app/feed.tsx";
import { t } from "../../../../ui/language/t.ts";

/** Asks before a key becomes useless. */
export function RemoveKey({ doomed, onClose }: { readonly doomed: KeyView; readonly onClose: () => void }): ReactNode {
  const { client } = useConnection();
  const queries = useQueryClient();
  const tell = useTell();
  const remove = useMutation({
    mutationFn: () => client.deleteKey(doomed.id),
    onSuccess: async () => {
      tell.ok(t("The key {name} is useless now.", { name: doomed.name }));
      await queries.invalidateQueries({ queryKey: KEYS.apiKeys });
      onClose();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("Remove the key {name}?", { name: doomed.name })}
      description={t(
        "Programs that use it are refused at once, and their running requests are broken off. What it cost stays in usage.",
      )}
    >
      <div className="space-y-4">
        {remove.error !== null && <Trouble title={t("It was not removed")} error={remove.error} />}
        <div className="flex justify-end gap-2">
          <Button autoFocus onClick={onClose}>
            {t("Keep it")}
          </Button>
          <Button variant="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
            {t("Remove the key")}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
