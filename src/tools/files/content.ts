import { isUtf8 } from "node:buffer";
import { constants, readlinkSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { LIMITS } from "../../protocol/index.ts";
import { isRefusal, reasonOf, systemCode, type ToolRefusal } from "../refusal.ts";
import type { UsablePath } from "./paths.ts";

/** A regular file as it was found. */
export interface FileOnDisk {
  readonly bytes: Buffer;
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** The number of hard links. */
  readonly links: number;
}

export interface OpenedFile {
  readonly handle: FileHandle;
  readonly size: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly links: number;
}

const SNIFFED_BYTES = 8_192;

function missingText(place: UsablePath): string {
  return `File does not exist: ${place.shown}`;
}

/** Opens a regular file for reading, through `name` if that is another path to it. The caller closes the handle. */
export async function openFile(place: UsablePath, name = place.real): Promise<OpenedFile | ToolRefusal> {
  let handle: FileHandle;
  try {
    // Does not follow a link put there meanwhile, and does not wait for a pipe's writer.
    handle = await open(name, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return { refused: openProblem(place, error) };
  }
  try {
    const found = await handle.stat();
    const problem = whyNotThisFile(place, handle, found);
    if (problem === undefined)
      return {
        handle,
        size: found.size,
        mode: found.mode & 0o7777,
        uid: found.uid,
        gid: found.gid,
        links: found.nlink,
      };
    await handle.close();
    return { refused: problem };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A file that lies where its path says, without a link on the way. Undefined: there is none, or it is something else. */
export async function openRegularFile(path: string): Promise<FileHandle | undefined> {
  const opened = await openFile({ shown: path, real: path });
  return isRefusal(opened) ? undefined : opened.handle;
}

function openProblem(place: UsablePath, error: unknown): string {
  switch (systemCode(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return missingText(place);
    case "ELOOP":
      return `${place.shown} became a symbolic link while it was opened. Try again.`;
    default:
      return `Error reading ${place.shown}: ${reasonOf(error)}`;
  }
}

function whyNotThisFile(
  place: UsablePath,
  handle: FileHandle,
  found: { isDirectory(): boolean; isFile(): boolean },
): string | undefined {
  if (found.isDirectory()) return `${place.shown} is a folder, not a file. Use Glob or Bash to look into it.`;
  if (!found.isFile()) return `${place.shown} is not a regular file.`;
  if (process.platform !== "linux") return undefined;
  // A folder above may have been replaced by a link since the path was resolved.
  const opened = nameOf(handle) ?? place.real;
  return opened === place.real ? undefined : `${place.shown} was moved while it was opened. Try again.`;
}

/** The kernel's path of an open file: no disk access, so a synchronous call is fine. */
function nameOf(handle: FileHandle): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${handle.fd}`);
  } catch {
    return undefined;
  }
}

/** The whole file, or undefined when there is none. */
export async function loadFile(place: UsablePath, name = place.real): Promise<FileOnDisk | undefined | ToolRefusal> {
  const file = await openFile(place, name);
  if (isRefusal(file)) return file.refused === missingText(place) ? undefined : file;
  const { handle, size, ...facts } = file;
  try {
    if (size > LIMITS.fileBytes)
      return {
        refused: `${place.shown} has ${size} bytes; files over ${LIMITS.fileBytes} bytes cannot be changed here.`,
      };
    return { ...facts, bytes: await handle.readFile() };
  } finally {
    await handle.close();
  }
}

/** A file of known size, in one read unless it has grown meanwhile. */
export async function readWhole(handle: FileHandle, size: number): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(size + 1), 0, size + 1, 0);
  if (bytesRead <= size) return buffer.subarray(0, bytesRead);
  const { bytesRead: more, buffer: whole } = await handle.read(Buffer.alloc(LIMITS.fileBytes), 0, LIMITS.fileBytes, 0);
  return whole.subarray(0, more);
}

export async function readStart(handle: FileHandle): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/** Text, with what must be preserved when it is written again. */
export interface TextFile {
  /** Without the byte order mark. */
  readonly text: string;
  readonly encoding: "utf8" | "utf16le";
  readonly mark: boolean;
  /** False when some bytes were not text: writing it back would change them. */
  readonly faithful: boolean;
}

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF16_MARK = Buffer.from([0xff, 0xfe]);

export function isBinary(bytes: Buffer): boolean {
  return !startsWith(bytes, UTF16_MARK) && bytes.subarray(0, SNIFFED_BYTES).includes(0);
}

export function decodeText(bytes: Buffer): TextFile {
  if (startsWith(bytes, UTF16_MARK)) {
    const body = bytes.subarray(2);
    const text = body.toString("utf16le");
    return { text, encoding: "utf16le", mark: true, faithful: Buffer.from(text, "utf16le").equals(body) };
  }
  const mark = startsWith(bytes, UTF8_MARK);
  const body = mark ? bytes.subarray(3) : bytes;
  return { text: body.toString("utf8"), encoding: "utf8", mark, faithful: isUtf8(body) };
}

export function encodeText(text: string, like: Pick<TextFile, "encoding" | "mark">): Buffer {
  const body = Buffer.from(text, like.encoding);
  if (!like.mark) return body;
  return Buffer.concat([like.encoding === "utf8" ? UTF8_MARK : UTF16_MARK, body]);
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.subarray(0, start.length).equals(start);
}

/** `crlf`: every line ends so. */
export function lineEndings(text: string): "none" | "lf" | "crlf" | "mixed" {
  let all = 0;
  let carriage = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    all += 1;
    if (text[at - 1] === "\r") carriage += 1;
  }
  if (all === 0) return "none";
  if (carriage === 0) return "lf";
  return carriage === all ? "crlf" : "mixed";
}

/** Lines as people count them: the last one may lack its newline. */
export function countLines(text: string): number {
  if (text === "") return 0;
  let lines = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

/** Characters as people count them: an emoji is one, whatever JavaScript says. */
export function countCharacters(text: string): number {
  let characters = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(at + 1);
    if (next >= 0xdc00 && next <= 0xdfff) characters -= 1;
  }
  return characters;
}
