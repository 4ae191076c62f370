/** The bounds of the browser tools; a part of `LIMITS`. */
export const BROWSER_LIMITS = {
  /** How long one browser tool may take, and how long Chromium has to start. */
  browserToolMs: 30_000,
  browserStartMs: 30_000,
  /** What a page that did not answer in time still has, before its browser is ended. */
  browserGraceMs: 3_000,
  /** A browser that no tool has used for so long is ended; the next call starts another one. */
  browserIdleMs: 300_000,
  /** One message of Chromium, and bytes that it has not read yet. */
  browserMessageBytes: 67_108_864,
  browserUnreadBytes: 33_554_432,
  /** The last part of what Chromium writes to stderr, which its failure is told with. */
  browserStderrChars: 2_000,
  /** Width and height of a screenshot, and its pixels when the whole page is taken. */
  browserPictureEdge: 4_096,
  browserPicturePixels: 16_777_216,
  /** The picture in the preview of a question, and the text of the element that it shows. */
  browserPreviewBytes: 262_144,
  browserElementChars: 500,
  browserTitleChars: 300,
  /** Of an element, what tells it from others: its characters, and the fields of its form. */
  browserMarkChars: 100_000,
  browserMarkFields: 500,
  /** Previews that are remembered until their call runs. */
  browserPreviews: 100,
  browserSelectorChars: 4_000,
  browserValueChars: 100_000,
  browserScriptChars: 200_000,
  browserNameChars: 200,
  /** Frames in which an element is looked for. */
  browserFrames: 50,
  /** Console lines of one script, and the characters of all of them. */
  browserConsoleLines: 200,
  browserConsoleChars: 20_000,
  /** What the result of one call tells beside its own text: dialogs, downloads, refused hosts, closed pages. */
  browserNotes: 20,
  browserNoteChars: 500,
  /** Pages that one browser may open by itself in one call; all are closed, and one more ends the browser. */
  browserPopups: 50,
  /** Bytes of one download, and downloads of one browser. */
  browserDownloadBytes: 104_857_600,
  browserDownloads: 50,
} as const;
