import { useState, type ReactNode } from "react";
import { laterPart } from "./later-part.tsx";

export interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: string;
  readonly children: ReactNode;
  readonly wide?: boolean;
}

const Later = laterPart(async () => (await import("./dialog-window.tsx")).DialogWindow);

/** A window over the page: keeps the focus, closes with Escape. On a phone it comes from below; a wide one fills the screen. */
export function Dialog(props: DialogProps): ReactNode {
  const [wasOpen, setWasOpen] = useState(props.open);
  Later.useSoon();
  if (props.open && !wasOpen) setWasOpen(true);
  // Once open it stays, closed: it gives the focus back.
  return wasOpen && <Later.Part props={props} />;
}
