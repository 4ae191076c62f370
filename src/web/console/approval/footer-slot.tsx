import { createContext, use, type ReactNode } from "react";
import { createPortal } from "react-dom";

/** The place for buttons at the end of a card; absent until it is there. */
export const FooterSlot = createContext<HTMLElement | null>(null);

/** Buttons of a form that stand in the card's footer, which is always in sight. A submit button names its form. */
export function InFooter({ children }: { readonly children: ReactNode }): ReactNode {
  const slot = use(FooterSlot);
  return slot === null ? null : createPortal(children, slot);
}
