import { LIMITS, type SkippedFile } from "../protocol/index.ts";

/** A text file as it was read. */
export interface TextOnDisk {
  /** The place behind all links. */
  readonly real: string;
  readonly text: string;
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

export interface NamesInFolder {
  /** In order. */
  readonly names: readonly string[];
  /** There are more, which were not looked at. */
  readonly isCut: boolean;
}

type ReadText = TextOnDisk | Pick<SkippedFile, "why"> | undefined;

/** What the loader may see of the disk: what the session itself may read, and no more. Never rejects. */
export interface InstructionReader {
  /** The text of a regular file of at most `most` bytes. `why`: it is there and not for us. Undefined: there is none. */
  read(path: string, most: number): Promise<ReadText>;
  /** The names in a folder; none where it is missing or not for us. */
  names(folder: string): Promise<NamesInFolder>;
  /** Whether there is a folder. Links are not followed. */
  isFolder(path: string): Promise<boolean>;
  /** A path as people know it: from the workspace where it is in it. */
  shown(path: string): string;
}

export function isSkipped(read: TextOnDisk | Pick<SkippedFile, "why">): read is Pick<SkippedFile, "why"> {
  return "why" in read;
}

/** A file that was looked for. */
export interface LookedFor {
  readonly path: string;
  /** Undefined: it is not there. */
  readonly read: ReadText;
}

/** Reads files in the order of their paths, some at the same time. */
export async function* readEach(reader: InstructionReader, paths: readonly string[]): AsyncIterable<LookedFor> {
  for (let from = 0; from < paths.length; from += LIMITS.instructionReads) {
    const some = paths.slice(from, from + LIMITS.instructionReads);
    yield* await Promise.all(
      some.map(async (path) => ({ path, read: await reader.read(path, LIMITS.instructionFileBytes) })),
    );
  }
}
