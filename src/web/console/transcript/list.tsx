import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ChevronDown, ChevronUp } from "lucide-react";
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
import { GroupView } from "./group-view.tsx";
import { useHighlight } from "./highlight.ts";
import { ItemRow, lookupOf, type ItemLookup } from "./item.tsx";
import { holds, useAnchor, useRows, type ListRow } from "./list-rows.ts";
import { NewestPlan, WaitingCalls } from "./tool-card.tsx";
import type { TranscriptView } from "./transcript.ts";
import { usePromptJump } from "./prompt-jump.ts";
import { EndRow, PromptRow } from "./turn-rows.tsx";
import { WorkingRow } from "./working-row.tsx";
import { waitingBehind } from "./working-words.ts";
import { t } from "../../ui/language/t.ts";

/** The estimated height of a row until it is measured, px. */
const GUESS = { prompt: 96, item: 64, group: 42, end: 48, note: 44, working: 24 } as const;
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
  const { toEnd, hasLeft } = useEnd(scroller);
  useLayoutEffect(() => {
    if (!atEnd) return;
    if (hasLeft()) setAtEnd(false);
    else toEnd();
  }, [atEnd, height, view, toEnd, hasLeft]);
  useResized(scroller, () => atEnd && toEnd());
  const go = (index: number): void => {
    const place = scroller.current;
    if (place !== null && place.scrollHeight > place.clientHeight + NEAR) setAtEnd(false);
    virtual.scrollToIndex(index, { align: "center" });
  };
  const { marked, revealed } = useMarked({ rows, view, target, found, go });
  useHighlight(scroller, found?.text ?? "");
  const ends = useEnds(scroller, { setAtEnd, toEnd });
  const jump = usePromptJump(rows, { scroller, virtual, setAtEnd, older: onOlder, end: ends.end });
  const lookup = useCallback((id: string) => view.items.get(id), [view]);
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        role="log"
        aria-label={t("Conversation")}
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
            <p className="absolute inset-x-0 top-0 text-center text-xs text-faint">{t("Reading earlier messages…")}</p>
          )}
          <FoldMemory revealed={revealed}>
            <WaitingCalls value={waitingBehind(view.running).join(" ")}>
              <NewestPlan value={view.plan}>
                <VisibleRows
                  virtual={virtual}
                  rows={rows}
                  view={view}
                  lookup={lookup}
                  marked={marked}
                  onFork={onFork}
                  onContinue={onContinue}
                />
              </NewestPlan>
            </WaitingCalls>
          </FoldMemory>
        </div>
      </div>
      {!atEnd && <Places onEnd={ends.end} onJump={jump} />}
    </div>
  );
}

/** The rows in sight, each at its place. */
function VisibleRows({
  virtual,
  rows,
  marked,
  onContinue,
  ...shared
}: {
  readonly virtual: ReturnType<typeof useVirtualizer<HTMLDivElement, Element>>;
  readonly rows: readonly ListRow[];
  /** The row that an address or a search leads to. */
  readonly marked: number | undefined;
} & Omit<Parameters<typeof RowView>[0], "row">): ReactNode {
  return virtual.getVirtualItems().map(({ index, key, start }) => {
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
        <RowView {...shared} row={row} onContinue={index === rows.length - 1 ? onContinue : undefined} />
      </div>
    );
  });
}

function Places({ onEnd, onJump }: { readonly onEnd: () => void; readonly onJump: (by: -1 | 1) => void }): ReactNode {
  return (
    <div className="absolute bottom-3 left-1/2 flex -translate-x-1/2 items-center gap-1.5">
      <Button size="icon" className="size-8! shadow-md" aria-label={t("Previous turn")} onClick={() => onJump(-1)}>
        <ChevronUp aria-hidden className="size-4" />
      </Button>
      <Button size="icon" className="size-8! shadow-md" aria-label={t("Next turn")} onClick={() => onJump(1)}>
        <ChevronDown aria-hidden className="size-4" />
      </Button>
      <Button size="small" className="shadow-md" onClick={onEnd}>
        <ArrowDown aria-hidden className="size-4" /> {t("Jump to latest")}
      </Button>
    </div>
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
  if (row.kind === "group") return <GroupView row={row} lookup={lookup} />;
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
  const expired = turn.entries.filter(
    (entry) => entry.kind === "item" && view.items.get(entry.item)?.item.status === "timed_out",
  ).length;
  return (
    <EndRow
      turn={turn}
      expired={expired}
      onFork={onFork === undefined ? undefined : () => onFork(turn.id)}
      onContinue={onContinue}
    />
  );
}

/**
 * The end of the conversation. A reader may scroll in the moment in which a new row is painted, before the browser tells of it: `hasLeft`
 * says so, that the row does not take the reader back.
 */
function useEnd(scroller: { readonly current: HTMLElement | null }): {
  readonly toEnd: () => void;
  readonly hasLeft: () => boolean;
} {
  /** The lower edge of what was seen at the end, px. */
  const lowest = useRef(0);
  const toEnd = useCallback(() => {
    const place = scroller.current;
    if (place === null) return;
    place.scrollTop = place.scrollHeight;
    lowest.current = place.scrollTop + place.clientHeight;
  }, [scroller]);
  const hasLeft = useCallback(() => {
    const place = scroller.current;
    if (place === null) return false;
    const edge = place.scrollTop + place.clientHeight;
    // Rows that shrink move the edge too, but not away from the end.
    return edge < lowest.current - NEAR && place.scrollHeight - edge >= NEAR;
  }, [scroller]);
  return { toEnd, hasLeft };
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
  const place = target === undefined ? undefined : view.places[target];
  const named = useJump({ rows, place, go });
  const searched = useJump({ rows, place: found?.match?.key, go });
  const revealed = useMemo(
    () => ({ ids: found?.match?.opened ?? (place === undefined ? [] : [place]), text: found?.text ?? "" }),
    [found?.match, found?.text, place],
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
  const index = useMemo(() => (place === undefined ? -1 : rows.findIndex((row) => holds(row, place))), [rows, place]);
  const isThere = index >= 0;
  useEffect(() => {
    if (done.current === place || (place !== undefined && !isThere)) return;
    done.current = place;
    if (isThere) go(index);
  }, [go, index, isThere, place]);
  return isThere ? index : undefined;
}
