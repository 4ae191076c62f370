/** Limits of the process that holds vendors' programs while no server runs. A part of `LIMITS`. */
export const SUPERVISOR_LIMITS = {
  /** How long the supervisor has to start, to answer, and without its first server. */
  supervisorStartMs: 10_000,
  supervisorAnswerMs: 30_000,
  /** Without a server for this long the supervisor ends what it holds; the longest that may be set. */
  supervisorSeconds: 300,
  supervisorMaxSeconds: 86_400,
  /** Programs that it holds at once. */
  supervisorPrograms: 1_000,
  /** One message to or from it. */
  supervisorFrameBytes: 67_108_864,
  /** Output of one program that it keeps: that of the open turn, and what no server has read yet. */
  supervisorSpoolBytes: 67_108_864,
  /** What it remembers of a turn beside the output: lines written, and notes about them. A turn with more cannot be taken up. */
  supervisorWrites: 20_000,
  supervisorNoteChars: 16_777_216,
  /** How long after its end a turn's output is kept: until then its end is on the disk. */
  heldTurnMs: 10_000,
  /** Repetitions of a model call by a held program: they must outlast a restart of the server. */
  heldModelRetries: 10,
} as const;
