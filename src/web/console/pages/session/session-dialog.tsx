import type { ReactNode } from "react";
import type { SessionView } from "../../../../protocol/index.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { SetLimit } from "../usage/set-limit.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { ExportDialog } from "./export-dialog.tsx";
import { LabelDialog } from "./label-dialog.tsx";
import { ShareDialog } from "./share-dialog.tsx";
import { SwitchDialog } from "./switch-dialog.tsx";
import { useControl } from "./use-control.ts";
import { t } from "../../../ui/language/t.ts";

export type SessionQuestion = "budget" | "switch" | "export" | "share" | "close" | "label" | "delete";

/** The windows that the menu and the prompt box open. */
export function SessionDialog({
  session,
  asked,
  onEnd,
}: {
  readonly session: SessionView;
  /** Absent: none is open. */
  readonly asked: SessionQuestion | undefined;
  readonly onEnd: () => void;
}): ReactNode {
  const control = useControl(session.id);
  switch (asked) {
    case undefined:
      return null;
    case "budget":
      return <SetLimit session={session} onClose={onEnd} />;
    case "label":
      return <LabelDialog session={session} onClose={onEnd} />;
    case "delete":
      return <DeleteDialog session={session} onClose={onEnd} />;
    case "switch":
      return <SwitchDialog session={session} onClose={onEnd} />;
    case "export":
      return <ExportDialog session={session} onClose={onEnd} />;
    case "share":
      return <ShareDialog session={session} onClose={onEnd} />;
    case "close":
      return (
        <Dialog
          open
          onClose={onEnd}
          title={t("Close this session?")}
          description={t("Stops the turn and all processes, and drops queued prompts. You can still read and fork it.")}
        >
          <div className="flex justify-end gap-2">
            <Button onClick={onEnd}>{t("Cancel")}</Button>
            <Button
              variant="danger"
              onClick={() => {
                onEnd();
                control.run("close");
              }}
            >
              {t("Close session")}
            </Button>
          </div>
        </Dialog>
      );
  }
}
