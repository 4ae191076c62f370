/** Bounds of worktrees, snapshots and change sets; a part of LIMITS. Times are milliseconds, sizes are bytes unless the name says otherwise. */
export const WORKSPACE_LIMITS = {
  /** Bytes that one call of git may answer. */
  gitOutputBytes: 268_435_456,
  /** Copies of folders that are kept for snapshots, and their bytes together. The oldest that no session uses go first. */
  snapshotBases: 200,
  snapshotBytes: 53_687_091_200,
  /** How often a folder is copied that changes while it is copied. */
  snapshotTries: 3,
  /** Folders whose state is remembered between two snapshots, the paths by which all of them are known to be unchanged, and the threads that compare these. */
  rememberedLooks: 50,
  stampedPaths: 400_000,
  stampThreads: 4,
  /** Withheld files that an answer lists; more are counted. */
  withheldListed: 1_000,
  /** Files of one change set. */
  changedFiles: 20_000,
  /** Bytes of a file that a change set can hold. */
  changedFileBytes: 268_435_456,
  /** Lines of a larger file are not counted, and it has no diff. */
  diffedFileBytes: 1_048_576,
  /** Bytes of all files whose lines are counted for one answer. */
  diffedBytes: 33_554_432,
  /** Of a review at the end: files that it lists (more are counted), and characters of its diff (more are in the session's changes). */
  reviewFiles: 200,
  reviewDiffChars: 200_000,
  /** Characters of the message of a commit. */
  commitMessageChars: 10_000,
  /** Of the recording of a session's files: files and bytes of one moment, bytes of one file, and turns. Beyond them nothing is recorded, and the page says so. */
  recordedFiles: 20_000,
  recordedBytes: 536_870_912,
  recordedFileBytes: 10_485_760,
  recordedTurns: 500,
  /** Files of two sessions that are compared with each other. */
  comparedFiles: 2_000,
  /** Comments on lines that one prompt can carry, and characters of each. */
  lineComments: 100,
  lineCommentChars: 4_000,
  /** Characters of a line that a comment quotes. */
  quotedLineChars: 500,
  /** Parts of files that one decision can name. */
  chosenHunks: 10_000,
  /** How long a push, and the making of a pull request, may take. */
  pushTimeoutMs: 120_000,
  /** Remotes of a repository that are listed. */
  remotesListed: 50,
  /** Bytes of a file that is shown or downloaded. */
  viewedFileBytes: 10_485_760,
} as const;
