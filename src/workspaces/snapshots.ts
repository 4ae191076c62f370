import { createHash, randomUUID } from "node:crypto";
import { readFileSync, utimesSync } from "node:fs";
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { Failure, LIMITS, type RepoFilterMode } from "../protocol/index.ts";
import { giveTo } from "./bulk-copy.ts";
import { copySource, type CopiedSource } from "./copy-source.ts";
import { STANDARD_DENYLIST, STRICT_ALLOWLIST } from "./filter.ts";
import { makeHistory } from "./history.ts";
import { listFiles } from "./list-files.ts";
import { readStamps, type Stamps } from "./manifest.ts";
import { SECRET_KINDS } from "./secrets.ts";
import { SourceLooks } from "./stamps/source-looks.ts";
import { RepositoryState, type SourceState } from "./stamps/source-state.ts";
import { parseStored } from "./stored-json.ts";
import { StoredWithheld, type Withheld } from "./withhold.ts";

const PARTIAL = ".part";
const INFO = "base.json";
const STAMPS = "files.json";
const WITHHELD = "withheld.json";

/** A base that other rules made is not used. */
const RULES = digest([STANDARD_DENYLIST, STRICT_ALLOWLIST, SECRET_KINDS]);

/** A copy of a folder as it was at one moment, without what its filters withhold. Never changed. */
const SnapshotBase = z.object({
  key: z.string(),
  /** Absent: the folder was in no repository. */
  repository: RepositoryState.optional(),
  bytes: z.number(),
  /** How many files the filters withheld. */
  withheld: z.number(),
});
export type SnapshotBase = Readonly<z.infer<typeof SnapshotBase>>;

interface SnapshotsOptions {
  /** Where the bases are. Absolute, real. */
  readonly folder: string;
  /** The server's own folders, which are in no copy. */
  readonly hidden: readonly string[];
  readonly now: () => number;
  /** How many bases are kept. Absent: `snapshotBases`. */
  readonly most?: number | undefined;
  /** Absent: the server. */
  readonly owner?: SnapshotOwner | undefined;
}

export interface SnapshotOwner {
  readonly uid: number;
  readonly gid: number;
}

/** The keys of the bases that sessions need. */
type UsedBases = () => Promise<ReadonlySet<string>>;

interface WantedBase {
  readonly key: string;
  readonly source: string;
  readonly filters: readonly RepoFilterMode[];
  readonly state: SourceState;
}

/** The bases of snapshots: one for each state of a folder and each set of filters, shared by all sessions. */
export class Snapshots {
  readonly #options: SnapshotsOptions;
  /** Bases that are being made or were just handed out: nobody may have noted yet that they are used. */
  readonly #making = new Map<string, Promise<SnapshotBase>>();

  readonly #looks: SourceLooks;
  #hasGrown = false;

  constructor(options: SnapshotsOptions) {
    this.#options = options;
    this.#looks = new SourceLooks({ hidden: options.hidden });
  }

  /** Whether a base was made since the last `prune`. */
  get hasGrown(): boolean {
    return this.#hasGrown;
  }

  /** Where the files of a base are. */
  tree(key: string): string {
    return join(this.#options.folder, key, "tree");
  }

  stamps(key: string): Promise<Stamps> {
    return readStamps(join(this.#options.folder, key, STAMPS));
  }

  async withheld(key: string): Promise<readonly Withheld[]> {
    const path = join(this.#options.folder, key, WITHHELD);
    return parseStored(StoredWithheld, { text: await readFile(path, "utf8"), path });
  }

  /** Of every base that is there. */
  async keys(): Promise<readonly string[]> {
    return readdir(this.#options.folder).catch(() => []);
  }

  /** The base of a folder as it is now, made if there is none yet. */
  async take(source: string, filters: readonly RepoFilterMode[]): Promise<SnapshotBase> {
    for (let tries = 1; ; tries += 1) {
      const state = await this.#looks.state(source);
      const key = digest([RULES, state.key, source, filters]);
      const known = this.#known(key);
      if (known !== undefined) return known;
      const base = await this.#once({ key, source, filters, state });
      const after = await this.#looks.state(source);
      if (after.key === state.key) return base;
      // It changed while it was copied: no other session may take this for the folder's state.
      if (tries >= LIMITS.snapshotTries)
        return this.#once({ key: `${key}-${randomUUID()}`, source, filters, state: after });
      await this.#remove(key);
    }
  }

  /** Deletes bases that no session uses, the oldest first, until all are within their bounds. What a dead server left half made goes too. */
  async prune(usedBases: UsedBases): Promise<void> {
    const bases: { readonly base: SnapshotBase; readonly usedAt: number }[] = [];
    for (const name of await this.keys()) {
      const info = join(this.#options.folder, name, INFO);
      const [base, found] = await Promise.all([readInfo(info, name), lstat(info).catch(() => undefined)]);
      if (base !== undefined && found !== undefined) bases.push({ base, usedAt: found.mtimeMs });
      else if (!this.#making.has(name.replace(PARTIAL, ""))) await this.#remove(name);
    }
    const used = await usedBases();
    this.#hasGrown = false;
    const { most = LIMITS.snapshotBases } = this.#options;
    let count = bases.length;
    let bytes = bases.reduce((sum, { base }) => sum + base.bytes, 0);
    for (const { base } of bases.toSorted((one, other) => one.usedAt - other.usedAt)) {
      if (count <= most && bytes <= LIMITS.snapshotBytes) return;
      if (used.has(base.key)) continue;
      await this.#remove(base.key);
      count -= 1;
      bytes -= base.bytes;
    }
    if (count > most || bytes > LIMITS.snapshotBytes)
      throw new Failure(
        "limit_reached",
        `sessions use ${count} snapshots of ${bytes} bytes together, which is the most; delete sessions that are done`,
      );
  }

  async close(): Promise<void> {
    await this.#looks.close();
  }

  async #remove(name: string): Promise<void> {
    await rm(join(this.#options.folder, name), { recursive: true, force: true });
  }

  /** Two small steps, which take a tenth of the time if none is waited for. */
  #known(key: string): SnapshotBase | undefined {
    const info = join(this.#options.folder, key, INFO);
    const seconds = this.#options.now() / 1_000;
    try {
      const base = parseStored(SnapshotBase, { text: readFileSync(info, "utf8"), path: info });
      utimesSync(info, seconds, seconds);
      return base;
    } catch {
      return undefined;
    }
  }

  #once(wanted: WantedBase): Promise<SnapshotBase> {
    const { key } = wanted;
    const making = this.#making.get(key) ?? this.#make(wanted).finally(() => this.#making.delete(key));
    this.#making.set(key, making);
    return making;
  }

  async #make({ key, source, filters, state: { repository } }: WantedBase): Promise<SnapshotBase> {
    const partial = join(this.#options.folder, `${key}${PARTIAL}`);
    const target = join(partial, "tree");
    await rm(partial, { recursive: true, force: true });
    await mkdir(target, { recursive: true, mode: 0o700 });
    try {
      const files = await listFiles(source, this.#options.hidden);
      const copied = await copySource({ source, files, filters, target });
      if (repository !== undefined) await makeHistory(target, repository.head);
      if (this.#options.owner !== undefined) await giveTo(this.#options.owner, target);
      const base = { key, bytes: bytesOf(copied), withheld: copied.withheld.length, repository };
      await writeFile(join(partial, STAMPS), JSON.stringify([...copied.stamps]));
      await writeFile(join(partial, WITHHELD), JSON.stringify(copied.withheld));
      await writeFile(join(partial, INFO), JSON.stringify(base));
      await rename(partial, join(this.#options.folder, key));
      this.#hasGrown = true;
      return base;
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      throw error;
    }
  }
}

function bytesOf({ stamps }: CopiedSource): number {
  return [...stamps.values()].reduce((sum, { size }) => sum + size, 0);
}

/** Undefined: it is not whole. One whose note is damaged may be what a session works on: only its size is not known. */
async function readInfo(path: string, key: string): Promise<SnapshotBase | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return parseStored(SnapshotBase, { text, path });
  } catch {
    return { key, bytes: 0, withheld: 0 };
  }
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 32);
}
