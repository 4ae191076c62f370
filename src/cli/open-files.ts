// Imports almost nothing: it runs before anything else is loaded, which needs many open files.
import { readdirSync, readFileSync } from "node:fs";
import { OPERATION_LIMITS as LIMITS } from "../protocol/limits/operations.ts";
import { isOutOfFiles } from "../protocol/out-of-files.ts";

/** What to do about a low limit. */
export const RAISE_OPEN_FILES =
  "In a new shell run `ulimit -n 4096` and start again; a service sets LimitNOFILE=4096 (systemd), a container --ulimit nofile=4096 (docker).";

/** A process's open files, connections and pipes. */
export interface OpenFiles {
  /** The maximum; undefined: unknown. */
  readonly limit: number | undefined;
  /** Undefined: unknown. Throws EMFILE when even counting needs a file too many. */
  count(): number | undefined;
}

/** Of this process, on Linux. Node raises its soft limit to the hard one by itself. */
export const OWN_OPEN_FILES: OpenFiles = {
  get limit() {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(textOf("/proc/self/limits") ?? "") ?? [];
    return soft === undefined ? undefined : Number(soft);
  },
  count: () => {
    try {
      // Without the folder itself.
      return readdirSync("/proc/self/fd").length - 1;
    } catch (error) {
      if (isOutOfFiles(error)) throw error;
      return undefined;
    }
  },
};

/** Why nothing can start, with advice; undefined: it can. */
export function tooFewOpenFiles({ limit }: Pick<OpenFiles, "limit">): string | undefined {
  if (limit === undefined || limit >= LIMITS.openFilesLeast) return undefined;
  return `this process may have ${limit} files and connections open at once (ulimit -n), and Sallyport needs at least ${LIMITS.openFilesLeast}. ${RAISE_OPEN_FILES}`;
}

/** A warning about a limit that suffices to start but is low for a server; undefined: none. */
export function fewOpenFiles({ limit }: Pick<OpenFiles, "limit">): string | undefined {
  if (limit === undefined || limit >= LIMITS.openFilesAdvised) return undefined;
  return `${limit} files and connections may be open at once (ulimit -n); a server with many users needs more. ${RAISE_OPEN_FILES}`;
}

/** How many connections fit beside what the server and its children need. */
export function connectionsFor({ limit }: Pick<OpenFiles, "limit">, most: number): number {
  if (limit === undefined) return most;
  return Math.min(most, Math.floor((limit - LIMITS.openFilesReserve) * LIMITS.openFilesForConnections));
}

interface OpenFilesWatchOptions {
  readonly files: OpenFiles;
  readonly after: (ms: number, callback: () => void) => () => void;
  readonly log: { warn(fields: object, message: string): void };
}

/** Notices when hardly any more files can be opened, and reports it once; and again when there is room. */
export class OpenFilesWatch {
  readonly #options: OpenFilesWatchOptions;
  readonly #limit: number | undefined;
  #isShort = false;
  #cancel: () => void = () => undefined;

  constructor(options: OpenFilesWatchOptions) {
    this.#options = options;
    this.#limit = options.files.limit;
    if (this.#limit !== undefined) this.#check(this.#limit);
  }

  get isShort(): boolean {
    return this.#isShort;
  }

  close(): void {
    this.#cancel();
  }

  #check(limit: number): void {
    const open = this.#count();
    const left = open === undefined ? 0 : limit - open;
    // Some more must be free before new work is accepted, or it would flip back and forth.
    const needed = this.#isShort ? LIMITS.openFilesReserve * 2 : LIMITS.openFilesReserve;
    const isShort = left < needed;
    const { log, after } = this.#options;
    if (isShort && !this.#isShort)
      log.warn(
        { open, limit },
        `nearly all files and connections that may be open are: new work is refused. ${RAISE_OPEN_FILES}`,
      );
    if (!isShort && this.#isShort) log.warn({ open, limit }, "files and connections can be opened again");
    this.#isShort = isShort;
    this.#cancel = after(LIMITS.openFilesCheckMs, () => this.#check(limit));
  }

  /** Undefined: there was no file left to count with. */
  #count(): number | undefined {
    try {
      return this.#options.files.count() ?? 0;
    } catch {
      return undefined;
    }
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
