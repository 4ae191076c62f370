import { PieceRedactor, type Redactor } from "../../protocol/index.ts";

type CleanedStream = "stdout" | "stderr";

/**
 * Removes known secrets from output before it is written to a file, even if one comes in two pieces. Each byte is read as
 * one character, so that binary output is unchanged.
 */
export class CleanOutput {
  readonly #pieces: PieceRedactor | undefined;

  /** Absent: nothing is removed. */
  constructor(redact: Redactor | undefined) {
    this.#pieces = redact === undefined ? undefined : new PieceRedactor(redact);
  }

  /** What can be written after one more piece. */
  next(chunk: Buffer, stream: CleanedStream): Buffer {
    if (this.#pieces === undefined) return chunk;
    return Buffer.from(this.#pieces.next(stream, chunk.toString("latin1")), "latin1");
  }

  /** What was held back. */
  end(): Buffer {
    const rest = (["stdout", "stderr"] as const).map((stream) => this.#pieces?.end(stream) ?? "");
    return Buffer.from(rest.join(""), "latin1");
  }
}
