import { Painter } from "./colours.ts";
import { Highlighter } from "../../code/highlighter.ts";
import { languageNamed, languageOfFile, type CodeLanguage } from "../../code/languages.ts";
import type { WorkerQuestion, WorkerAnswer } from "./messages.ts";
import { readPatch, type Patch } from "./patch.ts";
import { countRows, rowsOf, type RowsWanted } from "./rows.ts";

interface OpenDiff {
  readonly patch: Patch;
  /** Absent until the language is there, and where nobody knows it. */
  painter?: Painter;
  readonly ready: Promise<void>;
  /** Rows that wait for their colours; the last ones are looked at now. */
  readonly waiting: RowsWanted[];
  painting: boolean;
}

/** As many blocks as the page keeps: who scrolls on does not wait for what went by. */
const WAITING = 10;

const highlighter = new Highlighter();
const shown = new Map<number, OpenDiff>();
const tell = (told: WorkerAnswer): void => globalThis.postMessage(told, {});

/** Everything that takes time about a diff happens here: reading it, its words, its colours; and the colours of all other code. The page gets what it shows. */
globalThis.addEventListener("message", ({ data }: MessageEvent<WorkerQuestion>) => {
  try {
    take(data);
  } catch (error) {
    tell({ type: "failed", id: data.id, message: error instanceof Error ? error.message : String(error) });
  }
});

function take(ask: WorkerQuestion): void {
  switch (ask.type) {
    case "open": {
      const patch = readPatch(ask.patch);
      const language = languageOfFile(ask.path);
      const ready = language === undefined ? Promise.resolve() : load(ask.id, language).catch(() => undefined);
      shown.set(ask.id, { patch, ready, waiting: [], painting: false });
      const rows = { split: countRows(patch, "split"), unified: countRows(patch, "unified") };
      tell({ type: "opened", id: ask.id, rows, added: patch.added, removed: patch.removed, cut: patch.cut });
      return;
    }
    case "rows": {
      const found = shown.get(ask.id);
      if (found === undefined) return;
      if (send(ask.id, found, ask)) void paint(ask.id, found, ask);
      return;
    }
    case "close":
      shown.delete(ask.id);
      return;
    case "colour":
      void colour(ask).catch(() => tell({ type: "coloured", id: ask.id, lines: [] }));
  }
}

async function load(id: number, language: CodeLanguage): Promise<void> {
  const colourist = await highlighter.load(language);
  const found = shown.get(id);
  if (found !== undefined) found.painter = new Painter(found.patch, colourist);
}

async function colour({ id, code, language }: Extract<WorkerQuestion, { type: "colour" }>): Promise<void> {
  const known = languageNamed(language);
  const colourist = known === undefined ? undefined : await highlighter.load(known);
  tell({ type: "coloured", id, lines: colourist?.(code) ?? [] });
}

/** True: some of the rows have no colours yet. */
function send(id: number, { patch, painter }: OpenDiff, wanted: RowsWanted): boolean {
  let plain = false;
  const rows = rowsOf(patch, wanted, (line, side) => {
    const known = painter?.known(line, side);
    plain ||= known === undefined;
    return known;
  });
  tell({ type: "rows", id, layout: wanted.layout, from: wanted.from, rows });
  return plain;
}

/** The newest first, block by block, so that another question can come in between. One of these runs for each diff. */
async function paint(id: number, found: OpenDiff, wanted: RowsWanted): Promise<void> {
  const { waiting, patch } = found;
  waiting.push(wanted);
  if (waiting.length > WAITING) waiting.shift();
  if (found.painting) return;
  found.painting = true;
  await found.ready;
  const { painter } = found;
  if (painter === undefined) return;
  for (let next = waiting.at(-1); next !== undefined && shown.get(id) === found; next = waiting.at(-1)) {
    if (!painter.paintNext(linesOf(patch, next))) {
      waiting.splice(waiting.indexOf(next), 1);
      send(id, found, next);
    }
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  found.painting = false;
}

function linesOf(patch: Patch, { layout, from, to }: RowsWanted): readonly number[] {
  if (layout === "unified") return Array.from({ length: to - from }, (_, index) => from + index);
  return patch.pairs.slice(from, to).flatMap(({ left, right }) => [left, right].filter((line) => line !== undefined));
}
