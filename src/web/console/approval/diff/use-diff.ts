import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { diffWorker } from "./worker-client.ts";
import type { WorkerAnswer } from "./messages.ts";
import type { DiffLayout, DiffLineRow } from "./rows.ts";

/** Rows requested, drawn and measured together: a browser lays out fifty as fast as one, and a long diff has few blocks. */
export const BLOCK = 50;
/** Cached blocks; those farthest from the visible ones go first. */
const BLOCKS_KEPT = 10;
/** More of a long line at each press. */
const LINE_STEP = 20_000;

type OpenedDiff = Extract<WorkerAnswer, { type: "opened" }>;

export interface ShownDiff {
  /** Undefined while it is being read. */
  readonly opened: OpenedDiff | undefined;
  /** What went wrong, in words. */
  readonly failed: string | undefined;
  /** Undefined: on its way. */
  readonly block: (index: number) => readonly DiffLineRow[] | undefined;
  /** Sets the visible blocks, inclusive. */
  readonly look: (first: number, last: number) => void;
  /** Shows more of a long line. */
  readonly lengthen: (line: number, shown: number) => void;
}

/** One diff in one layout, parsed in the worker; the page holds only the visible part. */
export function useDiff(patch: string, path: string, layout: DiffLayout): ShownDiff {
  const [opened, setOpened] = useState<OpenedDiff>();
  const [failed, setFailed] = useState<string>();
  const [, redraw] = useState(0);
  const held = useRef<DiffBlocks>(holding());
  const worker = useRef<ReturnType<typeof diffWorker.open>>(undefined);

  useEffect(() => {
    held.current = holding();
    const open = diffWorker.open(patch, path, (told) => {
      if (told.type === "opened") setOpened(told);
      else if (told.type === "failed") setFailed(told.message);
      else if (told.type === "rows") {
        const { blocks, asked } = held.current;
        const block = told.from / BLOCK;
        // What nobody looks at any more is not kept.
        if (!asked[told.layout].has(block)) return;
        blocks[told.layout].set(block, told.rows);
        redraw((times) => times + 1);
      }
    });
    worker.current = open;
    return () => {
      open.close();
      setOpened(undefined);
      setFailed(undefined);
    };
  }, [patch, path]);

  const ask = useCallback(
    (block: number) => {
      const { asked, long } = held.current;
      asked[layout].add(block);
      worker.current?.ask({ layout, from: block * BLOCK, to: (block + 1) * BLOCK, long });
    },
    [layout],
  );
  const look = useCallback(
    (first: number, last: number) => {
      const asked = held.current.asked[layout];
      for (let block = first; block <= last; block += 1) if (!asked.has(block)) ask(block);
      const far = [...asked].sort((a, b) => Math.abs(b - first) - Math.abs(a - first));
      for (const block of far.slice(0, Math.max(0, far.length - BLOCKS_KEPT))) {
        asked.delete(block);
        held.current.blocks[layout].delete(block);
      }
    },
    [ask, layout],
  );
  const lengthen = useCallback(
    (line: number, shown: number) => {
      held.current.long.set(line, shown + LINE_STEP);
      for (const block of held.current.asked[layout]) ask(block);
    },
    [ask, layout],
  );
  const block = useCallback((index: number) => held.current.blocks[layout].get(index), [layout]);
  return useMemo(() => ({ opened, failed, block, look, lengthen }), [opened, failed, block, look, lengthen]);
}

/** What was asked for and has come, by layout, so that changing it back and forth reads nothing anew. */
interface DiffBlocks {
  readonly blocks: Readonly<Record<DiffLayout, Map<number, readonly DiffLineRow[]>>>;
  readonly asked: Readonly<Record<DiffLayout, Set<number>>>;
  readonly long: Map<number, number>;
}

function holding(): DiffBlocks {
  return {
    blocks: { split: new Map(), unified: new Map() },
    asked: { split: new Set(), unified: new Set() },
    long: new Map(),
  };
}
