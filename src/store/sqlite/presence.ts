import { statSync } from "node:fs";
import { extendedCode, type OpenDatabase, primaryCode, SQLITE } from "./binding.ts";
import type { StoreRecord } from "./record.ts";

/** The database, its log and the lock: the open files must be the ones at these paths. */
const WATCHED = ["", "-wal", ".lock"] as const;

/** SQLite's codes for a file whose content is not what was written. */
const OVERWRITTEN: ReadonlySet<number | undefined> = new Set([SQLITE.error, SQLITE.corrupt, SQLITE.notADatabase]);

/** The files of an open store were removed or replaced. This is permanent. */
export class ReplacedStore extends Error {
  /** Only the log was unlinked: what is open can still be folded into the database. */
  isOnlyLog = false;
}

/** Notices when the files of an open store are removed, replaced or overwritten. */
export class Presence {
  readonly #open: OpenDatabase;
  readonly #path: string;
  readonly #known = new Map<string, string>();

  constructor(open: OpenDatabase, path: string) {
    this.#open = open;
    this.#path = path;
    this.missing();
  }

  /** Cheap enough for every transaction. Undefined: the files are there. */
  missing(): ReplacedStore | undefined {
    for (const end of WATCHED) {
      const path = this.#path + end;
      const [known, found] = [this.#known.get(end), fileId(path)];
      if (found === undefined) continue;
      if (known === undefined && found !== GONE) this.#known.set(end, found);
      if (known === undefined || known === found) continue;
      const replaced = new ReplacedStore(
        found === GONE ? `${path} was removed` : `${path} was replaced by another file`,
      );
      replaced.isOnlyLog = end === "-wal" && found === GONE;
      return replaced;
    }
    return undefined;
  }

  /** The same, and whether a new connection finds what was stored. */
  lost(stored: StoreRecord): ReplacedStore | undefined {
    return this.missing() ?? this.#overwritten(stored);
  }

  #overwritten(stored: StoreRecord): ReplacedStore | undefined {
    const changed = new ReplacedStore(`${this.#path} or its log was overwritten by another program`);
    try {
      const database = this.#open(this.#path, { readOnly: true });
      try {
        const row = database.prepare("SELECT instance, commits FROM store_state").get() as StoreRecord | undefined;
        return row?.instance === stored.instance && row.commits >= stored.commits ? undefined : changed;
      } finally {
        database.close();
      }
    } catch (error) {
      // Other errors, such as another program's lock, say nothing about the content.
      const isCut = extendedCode(error) === SQLITE.shortRead;
      return isCut || OVERWRITTEN.has(primaryCode(error)) ? changed : undefined;
    }
  }
}

const GONE = "gone";

/** Undefined if the file system does not say. */
function fileId(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined ? GONE : `${stats.dev}-${stats.ino}`;
  } catch {
    return undefined;
  }
}
