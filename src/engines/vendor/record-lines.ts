import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm, type FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import { pipeline } from "node:stream/promises";
import { LIMITS } from "../../protocol/index.ts";
import { holdFolderOf, openRegularFile } from "../../tools/index.ts";

/**
 * The lines of a program's record. One that is too long counts as empty. Not `node:readline`, which also splits at characters other than a
 * line feed that occur in people's text. `start`: bytes that are left out.
 */
export async function* linesOf(path: string, start = 0): AsyncGenerator<string> {
  // A missing record counts as empty.
  const file: FileHandle | undefined = await openRegularFile(path);
  if (file === undefined) return;
  const input = file.createReadStream({ encoding: "utf8", start });
  const line = new UnfinishedLine();
  try {
    for await (const chunk of input as AsyncIterable<string>) {
      const [first = "", ...rest] = chunk.split("\n");
      line.add(first);
      for (const piece of rest) {
        yield line.take();
        line.add(piece);
      }
    }
    const last = line.take();
    if (last !== "") yield last;
  } finally {
    input.destroy();
  }
}

class UnfinishedLine {
  #pieces: string[] = [];
  #length = 0;

  add(piece: string): void {
    this.#length += piece.length;
    if (this.#length > LIMITS.engineLineBytes) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  take(): string {
    const line = this.#length > LIMITS.engineLineBytes ? "" : this.#pieces.join("");
    this.#pieces = [];
    this.#length = 0;
    return line;
  }
}

interface Rewriting {
  readonly from: string;
  readonly to: string;
  /** The lines that are written, by those that there are. */
  readonly edit: (lines: AsyncIterable<string>) => AsyncIterable<string>;
  /** Whether what was written counts; asked after the last line. */
  readonly isGood: () => boolean;
}

/** Writes a record anew, in its place or in another. False: nothing was changed. Rejects where the disk does not take it; then too. */
export async function rewriteLines({ from, to, edit, isGood }: Rewriting): Promise<boolean> {
  const folder = await holdFolderOf(to).catch(() => undefined);
  if (folder === undefined) return false;
  const fresh = folder.path(`${basename(to)}.${randomUUID()}.new`);
  try {
    await pipeline(ended(edit(linesOf(from))), createWriteStream(fresh, { mode: 0o600, flags: "wx" }));
    if (!isGood()) return false;
    await rename(fresh, folder.path(basename(to)));
    return true;
  } finally {
    await rm(fresh, { force: true }).catch(() => undefined);
    await folder.close();
  }
}

async function* ended(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
