import { dirname, isAbsolute, join } from "node:path";
import { estimatedTokens, LIMITS, type InstructionKind, type LoadedFile, type SkippedFile } from "../protocol/index.ts";
import { fileText, type InstructionText } from "./block.ts";
import { importsOf } from "./imports.ts";
import { isSkipped, readEach, type InstructionReader, type LookedFor } from "./reader.ts";

/** In each folder, in this order: Codex and others read the first, Claude Code the others. */
const NAMES = ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"];

export interface InstructionSources {
  /** The folders to look in, the outermost first, the workspace last. Absolute. */
  readonly folders: readonly string[];
  /** A file for all sessions of this server. Absent: none. */
  readonly userFile?: string | undefined;
  /** Whether files that others name with `@` are loaded too. */
  readonly followsImports: boolean;
}

/** What may still be loaded, and what the agent has already. */
export interface InstructionRoom {
  readonly files: number;
  readonly bytes: number;
  /** Hashes of contents that are not loaded again. */
  readonly known: ReadonlySet<string>;
}

const WHOLE_ROOM: InstructionRoom = {
  files: LIMITS.instructionFiles,
  bytes: LIMITS.instructionBytes,
  known: new Set(),
};

/** Collects files of instructions and what they import, within the bounds. */
export class InstructionFiles {
  readonly files: LoadedFile[] = [];
  readonly texts: InstructionText[] = [];
  readonly skipped: SkippedFile[] = [];
  readonly #reader: InstructionReader;
  /** Real paths, and hashes of contents: a file that is a copy or a link of another one is read once. */
  readonly #known: Set<string>;
  readonly #room: InstructionRoom;
  #bytes = 0;
  #imports = 0;
  #followsImports = true;

  constructor(reader: InstructionReader, room: InstructionRoom = WHOLE_ROOM) {
    this.#reader = reader;
    this.#room = room;
    this.#known = new Set(room.known);
  }

  async collect({ folders, userFile, followsImports }: InstructionSources): Promise<void> {
    this.#followsImports = followsImports;
    // What the user's own file names is not in the workspace: it is not followed.
    const own = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
    for await (const { path, read } of readEach(this.#reader, userFile === undefined ? own : [userFile, ...own])) {
      const isUser = path === userFile;
      await this.#add({
        path,
        read,
        kind: isUser ? "user" : "instructions",
        depth: isUser ? LIMITS.instructionImportDepth : 0,
      });
    }
  }

  async #add({ path, read, kind, depth }: CandidateFile): Promise<void> {
    if (read === undefined) return;
    const shown = this.#reader.shown(path);
    if (isSkipped(read)) return this.#skip(shown, read.why);
    const { real, text, bytes, sha256 } = read;
    if (text.trim() === "" || this.#known.has(real) || this.#known.has(sha256)) return;
    if (this.files.length >= this.#room.files)
      return this.#skip(shown, `${LIMITS.instructionFiles} files of instructions are loaded at most`);
    if (this.#bytes + bytes > this.#room.bytes)
      return this.#skip(shown, `all instructions together may have ${LIMITS.instructionBytes} bytes`);
    this.#known.add(real).add(sha256);
    this.#bytes += bytes;
    const told = { path: shown, text };
    this.texts.push(told);
    this.files.push({ kind, path: shown, bytes, sha256, tokens: estimatedTokens(fileText(told).length) });
    if (kind !== "user" && this.#followsImports) await this.#follow(text, { from: path, depth });
  }

  async #follow(text: string, { from, depth }: { readonly from: string; readonly depth: number }): Promise<void> {
    const names = importsOf(text);
    const shown = this.#reader.shown(from);
    const [first] = names;
    if (first === undefined) return;
    if (depth >= LIMITS.instructionImportDepth)
      return this.#skip(shown, `its import @${first} is deeper than ${LIMITS.instructionImportDepth} files`);
    for (const name of names.filter(isOutside)) this.#skip(shown, `its import @${name} is not in the workspace`);
    const room = Math.max(0, LIMITS.instructionImports - this.#imports);
    const paths = names.filter((name) => !isOutside(name)).map((name) => importedPath(from, name));
    this.#imports += paths.length;
    for await (const file of readEach(this.#reader, paths.slice(0, room)))
      await this.#add({ ...file, kind: "import", depth: depth + 1 });
    if (paths.length > room) this.#skip(shown, `more than ${LIMITS.instructionImports} imports are not followed`);
  }

  #skip(path: string, why: string): void {
    this.skipped.push({ path, why });
  }
}

interface CandidateFile extends LookedFor {
  readonly kind: InstructionKind;
  readonly depth: number;
}

function isOutside(name: string): boolean {
  return name.startsWith("~");
}

function importedPath(from: string, name: string): string {
  return isAbsolute(name) ? name : join(dirname(from), name);
}
