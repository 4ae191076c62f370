import type { MeterTally } from "./tally.ts";

/** How the provider itself ended its answer. */
export type MeterEnd = "completed" | "error";

/** Reads what an answer costs while it passes. */
export interface Meter {
  readonly tally: MeterTally;
  /** Where it ended with an error: something that costs money may have been generated before. */
  readonly began: boolean;
  /** Absent: the answer goes on. */
  readonly end: MeterEnd | undefined;
  /** What the caller gets of this piece, now; nearly always the piece itself. */
  feed(piece: Buffer): Buffer | undefined;
  /** The connection has ended as it should. What the caller still gets. */
  finish(): Buffer | undefined;
}
