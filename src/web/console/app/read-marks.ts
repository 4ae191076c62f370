import { create } from "zustand";
import { persist } from "zustand/middleware";
import type { SessionView } from "../../../protocol/index.ts";

interface ReadMarks {
  /** By person and session: how many turns had ended when the session was last looked at. */
  readonly turns: Readonly<Record<string, number>>;
  readonly mark: (person: string, session: Pick<SessionView, "id" | "turns">) => void;
}

/** More are forgotten, the oldest first. */
const KEPT = 1_000;
const keyOf = (person: string, id: string): string => `${person} ${id}`;

/** What each person on this device has seen. */
export const useReadMarks = create<ReadMarks>()(
  persist(
    (set) => ({
      turns: {},
      mark: (person, { id, turns }) =>
        set(({ turns: before }) => {
          const key = keyOf(person, id);
          if (before[key] === turns) return {};
          const { [key]: _old, ...others } = before;
          return { turns: Object.fromEntries([...Object.entries(others), [key, turns] as const].slice(-KEPT)) };
        }),
    }),
    { name: "sallyport.read" },
  ),
);

/** Whether a turn has ended since the person looked. One's own session that was never opened counts from its beginning. */
export function isUnread(
  marks: ReadMarks["turns"],
  person: string,
  { id, turns, created_by }: Pick<SessionView, "id" | "turns" | "created_by">,
): boolean {
  const seen = marks[keyOf(person, id)] ?? (created_by.id === person ? 0 : undefined);
  return seen !== undefined && turns > seen;
}
