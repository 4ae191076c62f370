import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Trouble } from "../../ui/states.tsx";
import { t } from "../../ui/language/t.ts";

/** Asks before something that cannot be taken back. The focus is on the way out. */
export function Confirm({
  title,
  description,
  verb,
  keep = t("Cancel"),
  act,
  onClose,
}: {
  readonly title: string;
  readonly description: string;
  /** What the button says that does it. */
  readonly verb: string;
  readonly keep?: string;
  readonly act: () => Promise<unknown>;
  readonly onClose: () => void;
}): ReactNode {
  const acting = useMutation({ mutationFn: act, onSuccess: onClose });
  return (
    <Dialog open onClose={onClose} title={title} description={description}>
      <div className="space-y-4">
        {acting.error !== null && <Trouble title={t("That did not work")} error={acting.error} />}
        <div className="flex justify-end gap-2">
          <Button autoFocus onClick={onClose}>
            {keep}
          </Button>
          <Button variant="danger" busy={acting.isPending} onClick={() => acting.mutate()}>
            {verb}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
