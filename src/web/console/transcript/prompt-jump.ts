import { useShortcuts } from "../../ui/app/shortcuts.tsx";
import { t } from "../../ui/language/t.ts";

/** So far below the upper edge a row still counts as the one there, px. */
const SLACK = 4;

interface PromptPlace {
  readonly kind: string;
}

interface JumpPlaces {
  /** Of each row, px. */
  readonly starts: readonly number[];
  /** The upper edge of what is seen, px. */
  readonly top: number;
}

/** The row of the nearest prompt above or below the upper edge; undefined: there is none. */
export function promptBeside(
  rows: readonly PromptPlace[],
  { starts, top }: JumpPlaces,
  by: -1 | 1,
): number | undefined {
  const isBeside = (row: PromptPlace, index: number): boolean => {
    const start = starts[index];
    if (row.kind !== "prompt" || start === undefined) return false;
    return by < 0 ? start < top - SLACK : start > top + SLACK;
  };
  const index = by < 0 ? rows.findLastIndex(isBeside) : rows.findIndex(isBeside);
  return index < 0 ? undefined : index;
}

interface JumpActions {
  readonly scroller: { readonly current: HTMLElement | null };
  readonly virtual: {
    readonly measurementsCache: readonly { readonly start: number }[];
    scrollToIndex(index: number, options: { align: "start" }): void;
  };
  readonly setAtEnd: (atEnd: boolean) => void;
  /** Reads what came before. Absent: all is here. */
  readonly older: (() => void) | undefined;
  readonly end: () => void;
}

/** From prompt to prompt: with `k` and `j`, or by calling the result. */
export function usePromptJump(
  rows: readonly PromptPlace[],
  { scroller, virtual, setAtEnd, older, end }: JumpActions,
): (by: -1 | 1) => void {
  const jump = (by: -1 | 1): void => {
    const starts = virtual.measurementsCache.map(({ start }) => start);
    const index = promptBeside(rows, { starts, top: scroller.current?.scrollTop ?? 0 }, by);
    if (index !== undefined) {
      setAtEnd(false);
      virtual.scrollToIndex(index, { align: "start" });
    } else if (by > 0) end();
    else older?.();
  };
  useShortcuts(t("Conversation"), [
    { keys: ["k"], label: t("Previous turn"), run: () => jump(-1) },
    { keys: ["j"], label: t("Next turn"), run: () => jump(1) },
  ]);
  return jump;
}
