/** Bounds and measures that only the workbench's page uses. */
export const WORKBENCH_LIMITS = {
  /** WorkbenchActions that can be taken back; the oldest are forgotten. */
  actionsKept: 500,
  /** Tables that are closed but can still be brought back by undo; each keeps its memory. */
  closedViewsKept: 5,
  /** A slider that is dragged is one action: changes of the same thing within this time, ms. */
  actionMergeMs: 1_500,
  viewersPerView: 32,
  openViews: 32,
  dockDepth: 8,
  /** The smallest share of a part of a split. */
  dockShareMin: 0.06,
  /** Layouts by name. */
  layoutsNamed: 50,
  /** Layouts kept without being asked, one per table; the oldest go. */
  layoutsKept: 50,
  /** Characters of one layout as JSON. */
  layoutCharacters: 200_000,
  /** Lists and objects inside each other of one layout; a whole dock has two for each of its levels. */
  layoutNesting: 64,
  layoutNameCharacters: 80,
  /** Characters of a link to a table and its layout. */
  linkCharacters: 30_000,
  /** After the last change, until the layout is kept, ms. */
  layoutSaveMs: 600,
  /** Bytes of open tables that this browser stores for a reload, in all tabs together. */
  keptBytes: 512 * 1024 ** 2,
  /** Bytes of columns that only earlier steps of a tab need, stored for undo after a reload. */
  keptHistoryBytes: 64 * 1024 ** 2,
  /** Bytes of selected and marked rows in the stored steps of a tab. */
  keptHistoryRowBytes: 4 * 1024 ** 2,
  /** Tabs whose steps are stored. */
  keptHistories: 4,
  /** Bytes of a query's answer that is stored with them. */
  keptAnswerBytes: 64 * 1024 ** 2,
  /** Days that the tables of a tab that is gone are stored. */
  keptDays: 7,
  /** Bytes of a file that is opened. */
  fileBytes: 1_000_000_000,
  /** Pixels of the longer side of a picture that is saved. */
  pictureEdge: 8_192,
  /** Rows of a table that is saved as JSON or Parquet: it is put together in memory. */
  savedRows: 2_000_000,
  /** Cells of an Excel file that is made by the page itself; larger ones are made in a worker. */
  xlsxCellsHere: 100_000,
  /** Cells that one action changes. */
  editedCells: 1_000,
  /** Columns that a picker shows at once. */
  pickerColumns: 500,
  /** Lines at the beginning of a file that can be passed over. */
  skippedLines: 10_000,
  /** Columns that the preview of an import shows. */
  importColumns: 50,
  /** Values that the preview of a format shows. */
  formatExamples: 3,
  /** Rows of the preview of a new column. */
  previewRows: 6,
} as const;
