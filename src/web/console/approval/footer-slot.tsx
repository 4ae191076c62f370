import { createContext, use, type ReactNode } from "react";
import { createPortal } from "react-dom";

/** The place for buttons at the end of a card; absent until it is mounted. */
export const FooterSlot = createContext<HTMLElement | null>(null);

/** Puts a form's buttons into the card's footer, which is always visible. A submit button names its form. */
export function InFooter({ children }: { readonly children: ReactNode }): ReactNode {
  const slot = use(FooterSlot);
  return slot === null ? null : createPortal(children, slot);
}
