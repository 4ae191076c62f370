import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Approval } from "../../../protocol/index.ts";
import { useConnection } from "../../ui/app/connection.tsx";
import { Button } from "../../ui/button.tsx";
import { Note } from "../../ui/states.tsx";
import { t } from "../../ui/language/t.ts";

/** The file is not what was shown: it has to be shown anew before anybody can approve it. */
export function OutdatedNote({ approval }: { readonly approval: Approval }): ReactNode {
  const { client } = useConnection();
  const { mutate, isPending, error } = useMutation({ mutationFn: () => client.inbox.refresh(approval.id) });
  return (
    <Note tone="warn" role="status" className="space-y-2">
      <p>{t("The file has changed since this was shown, so you can’t approve it as it is.")}</p>
      {error !== null && <p>{error.message}</p>}
      <Button size="small" variant="primary" busy={isPending} onClick={() => mutate()}>
        {t("Show the change as it is now")}
      </Button>
    </Note>
  );
}
