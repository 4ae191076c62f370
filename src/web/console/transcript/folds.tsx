import { createContext, use, useState, type ReactNode } from "react";

interface Memory {
  readonly opened: Map<string, boolean>;
  /** How far something was unfolded or turned. */
  readonly reached: Map<string, number>;
}

const fresh = (): Memory => ({ opened: new Map(), reached: new Map() });
const Folds = createContext<Memory>(fresh());
/** The target of a search: what stays open until somebody closes it, and the text to show in it. */
export interface Reveal {
  readonly ids: readonly string[];
  readonly text: string;
}

const Revealed = createContext<Reveal>({ ids: [], text: "" });

/** Remembers what was opened and closed: a row that leaves the screen leaves the page too, and comes back as it was. */
export function FoldMemory({
  revealed,
  children,
}: {
  readonly revealed: Reveal;
  readonly children: ReactNode;
}): ReactNode {
  const [memory] = useState(fresh);
  return (
    <Folds value={memory}>
      <Revealed value={revealed}>{children}</Revealed>
    </Folds>
  );
}

type KeptState<Value> = readonly [Value, (next: Value) => void];

export const useRevealed = (): Reveal => use(Revealed);

export function useFold(id: string, initially: boolean): KeptState<boolean> {
  const isRevealed = useRevealed().ids.includes(id);
  return useKept(use(Folds).opened, id, initially || isRevealed);
}

/** Absent: nobody has asked for another position yet. */
export function useReach(id: string): readonly [number | undefined, (next: number) => void] {
  return useKept<number | undefined, number>(use(Folds).reached, id, undefined);
}

function useKept<Value, Next extends Value>(
  kept: Map<string, Next>,
  id: string,
  initially: Value,
): readonly [Value, (next: Next) => void] {
  // Until somebody chooses, the default may change with the content.
  const [chosen, setChosen] = useState<Value | undefined>(kept.get(id));
  return [
    chosen ?? initially,
    (next) => {
      kept.set(id, next);
      setChosen(next);
    },
  ];
}

/** A part that opens below its summary. */
export function Fold({
  id,
  summary,
  className,
  children,
}: {
  /** Names it within the session. */
  readonly id: string;
  /** With the classes of the line that is always there. */
  readonly summary: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}): ReactNode {
  const [open, setOpen] = useFold(id, false);
  return (
    <details
      open={open}
      {...(className === undefined ? {} : { className })}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== open) setOpen(currentTarget.open);
      }}
    >
      {summary}
      {open && children}
    </details>
  );
}
