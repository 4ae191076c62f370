import { createWriteStream } from "node:fs";
import { realpath, rename, rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";

/** Writes a private file, whole or not at all: a file that was there stays until the new one is whole. */
export async function writeWholeFile(path: string, body: ReadableStream<Uint8Array>): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  // A pipe or a device cannot be replaced.
  if (found !== undefined && !found.isFile()) return pipeline(body, createWriteStream(path));
  const target = await realpath(path).catch(() => path);
  const draft = `${target}.${process.pid}.partial`;
  try {
    await pipeline(body, createWriteStream(draft, { mode: 0o600, flush: true }));
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
