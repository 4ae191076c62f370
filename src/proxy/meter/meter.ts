import type { MeterTally } from "./tally.ts";

/** How the provider itself ended its answer. */
export type MeterEnd = "completed" | "error";

/** Reads what an answer costs while it passes. */
export interface Meter {
  readonly tally: MeterTally;
  /** When it ended with an error: output that costs money may have been generated before. */
  readonly began: boolean;
  /** Absent: the answer continues. */
  readonly end: MeterEnd | undefined;
  /** What the caller gets of this piece now; nearly always the piece itself. */
  feed(piece: Buffer): Buffer | undefined;
  /** The connection ended normally. Returns what the caller still gets. */
  finish(): Buffer | undefined;
}
