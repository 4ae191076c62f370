/** CSS pixels unless said otherwise. */
export const SIZES = {
  row: 28,
  head: 34,
  /** Browsers cut what is taller (Firefox at 17.8 million): above it the bar stands for more than it is long. */
  maxBar: 8_000_000,
  /** How far the rows' layer extends before its rows are laid out around another one. */
  layerRows: 10_000,
  minWidth: 48,
  maxWidth: 900,
  /** What a column gets at most by itself; people can drag it wider. */
  maxAutoWidth: 340,
  /** Around a cell's text, both sides. */
  cellPadding: 18,
  /** In a head beside the name: type, order, menu. */
  headPadding: 68,
  /** The longest text is not always the widest: so much wider others may be, as a share. */
  widest: 1.06,
  /** By the keyboard. */
  widthStep: 12,
} as const;

/** How wide texts are in the grid's font. */
export interface Letters {
  readonly digit: number;
  readonly textWidth: (text: string) => number;
  /** A name in a head, which is bold. */
  readonly nameWidth: (name: string) => number;
}

export const GRID_LIMITS = {
  /** Rows whose texts decide a column's width. */
  widthSample: 200,
  /** Characters of the longest text that are measured: it is cut anyway. */
  measuredChars: 100,
  /** Above so many rows they are sorted in a worker. */
  sortHere: 20_000,
  /** Texts that are prepared for the worker at once, so that the page stays responsive. */
  packedTexts: 50_000,
  /** Rows that are copied at once. */
  copyRows: 100_000,
  /** Values in the list of a filter; the search finds the others. */
  listedValues: 200,
  histogramBins: 32,
  /** Milliseconds without scrolling before the bar is corrected. */
  idle: 140,
  sortKeys: 8,
  /** Cells that a search checks before it yields to the page. */
  searchedCells: 50_000,
  /** Cells that a search finds at most. */
  foundCells: 100_000,
  /** Characters of a search text. */
  searchCharacters: 1_000,
} as const;
