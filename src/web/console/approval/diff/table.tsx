import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useRef, type ReactNode } from "react";
import { Note, Skeleton } from "../../../ui/states.tsx";
import { visible } from "../../../ui/visible.ts";
import { DiffRow } from "./row.tsx";
import type { DiffLayout, DiffLineRow } from "./rows.ts";
import { BLOCK, useDiff, type ShownDiff } from "./use-diff.ts";
import { plural, t } from "../../../ui/language/t.ts";

const ROW_PX = 20;
const OVERSCAN = 1;
/** A diff of this many rows is drawn whole, so that the browser's own search finds all of it. */
const WHOLE_ROWS = 300;
const WHOLE_BLOCKS = Math.ceil(WHOLE_ROWS / BLOCK);
/** How much of a diff that cannot be drawn is shown as plain text. */
const PLAIN_CHARS = 100_000;

/** The rows of one diff. Long ones scroll inside; only visible rows are drawn. */
export function DiffTable({
  patch,
  path,
  layout,
  isNew,
}: {
  readonly patch: string;
  readonly path: string;
  readonly layout: DiffLayout;
  /** The file is new. */
  readonly isNew: boolean;
}): ReactNode {
  const diff = useDiff(patch, path, layout);
  if (diff.failed !== undefined) return <Plain patch={patch} why={diff.failed} />;
  if (diff.opened === undefined) return <Skeleton className="m-3 h-24" />;
  const rows = diff.opened.rows[layout];
  if (rows === 0) return <p className="px-3 py-4 text-sm text-soft">{t("No changes to preview")}</p>;
  return (
    <>
      {diff.opened.cut && (
        <Note tone="warn">{t("The diff is longer than a page can show; this is its beginning.")}</Note>
      )}
      <Scroller
        key={layout}
        diff={diff}
        rows={rows}
        isNew={isNew}
        label={plural(
          { one: "Changes of {path}, {count} row", other: "Changes of {path}, {count} rows" },
          { path: visible(path), count: rows },
        )}
      />
    </>
  );
}

function Scroller({
  diff,
  rows,
  isNew,
  label,
}: {
  readonly diff: ShownDiff;
  readonly rows: number;
  readonly isNew: boolean;
  readonly label: string;
}): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const blocks = Math.ceil(rows / BLOCK);
  const virtual = useVirtualizer({
    count: blocks,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => rowsIn(index, rows) * ROW_PX,
    overscan: blocks <= WHOLE_BLOCKS ? WHOLE_BLOCKS : OVERSCAN,
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;
  const { look } = diff;
  useEffect(() => {
    if (last >= first) look(first, last);
  }, [first, last, look]);
  return (
    <div
      ref={scroller}
      role="region"
      tabIndex={0}
      aria-label={label}
      className="max-h-[max(16rem,62dvh)] overflow-auto bg-paper font-mono text-[0.8rem] leading-5"
    >
      <div className="relative w-full" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, key, start }) => (
          <div
            key={key}
            data-index={index}
            ref={virtual.measureElement}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${start}px)` }}
          >
            <Block rows={diff.block(index)} count={rowsIn(index, rows)} isNew={isNew} onLengthen={diff.lengthen} />
          </div>
        ))}
      </div>
    </div>
  );
}

function rowsIn(block: number, rows: number): number {
  return Math.min(BLOCK, rows - block * BLOCK);
}

/** Redrawn only when its rows have changed. `count`: the expected number while there are none. */
const Block = memo(function Block({
  rows,
  count,
  isNew,
  onLengthen,
}: {
  readonly rows: readonly DiffLineRow[] | undefined;
  readonly count: number;
  readonly isNew: boolean;
  readonly onLengthen: (line: number, shown: number) => void;
}): ReactNode {
  if (rows === undefined) return <div style={{ height: count * ROW_PX }} />;
  return rows.map((row, index) => <DiffRow key={index} row={row} isNew={isNew} onLengthen={onLengthen} />);
});

function Plain({ patch, why }: { readonly patch: string; readonly why: string }): ReactNode {
  return (
    <div className="space-y-2 p-3">
      <Note tone="warn">{t("This is the diff as it came: {why}.", { why })}</Note>
      <pre className="max-h-[60dvh] overflow-auto text-xs whitespace-pre-wrap">{patch.slice(0, PLAIN_CHARS)}</pre>
      {patch.length > PLAIN_CHARS && (
        <p className="text-sm text-soft">
          {plural(
            { one: "… {count} more character", other: "… {count} more characters" },
            { count: patch.length - PLAIN_CHARS },
          )}
        </p>
      )}
    </div>
  );
}
