import { createContext } from "react";

/** A line that a person points at. */
export interface DiffLinePlace {
  /** Counted from 1. */
  readonly line: number;
  readonly side: "old" | "new";
  readonly text: string;
}

/** What can be done with the parts of a diff. Where there is none, it is only shown. */
export interface DiffActions {
  /** Whether a part is chosen, by its header. Undefined: it cannot be chosen alone. */
  readonly chosen: (header: string) => boolean | undefined;
  readonly toggle: (header: string) => void;
  /** Absent: nobody may comment. */
  readonly comment?: ((place: DiffLinePlace) => void) | undefined;
  /** Lines with a comment that was not sent yet: `new 12`. */
  readonly commented: ReadonlySet<string>;
}

export const DiffActionsContext = createContext<DiffActions | undefined>(undefined);
