import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { chmod, open, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

const MARKER_FILE = "instance";
/** A random part, and the folder that it was made in. */
const MARKER = /^[0-9a-f]{24}-(?<folder>[0-9a-f]+-[0-9a-f]+)$/;
/** More than any marker takes. */
const LONGEST = 128;

/** Identifies a folder: a copy of it differs, a moved folder is the same. */
export async function folderId(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `${dev.toString(16)}-${ino.toString(16)}`;
}

/**
 * What every process of this home carries in its environment. A marker copied from another home is replaced: its
 * processes are not ours to end.
 */
export async function markerOf(home: string): Promise<string> {
  const path = join(home, MARKER_FILE);
  const folder = await folderId(home);
  const known = await readStart(path);
  if (MARKER.exec(known)?.groups?.["folder"] === folder) return known;
  const marker = `${randomBytes(12).toString("hex")}-${folder}`;
  // Removed first: writing to a pipe would wait for a reader.
  await rm(path, { force: true });
  await writeFile(path, `${marker}\n`, { mode: 0o600, flag: "wx" });
  await chmod(path, 0o600);
  return marker;
}

/** Reads little more than a marker: anything else there is ignored. */
async function readStart(path: string): Promise<string> {
  try {
    // A pipe in its place would have no other end.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LONGEST), 0, LONGEST, 0);
    return buffer.toString("utf8", 0, bytesRead).trim();
  } catch {
    return "";
  }
}
