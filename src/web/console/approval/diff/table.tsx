import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, type ReactNode } from "react";
import { Note, Skeleton } from "../../ui/states.tsx";
import { DiffRow } from "./row.tsx";
import type { Layout } from "./rows.ts";
import { useDiff } from "./use-diff.ts";

const ROW_PX = 20;
const OVERSCAN = 30;
/** A diff of so many rows is drawn whole, so that the browser's own search finds all of it. */
const WHOLE_ROWS = 300;
/** Of a diff that cannot be drawn so much is shown as it is. */
const PLAIN_CHARS = 100_000;

/** The rows of one diff. Long ones scroll inside; only what is looked at is drawn. */
export function DiffTable({
  patch,
  path,
  layout,
}: {
  readonly patch: string;
  readonly path: string;
  readonly layout: Layout;
}): ReactNode {
  const diff = useDiff(patch, path, layout);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = diff.opened?.rows[layout] ?? 0;
  const virtual = useVirtualizer({
    count: rows,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: rows <= WHOLE_ROWS ? WHOLE_ROWS : OVERSCAN,
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;
  const { look } = diff;
  useEffect(() => {
    if (last >= first) look(first, last + 1);
  }, [first, last, look, diff.opened]);
  if (diff.failed !== undefined) return <Plain patch={patch} why={diff.failed} />;
  if (diff.opened === undefined) return <Skeleton className="m-3 h-24" />;
  if (rows === 0) return <p className="px-3 py-4 text-sm text-soft">No changes to preview</p>;
  return (
    <>
      {diff.opened.cut && <Note tone="warn">The diff is longer than a page can show; this is its beginning.</Note>}
      <div
        ref={scroller}
        role="region"
        tabIndex={0}
        aria-label={`Changes of ${path}, ${rows} rows`}
        className="max-h-[max(16rem,62dvh)] overflow-auto overscroll-contain bg-paper font-mono text-[0.8rem] leading-5"
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
              <DiffRow row={diff.row(index)} layout={layout} onLengthen={diff.lengthen} />
            </div>
          ))}
        </div>
      </div>
    </>
  );
}

function Plain({ patch, why }: { readonly patch: string; readonly why: string }): ReactNode {
  return (
    <div className="space-y-2 p-3">
      <Note tone="warn">This is the diff as it came: {why}.</Note>
      <pre className="max-h-[60dvh] overflow-auto text-xs whitespace-pre-wrap">{patch.slice(0, PLAIN_CHARS)}</pre>
      {patch.length > PLAIN_CHARS && (
        <p className="text-sm text-soft">… {patch.length - PLAIN_CHARS} more characters</p>
      )}
    </div>
  );
}
