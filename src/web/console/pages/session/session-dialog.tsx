import type { ReactNode } from "react";
import type { SessionView } from "../../../../protocol/index.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SetLimit } from "../usage/set-limit.tsx";
import { SwitchDialog } from "./switch-dialog.tsx";
import { useControl } from "./use-control.ts";

export type SessionQuestion = "budget" | "switch" | "close";

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
    case "switch":
      return <SwitchDialog session={session} onClose={onEnd} />;
    case "close":
      return (
        <Dialog
          open
          onClose={onEnd}
          title="Close this session?"
          description="Its turn and its processes end, waiting prompts are dropped. The conversation stays and can be forked."
        >
          <div className="flex justify-end gap-2">
            <Button onClick={onEnd}>Keep it open</Button>
            <Button
              variant="danger"
              onClick={() => {
                onEnd();
                control.run("close");
              }}
            >
              Close it
            </Button>
          </div>
        </Dialog>
      );
  }
}
