import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { LIMITS } from "../../protocol/index.ts";

export interface LogPiece {
  readonly bytes: Buffer;
  /** Where `bytes` begins, counted from the first byte ever written. */
  readonly start: number;
}

/**
 * Output of any length in files of bounded size: the newest half in one, the half before in another; older output is gone.
 * Offsets count from the first byte ever written.
 */
export class OutputLog {
  readonly path: string;
  readonly #older: string;
  #descriptor: number | undefined;
  /** Where the current file begins. */
  #base = 0;
  #length = 0;
  #oldBase = 0;

  constructor(path: string) {
    this.path = path;
    this.#older = `${path}.old`;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#descriptor = openSync(path, "wx+", 0o600);
  }

  /** The offset after the last byte. */
  get end(): number {
    return this.#base + this.#length;
  }

  append(chunk: Buffer): void {
    if (this.#descriptor === undefined) return;
    try {
      if (this.#length > 0 && this.#length + chunk.length > LIMITS.keptOutputBytes / 2) this.#turnOver();
      this.#length += writeSync(this.#descriptor, chunk, 0, chunk.length, this.#length);
    } catch {
      // On a full disk the output is lost, not the command.
    }
  }

  /** Up to `most` bytes from `place` on, or from the oldest byte still available. */
  read(place: number, most: number): LogPiece {
    if (this.#descriptor === undefined) return { bytes: Buffer.alloc(0), start: place };
    if (place >= this.#base) return { bytes: readAt(this.#descriptor, place - this.#base, most), start: place };
    const start = Math.max(place, this.#oldBase);
    try {
      const older = openSync(this.#older, "r");
      try {
        const rest = Math.min(most, this.#base - start);
        return { bytes: readAt(older, start - this.#oldBase, rest), start };
      } finally {
        closeSync(older);
      }
    } catch {
      return { bytes: readAt(this.#descriptor, 0, most), start: this.#base };
    }
  }

  /** Closes and deletes it. */
  remove(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
    rmSync(this.path, { force: true });
    rmSync(this.#older, { force: true });
  }

  #turnOver(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
    renameSync(this.path, this.#older);
    this.#descriptor = openSync(this.path, "wx+", 0o600);
    this.#oldBase = this.#base;
    this.#base += this.#length;
    this.#length = 0;
  }
}

function readAt(descriptor: number, position: number, most: number): Buffer {
  const size = Math.max(0, Math.min(most, fstatSync(descriptor).size - position));
  const buffer = Buffer.alloc(size);
  return buffer.subarray(0, readSync(descriptor, buffer, 0, size, position));
}
