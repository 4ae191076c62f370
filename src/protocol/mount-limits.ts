/** Bounds of document 003's files and of `sallyport mount`. Part of LIMITS. */
export const MOUNT_LIMITS = {
  // the /claude mount (document 003)
  /** What is written into one file. */
  mountWriteBytes: 8_000_000,
  /** A file that is read whole, such as a long log of tools. */
  mountReadBytes: 67_108_864,
  /** Of a path, and its parts. */
  mountPathChars: 1_000,
  mountPathParts: 16,
  /** The subject of a tool call in its line of `output`. */
  mountLineChars: 200,
  /** Sessions that one folder lists, the newest first; all others can still be opened by their name. */
  mountListed: 10_000,
  /** How long creating a session may take by default, and the most that a request may set. */
  mountCreateMs: 60_000,
  mountCreateMaxMs: 600_000,
  /** Callers' last errors per session, for its `error`; the oldest is forgotten first. */
  mountErrors: 10_000,
  /** Ended messages of one session that are remembered while its output is read. */
  mountEndedMessages: 10_000,
  /** Outputs whose length and places are known up to an event; the one asked for longest ago is counted anew. */
  mountOutputs: 1_000,
  /** Of one output: events between two places where a reader can begin, such places near its end, and before them. */
  mountPlaceEvents: 64,
  mountPlacesNear: 64,
  mountPlacesFar: 256,
  /** Questions that one answer says its writer was shown. */
  mountShownQuestions: 100,
  mounts: 16,
  mountTunnels: 100,
  // sallyport mount
  /** Reads of /dev/fuse that wait at once; each occupies one of the process's four I/O threads. */
  mountReaders: 2,
  /** Program calls that wait for an answer, open files, and names that the kernel knows. */
  mountRequests: 8_192,
  mountHandles: 4_096,
  mountNodes: 65_536,
  /** What the kernel hands over in one write. */
  mountPieceBytes: 131_072,
  /** Last answers of `new` and `fork`, for `cat` after `echo`; the oldest is forgotten first. */
  mountAnswers: 1_000,
  /** How long, and for how many paths, a file's rights are cached. */
  mountStatMs: 1_000,
  mountStats: 10_000,
  /** How often an unreachable server is retried, and how long it may be away before a call fails with EIO. */
  mountAgainMs: 100,
  mountAbsenceMs: 15_000,
  /** How long `mount`, `umount`, `fusermount3` and `mkfifo` may take. */
  mountProgramMs: 10_000,
  /** A plain folder: how often it is updated, the sessions in it (the newest), and how long a message in a pipe waits for more. */
  mountPlainMs: 500,
  mountPlainSessions: 100,
  mountPlainQuietMs: 100,
} as const;
