import type { useVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useMemo, useRef } from "react";
import { groupRows, type GroupRow } from "./group-rows.ts";
import type { TranscriptRow, TranscriptView } from "./transcript.ts";

export type ListRow =
  | TranscriptRow
  | GroupRow
  | { readonly kind: "working"; readonly key: string; readonly seq: number; readonly turn: string };

/** The conversation, and what is at work at its end. */
export function useRows(view: TranscriptView): readonly ListRow[] {
  const known = useRef<readonly ListRow[]>([]);
  return useMemo(() => {
    const { rows, items, open, seq } = view;
    const grouped: readonly ListRow[] = groupRows(rows, items);
    const next: readonly ListRow[] =
      open === undefined ? grouped : [...grouped, { kind: "working", key: "working", seq, turn: open }];
    // Most frames change what a row shows, not which rows there are.
    if (!isSame(known.current, next)) known.current = next;
    return known.current;
  }, [view]);
}

function isSame(rows: readonly ListRow[], others: readonly ListRow[]): boolean {
  return (
    rows.length === others.length &&
    rows.every((row, index) => {
      const other = others[index];
      if (row.kind !== "group" || other?.kind !== "group") return row.key === other?.key && row.kind === other.kind;
      return row.key === other.key && row.items.length === other.items.length;
    })
  );
}

/** Whether a row shows what has this key. */
export function holds(row: ListRow, key: string): boolean {
  return row.key === key || (row.kind === "group" && row.items.includes(key));
}

/** Rows that come before the others move nothing that the reader sees. */
export function useAnchor(
  scroller: { readonly current: HTMLElement | null },
  {
    rows,
    virtual,
    isAtEnd,
  }: {
    readonly rows: readonly ListRow[];
    readonly virtual: ReturnType<typeof useVirtualizer<HTMLDivElement, Element>>;
    readonly isAtEnd: boolean;
  },
): { readonly note: () => void } {
  const seen = useRef<{ readonly key: string; readonly item: string; readonly index: number; readonly into: number }>(
    undefined,
  );
  const note = (): void => {
    const place = scroller.current;
    if (place === null) return;
    const first = virtual.getVirtualItems().find(({ end }) => end > place.scrollTop);
    const row = first === undefined ? undefined : rows[first.index];
    if (first !== undefined && row !== undefined)
      seen.current = {
        key: row.key,
        item: row.kind === "group" ? (row.items.at(-1) ?? row.key) : row.key,
        index: first.index,
        into: place.scrollTop - first.start,
      };
  };
  useLayoutEffect(() => {
    const place = scroller.current;
    const before = seen.current;
    if (place === null || before === undefined || isAtEnd || rows[before.index]?.key === before.key) return;
    const index = rows.findIndex((row) => holds(row, before.item));
    const start = virtual.measurementsCache[index]?.start;
    if (start === undefined) return;
    seen.current = { ...before, index };
    place.scrollTop = start + before.into;
  }, [rows, scroller, virtual, isAtEnd]);
  return { note };
}
