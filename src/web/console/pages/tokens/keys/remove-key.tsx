import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { KeyView } from "../../../../../protocol/index.ts";
import { useConnection } from "../../../../ui/app/connection.tsx";
import { Button } from "../../../../ui/button.tsx";
import { Dialog } from "../../../../ui/dialog.tsx";
import { Trouble } from "../../../../ui/states.tsx";
import { useTell } from "../../../../ui/toasts.tsx";
import { KEYS } from "../../../app/feed.tsx";

/** Asks before a key becomes useless. */
export function RemoveKey({ doomed, onClose }: { readonly doomed: KeyView; readonly onClose: () => void }): ReactNode {
  const { client } = useConnection();
  const queries = useQueryClient();
  const tell = useTell();
  const remove = useMutation({
    mutationFn: () => client.deleteKey(doomed.id),
    onSuccess: async () => {
      tell.ok(`The key ${doomed.name} is useless now.`);
      await queries.invalidateQueries({ queryKey: KEYS.apiKeys });
      onClose();
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Remove the key ${doomed.name}?`}
      description="Programs that use it are refused at once, and their running requests are broken off. What it cost stays in usage."
    >
      <div className="space-y-4">
        {remove.error !== null && <Trouble title="It was not removed" error={remove.error} />}
        <div className="flex justify-end gap-2">
          <Button autoFocus onClick={onClose}>
            Keep it
          </Button>
          <Button variant="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
            Remove the key
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
