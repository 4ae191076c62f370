import {
  cloneElement,
  Suspense,
  useState,
  type ComponentProps,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from "react";

/** A menu's button, with what a menu adds to it. */
export type MenuButton = ReactElement<ComponentProps<"button">>;

/**
 * A menu that is made when it is first opened. Until then it is its button alone: a list of 50 rows has 50 of them. `children` may be a part
 * that is loaded then.
 */
export function MenuOnDemand({
  button,
  children,
}: {
  readonly button: MenuButton;
  /** The menu itself, open from the beginning. */
  readonly children: ReactNode;
}): ReactNode {
  const [isWanted, setIsWanted] = useState(false);
  if (isWanted) return <Suspense fallback={button}>{children}</Suspense>;
  return cloneElement(button, {
    "aria-haspopup": "menu",
    "aria-expanded": false,
    onClick: () => setIsWanted(true),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== "ArrowDown") return;
      event.preventDefault();
      setIsWanted(true);
    },
  });
}
