import { createHash } from "node:crypto";
import { loadNested, nestedFolders, type InstructionReader } from "../../instructions/index.ts";
import { LIMITS, type LoadedFile, type SkippedFile } from "../../protocol/index.ts";

/** What one agent of a session was told, beside what its conversation began with. */
interface ToldAgent {
  readonly hashes: Set<string>;
  /** Folders that were looked at in this turn. */
  readonly looked: Set<string>;
  files: number;
  bytes: number;
}

interface WorkingAgent {
  /** The sub-agent's item. Empty: the session's own agent. */
  readonly agent: string;
  /** Where it works, behind all links. */
  readonly paths: readonly string[];
  readonly workspace: string;
  /** Hashes of what every agent of the session knows. */
  readonly known: Iterable<string>;
  readonly reader: InstructionReader;
}

/** Instructions of folders below the workspace: told once to each agent that works there, and again when they have changed. */
export class NestedTold {
  readonly #agents = new Map<string, ToldAgent>();
  readonly #files = new Map<string, LoadedFile>();
  readonly #leftOut = new Map<string, SkippedFile>();

  get files(): readonly LoadedFile[] {
    return [...this.#files.values()];
  }

  get leftOut(): readonly SkippedFile[] {
    return [...this.#leftOut.values()];
  }

  /** Equal for equal files. Empty: none was told. */
  get digest(): string {
    if (this.#files.size === 0 && this.#leftOut.size === 0) return "";
    return createHash("sha256")
      .update(JSON.stringify([this.files, this.leftOut]))
      .digest("hex");
  }

  /** A turn begins: every folder is looked at again when somebody works there. */
  begin(): void {
    for (const { looked } of this.#agents.values()) looked.clear();
  }

  /** The conversation was shortened: what was told may be gone. */
  forget(): void {
    this.#agents.clear();
  }

  /** What the agent must be told where it works now. Empty: nothing. */
  async tell({ agent, paths, workspace, known, reader }: WorkingAgent): Promise<string> {
    const told = this.#agent(agent);
    const folders = new Set(paths.flatMap((path) => nestedFolders(workspace, path)));
    const fresh = [...folders].filter((folder) => !told.looked.has(folder));
    for (const folder of fresh) if (told.looked.size < LIMITS.instructionLooks) told.looked.add(folder);
    // Mostly a file: then four files below it need not be looked for.
    const isThere = await Promise.all(fresh.map(async (folder) => !paths.includes(folder) || reader.isFolder(folder)));
    const there = fresh.filter((_folder, index) => isThere[index]);
    if (there.length === 0) return "";
    const { files, left_out, block } = await loadNested(reader, there, {
      files: LIMITS.instructionFiles - told.files,
      bytes: LIMITS.instructionBytes - told.bytes,
      known: new Set([...known, ...told.hashes]),
    });
    for (const file of files) {
      told.hashes.add(file.sha256);
      told.files += 1;
      told.bytes += file.bytes;
      if (this.#files.has(file.path) || this.#files.size < LIMITS.instructionFiles) this.#files.set(file.path, file);
    }
    for (const skipped of left_out)
      if (this.#leftOut.size < LIMITS.leftOutFiles) this.#leftOut.set(skipped.path, skipped);
    return block;
  }

  #agent(id: string): ToldAgent {
    const found = this.#agents.get(id) ?? { hashes: new Set(), looked: new Set(), files: 0, bytes: 0 };
    this.#agents.delete(id);
    this.#agents.set(id, found);
    const [oldest] = this.#agents.keys();
    if (this.#agents.size > LIMITS.nestedInstructionAgents && oldest !== undefined) this.#agents.delete(oldest);
    return found;
  }
}
