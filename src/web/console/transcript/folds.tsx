import { createContext, use, useState, type ReactNode } from "react";

const Folds = createContext<Map<string, boolean>>(new Map());

/** Remembers what was opened and closed: a row that leaves the screen leaves the page too, and comes back as it was. */
export function FoldMemory({ children }: { readonly children: ReactNode }): ReactNode {
  const [folds] = useState(() => new Map<string, boolean>());
  return <Folds value={folds}>{children}</Folds>;
}

export function useFold(id: string, initially: boolean): readonly [boolean, (open: boolean) => void] {
  const folds = use(Folds);
  const [open, setOpen] = useState(folds.get(id) ?? initially);
  return [
    open,
    (next) => {
      folds.set(id, next);
      setOpen(next);
    },
  ];
}
