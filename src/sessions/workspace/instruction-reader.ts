import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { isInside } from "../../gate/index.ts";
import { shownLine, type InstructionReader, type NamesInFolder, type TextOnDisk } from "../../instructions/index.ts";
import { LIMITS, type SkippedFile } from "../../protocol/index.ts";
import { openRegularFile, resolvePath } from "../../tools/index.ts";
import type { DiskLook } from "./disk-look.ts";
import { mayHoldSecret } from "./workspace-files.ts";

/** What of the disk a session's instructions may come from. All paths are absolute and real. */
export interface InstructionPlaces {
  readonly workspace: string;
  /** Folders around the workspace whose files count too. */
  readonly around: readonly string[];
  /** Files of the server's settings, wherever they are. */
  readonly exactly: readonly string[];
  /** True for the server's own files. */
  readonly isHidden: (real: string) => boolean;
  /** The rule of the policy by which the session may not read a file. Undefined: it may. */
  readonly deniedBy: (real: string) => string | undefined;
}

type Unread = Pick<SkippedFile, "why">;

/**
 * Reads as the session's own tools do: behind every link the file must be one that the session may read. All that it looks at is noted in
 * `look`.
 */
export function instructionReader(places: InstructionPlaces, look: DiskLook): InstructionReader {
  const { workspace, around } = places;
  const resolve = (path: string): Promise<string | undefined> => resolvePath(workspace, path).catch(() => undefined);
  const folder = join(workspace, ".claude");
  let hasFolder: Promise<boolean> | undefined;
  /** Most workspaces have no such folder: then nothing in it is looked for. */
  const mayBeThere = async (path: string): Promise<boolean> => {
    if (path === folder || !isInside(folder, path)) return true;
    hasFolder ??= look.at(folder, "exists").then((there) => there !== undefined);
    return hasFolder;
  };
  /** Where it really is, noted there too. Undefined: nowhere. */
  const realOf = async (path: string): Promise<string | undefined> => {
    const real = await resolve(path);
    if (real !== undefined && real !== path) await look.at(real, "all");
    return real;
  };
  return {
    async read(path, most) {
      if (!(await mayBeThere(path))) return undefined;
      const there = await look.at(path, "all");
      if (there === undefined || there.isDirectory()) return undefined;
      const real = await realOf(path);
      if (real === undefined) return { why: "its path cannot be followed" };
      const refusal = refusalOf(places, real);
      return refusal === undefined ? readText(real, most) : { why: refusal };
    },
    async names(path) {
      if (!(await mayBeThere(path)) || (await look.at(path, "all")) === undefined) return { names: [], isCut: false };
      const real = await realOf(path);
      const isOurs = real !== undefined && isInside(workspace, real) && !places.isHidden(real);
      return isOurs ? namesIn(real) : { names: [], isCut: false };
    },
    isFolder: async (path) => (await look.at(path, "all"))?.isDirectory() === true,
    shown: (path) => {
      const inner = isInside(workspace, path) && path !== workspace ? path.slice(workspace.length + 1) : path;
      return shownLine(inner, LIMITS.pathChars);
    },
  };

  function refusalOf({ exactly, isHidden, deniedBy }: InstructionPlaces, real: string): string | undefined {
    if (exactly.includes(real)) return undefined;
    if (isHidden(real)) return "it belongs to Sallyport itself";
    if (![workspace, ...around].some((folder) => isInside(folder, real))) return "it is outside of the workspace";
    if (mayHoldSecret(real)) return "a file of this name usually holds a secret";
    const rule = deniedBy(real);
    return rule === undefined ? undefined : `the policy denies it (${rule})`;
  }
}

async function readText(real: string, most: number): Promise<TextOnDisk | Unread | undefined> {
  const handle = await openRegularFile(real).catch(() => undefined);
  if (handle === undefined) return { why: "it is not a regular file that can be read" };
  try {
    // One byte more than may be there: a file can grow while it is read.
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(most + 1), 0, most + 1, 0);
    if (bytesRead > most) return { why: `it has more than ${most} bytes` };
    const bytes = buffer.subarray(0, bytesRead);
    if (bytes.includes(0) || !isUtf8(bytes)) return { why: "it is not text in UTF-8" };
    return {
      real,
      text: bytes.toString("utf8"),
      bytes: bytesRead,
      sha256: createHash("sha256").update(bytes).digest("hex"),
    };
  } catch {
    return { why: "it cannot be read" };
  } finally {
    await handle.close().catch(() => undefined);
  }
}

async function namesIn(folder: string): Promise<NamesInFolder> {
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(folder)) {
      if (names.length === LIMITS.workspaceFolderEntries) return { names: names.toSorted(), isCut: true };
      names.push(name);
    }
  } catch {
    // None, or one that nobody may look into.
  }
  return { names: names.toSorted(), isCut: false };
}
