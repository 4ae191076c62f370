import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown } from "lucide-react";
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from "react";
import { Button } from "../../ui/button.tsx";
import { Note } from "../../ui/states.tsx";
import type { TextMatch } from "./find.ts";
import { FoldMemory, type Reveal } from "./folds.tsx";
import { useHighlight } from "./highlight.ts";
import { ItemRow, lookupOf, type ItemLookup } from "./item.tsx";
import { WaitingCalls } from "./tool-card.tsx";
import type { TranscriptRow, TranscriptView } from "./transcript.ts";
import { EndRow, PromptRow } from "./turn-rows.tsx";
import { WorkingRow } from "./working-row.tsx";
import { waitingBehind } from "./working-words.ts";

/** The estimated height of a row until it is measured, px. */
const GUESS = { prompt: 96, item: 64, end: 48, note: 44, working: 24 } as const;
/** Rows beyond the edge that are rendered. */
const OVERSCAN = 12;
/** Within this distance counts as "at the end", px. */
const NEAR = 80;

/** Within this distance of the first row older ones are read, px. */
const NEAR_BEGINNING = 3_000;

/** What a search looks for, and where it stands. */
interface SearchMark {
  readonly text: string;
  readonly match: TextMatch | undefined;
}

/**
 * The rows of a session, of which only the visible ones are in the page. Stays at the end while the reader is there, and otherwise where
 * the reader is.
 */
export function TranscriptList({
  view,
  onOlder,
  target,
  found,
  onFork,
  onContinue,
}: {
  readonly view: TranscriptView;
  /** Reads what came before. Absent: the conversation is whole. */
  readonly onOlder: (() => void) | undefined;
  /** The seq of an event to go to. */
  readonly target: number | undefined;
  /** What a search shows. Absent: nobody searches. */
  readonly found: SearchMark | undefined;
  readonly onFork: ((turn: string) => void) | undefined;
  /** Continues a turn that stopped at a limit. Absent: it cannot be continued here. */
  readonly onContinue: (() => void) | undefined;
}): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(target === undefined);
  const rows = useRows(view);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => GUESS[rows[index]?.kind ?? "item"],
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: OVERSCAN,
    gap: 14,
    paddingStart: 20,
    paddingEnd: 20,
  });
  const height = virtual.getTotalSize();
  const anchor = useAnchor(scroller, { rows, virtual, isAtEnd: atEnd });
  const toEnd = useCallback(() => {
    const place = scroller.current;
    if (place !== null) place.scrollTop = place.scrollHeight;
  }, []);
  useLayoutEffect(() => {
    if (atEnd) toEnd();
  }, [atEnd, height, view, toEnd]);
  useResized(scroller, () => atEnd && toEnd());
  const go = (index: number): void => {
    const place = scroller.current;
    if (place !== null && place.scrollHeight > place.clientHeight + NEAR) setAtEnd(false);
    virtual.scrollToIndex(index, { align: "center" });
  };
  const { marked, revealed } = useMarked({ rows, view, target, found, go });
  useHighlight(scroller, found?.text ?? "");
  const ends = useEnds(scroller, { setAtEnd, toEnd });
  const lookup = useCallback((id: string) => view.items.get(id), [view]);
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        role="log"
        aria-label="Conversation"
        aria-live="off"
        tabIndex={0}
        onKeyDown={ends.onKeyDown}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          setAtEnd(scrollHeight - scrollTop - clientHeight < NEAR);
          anchor.note();
          if (scrollTop < NEAR_BEGINNING) onOlder?.();
        }}
        className="h-full overflow-y-auto overscroll-contain [overflow-anchor:none]"
      >
        <div className="relative mx-auto w-full max-w-4xl" style={{ height }}>
          {onOlder !== undefined && (
            <p className="absolute inset-x-0 top-0 text-center text-xs text-faint">Reading earlier messages…</p>
          )}
          <FoldMemory revealed={revealed}>
            <WaitingCalls value={waitingBehind(view.running).join(" ")}>
              {virtual.getVirtualItems().map(({ index, key, start }) => {
                const row = rows[index];
                return row === undefined ? null : (
                  <div
                    key={key}
                    ref={virtual.measureElement}
                    data-index={index}
                    data-seq={row.seq}
                    className={`absolute inset-x-0 px-4 ${marked === index ? "rounded-xl outline-2 -outline-offset-2 outline-info" : ""}`}
                    style={{ transform: `translateY(${String(start)}px)` }}
                  >
                    <RowView
                      row={row}
                      view={view}
                      lookup={lookup}
                      onFork={onFork}
                      onContinue={index === rows.length - 1 ? onContinue : undefined}
                    />
                  </div>
                );
              })}
            </WaitingCalls>
          </FoldMemory>
        </div>
      </div>
      {!atEnd && <ToEnd onGo={ends.end} />}
    </div>
  );
}

function ToEnd({ onGo }: { readonly onGo: () => void }): ReactNode {
  return (
    <Button size="small" className="absolute bottom-3 left-1/2 -translate-x-1/2 shadow-md" onClick={onGo}>
      <ArrowDown aria-hidden className="size-4" /> Jump to latest
    </Button>
  );
}

function RowView({
  row,
  view,
  lookup,
  onFork,
  onContinue,
}: {
  readonly row: ListRow;
  readonly view: TranscriptView;
  readonly lookup: ItemLookup;
  readonly onFork: ((turn: string) => void) | undefined;
  readonly onContinue: (() => void) | undefined;
}): ReactNode {
  if (row.kind === "note") return <Note tone={row.tone}>{row.text}</Note>;
  if (row.kind === "item") {
    const item = view.items.get(row.item);
    if (item === undefined) return null;
    return <ItemRow view={item} lookup={lookupOf(item, lookup)} />;
  }
  const turn = view.turns.get(row.turn);
  if (turn === undefined) return null;
  if (row.kind === "prompt") return <PromptRow turn={turn} />;
  if (row.kind === "working") return <WorkingRow turn={turn} view={view} />;
  return (
    <EndRow turn={turn} onFork={onFork === undefined ? undefined : () => onFork(turn.id)} onContinue={onContinue} />
  );
}

/** Home and End. The browser scrolls smoothly while row heights change, and stops too early: here both ends are reached in one step. */
function useEnds(
  scroller: { readonly current: HTMLElement | null },
  { setAtEnd, toEnd }: { readonly setAtEnd: (atEnd: boolean) => void; readonly toEnd: () => void },
): { readonly end: () => void; readonly onKeyDown: (event: KeyboardEvent) => void } {
  const end = (): void => {
    setAtEnd(true);
    toEnd();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const isOwn = event.target === event.currentTarget;
    if (!isOwn || event.altKey || event.shiftKey || (event.key !== "Home" && event.key !== "End")) return;
    event.preventDefault();
    if (event.key === "End") end();
    else if (scroller.current !== null && scroller.current.scrollTop > 0) {
      setAtEnd(false);
      scroller.current.scrollTo({ top: 0, behavior: "instant" });
    }
  };
  return { end, onKeyDown };
}

/** Rows that come before the others move nothing that the reader sees. */
function useAnchor(
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
  const seen = useRef<{ readonly key: string; readonly index: number; readonly into: number }>(undefined);
  const note = (): void => {
    const place = scroller.current;
    if (place === null) return;
    const first = virtual.getVirtualItems().find(({ end }) => end > place.scrollTop);
    const row = first === undefined ? undefined : rows[first.index];
    if (first !== undefined && row !== undefined)
      seen.current = { key: row.key, index: first.index, into: place.scrollTop - first.start };
  };
  useLayoutEffect(() => {
    const place = scroller.current;
    const before = seen.current;
    if (place === null || before === undefined || isAtEnd || rows[before.index]?.key === before.key) return;
    const index = rows.findIndex(({ key }) => key === before.key);
    const start = virtual.measurementsCache[index]?.start;
    if (start === undefined) return;
    seen.current = { ...before, index };
    place.scrollTop = start + before.into;
  }, [rows, scroller, virtual, isAtEnd]);
  return { note };
}

/** A question that opens below takes room from the conversation, whose end should stay visible. */
function useResized(place: { readonly current: HTMLElement | null }, then: () => void): void {
  const latest = useRef(then);
  useLayoutEffect(() => {
    latest.current = then;
  });
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => latest.current());
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
}

type ListRow =
  | TranscriptRow
  | { readonly kind: "working"; readonly key: string; readonly seq: number; readonly turn: string };

/** The conversation, and what is at work at its end. */
function useRows({ rows, open, seq }: TranscriptView): readonly ListRow[] {
  return useMemo(
    () => (open === undefined ? rows : [...rows, { kind: "working", key: "working", seq, turn: open }]),
    [rows, open, seq],
  );
}

/** The row that the address or a search leads to, and what is unfolded for it. */
function useMarked({
  rows,
  view,
  target,
  found,
  go,
}: {
  readonly rows: readonly ListRow[];
  readonly view: TranscriptView;
  readonly target: number | undefined;
  readonly found: SearchMark | undefined;
  readonly go: (index: number) => void;
}): { readonly marked: number | undefined; readonly revealed: Reveal } {
  const named = useJump({ rows, place: target === undefined ? undefined : view.places[target], go });
  const searched = useJump({ rows, place: found?.match?.key, go });
  const revealed = useMemo(
    () => ({ ids: found?.match?.opened ?? [], text: found?.text ?? "" }),
    [found?.match, found?.text],
  );
  return { marked: searched ?? named, revealed };
}

/** Scrolls to the row with this key, once it exists. Returns that row's index. */
function useJump({
  rows,
  place,
  go,
}: {
  readonly rows: readonly ListRow[];
  readonly place: string | undefined;
  readonly go: (index: number) => void;
}): number | undefined {
  const done = useRef<string>(undefined);
  const index = useMemo(() => (place === undefined ? -1 : rows.findIndex(({ key }) => key === place)), [rows, place]);
  const isThere = index >= 0;
  useEffect(() => {
    if (done.current === place || (place !== undefined && !isThere)) return;
    done.current = place;
    if (isThere) go(index);
  }, [go, index, isThere, place]);
  return isThere ? index : undefined;
}
