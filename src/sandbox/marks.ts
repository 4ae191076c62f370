import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { LIMITS } from "../protocol/limits.ts";

/*
 * A number that every process of a session carries: its limit on file locks (RLIMIT_LOCKS). Linux has not used that limit
 * since 2.4, but still hands it on to each child and shows it in /proc/<pid>/limits. No new environment, process group,
 * session, name or parent takes it away, and without root's rights it cannot be raised again.
 *
 *   1 bit   always set, so that nobody sets such a limit by chance
 *  22 bits  the home folder
 *  10 bits  the server that started it: another one after each start
 *  14 bits  the session
 *  15 bits  the command or engine of that session
 */
const FLAG = 1n << 61n;
const HOME_BITS = 22n;
const LIFE_BITS = 10n;
const SLOT_BITS = 14n;
const RUN_BITS = 15n;
const LIFE_AT = SLOT_BITS + RUN_BITS;
const HOME_AT = LIFE_AT + LIFE_BITS;
const SLOTS = 1 << Number(SLOT_BITS);
const RUNS = 1 << Number(RUN_BITS);

const PRLIMIT = ["/usr/bin/prlimit", "/bin/prlimit"] as const;
/** `ulimit` names this limit `-w` in some shells and `-x` in bash. */
const SHELL = ["/bin/sh", "-c", 'ulimit -w "$0" 2>/dev/null || ulimit -x "$0" || exit 126; exec "$@"'] as const;

/** Prefixes a command line so that it runs with a mark. */
type Prefix = (mark: bigint) => readonly string[];

/** Selects processes by their mark. */
export interface MarkFilter {
  /** The value of `SALLYPORT_INSTANCE`, which identifies the home folder. */
  readonly marker: string;
  /** Absent: any server of that home. */
  readonly life?: number | undefined;
}

/** Whether a mark belongs to this home, and to this server if one is given. */
export function isMarkOf(mark: bigint | undefined, { marker, life }: MarkFilter): boolean {
  if (mark === undefined || mark >> HOME_AT !== (FLAG >> HOME_AT) + homeOf(marker)) return false;
  return life === undefined || ((mark >> LIFE_AT) & (2n ** LIFE_BITS - 1n)) === BigInt(life);
}

export interface SandboxMarks {
  /** The mark of the n-th run. Absent: none can be set here. */
  of(run: number): bigint | undefined;
  /** The same command line, wrapped so that everything it starts has the mark. */
  wrap(argv: readonly [string, ...string[]], options: WrapOptions): readonly [string, ...string[]];
  /** Whether this mark belongs to this sandbox. */
  has(mark: bigint | undefined): boolean;
  /** All its processes have ended. */
  close(): void;
}

interface WrapOptions {
  readonly run: number;
  readonly searchPath: readonly string[];
  readonly cwd: string;
}

/** Allocates the marks of one server. */
export class ProcessMarks {
  readonly #base: bigint;
  readonly #prefix: Prefix | undefined;
  readonly #open = new Set<number>();
  readonly #marker: string;
  readonly life: number;
  #next = 0;

  private constructor(options: MarkFilter & { readonly life: number }, prefix: Prefix | undefined) {
    this.#marker = options.marker;
    this.life = options.life;
    this.#base = FLAG + (homeOf(options.marker) << HOME_AT) + (BigInt(options.life) << LIFE_AT);
    this.#prefix = prefix;
  }

  /** The method that works on this machine. It is found out once: each try starts a program. */
  static #found: Prefix | undefined;

  /** Finds out which method works on this machine. */
  static async open(marker: string, random: () => number): Promise<ProcessMarks> {
    const life = Math.floor(random() * 2 ** Number(LIFE_BITS));
    const trial = new ProcessMarks({ marker, life }, undefined);
    for (const prefix of ProcessMarks.#found === undefined ? prefixes() : []) {
      if (await works(prefix, trial.#base)) {
        ProcessMarks.#found = prefix;
        break;
      }
    }
    return new ProcessMarks({ marker, life }, ProcessMarks.#found);
  }

  /** Whether processes carry a mark that they cannot remove. False: only their environment identifies them. */
  get lasting(): boolean {
    return this.#prefix !== undefined;
  }

  sandbox(): SandboxMarks {
    const slot = this.#freeSlot();
    const first = this.#base + (BigInt(slot) << RUN_BITS);
    const prefix = this.#prefix;
    const of = (run: number): bigint | undefined => (prefix === undefined ? undefined : first + BigInt(run % RUNS));
    return {
      of,
      wrap: (argv, { run, searchPath, cwd }) => {
        const mark = of(run);
        // A missing program is left to fail by itself.
        if (mark === undefined || prefix === undefined || !canStart(argv[0], searchPath, cwd)) return argv;
        const [program = argv[0], ...words] = [...prefix(mark), ...argv];
        return [program, ...words];
      },
      has: (mark) => prefix !== undefined && mark !== undefined && mark >> RUN_BITS === first >> RUN_BITS,
      close: () => void this.#open.delete(slot),
    };
  }

  /** Whether a process is of this home and belongs to no open sandbox. */
  isStray(mark: bigint | undefined): boolean {
    if (mark === undefined || !isMarkOf(mark, { marker: this.#marker })) return false;
    const slot = Number((mark >> RUN_BITS) & (2n ** SLOT_BITS - 1n));
    return !isMarkOf(mark, { marker: this.#marker, life: this.life }) || !this.#open.has(slot);
  }

  #freeSlot(): number {
    for (let tries = 0; tries < SLOTS && this.#open.has(this.#next); tries += 1) this.#next = (this.#next + 1) % SLOTS;
    const slot = this.#next;
    this.#open.add(slot);
    this.#next = (slot + 1) % SLOTS;
    return slot;
  }
}

function homeOf(marker: string): bigint {
  return BigInt(createHash("sha256").update(marker).digest().readUInt32BE() >>> (32 - Number(HOME_BITS)));
}

function prefixes(): readonly Prefix[] {
  if (process.platform !== "linux") return [];
  const tools = PRLIMIT.filter(isProgram).map((path): Prefix => (mark) => [path, `--locks=${mark}:${mark}`, "--"]);
  return [...tools, (mark) => [...SHELL, String(mark)]];
}

/**
 * If this server itself runs under such a limit, another server tracks it by that mark, which is left alone. If limits
 * cannot be set at all, only the environment is used.
 */
async function works(prefix: Prefix, mark: bigint): Promise<boolean> {
  const [program, ...words] = [...prefix(mark), "/bin/cat", "/proc/self/limits"];
  const text = await new Promise<string>((resolve) => {
    execFile(program, words, { env: {}, timeout: LIMITS.processTrialMs }, (_error, stdout) => resolve(stdout));
  });
  return readMark(text) === mark && readMark(readFileSync("/proc/self/limits", "latin1")) === undefined;
}

/** The hard limit on file locks, from the text of /proc/<pid>/limits. Absent: there is none. */
export function readMark(limits: string | undefined): bigint | undefined {
  const found = /^Max file locks +\S+ +(\d+) /m.exec(limits ?? "")?.[1];
  return found === undefined ? undefined : BigInt(found);
}

function canStart(program: string, searchPath: readonly string[], cwd: string): boolean {
  if (!isThere(cwd)) return false;
  if (program.includes("/")) return isProgram(isAbsolute(program) ? program : join(cwd, program));
  return searchPath.some((folder) => isProgram(join(folder, program)));
}

function isProgram(path: string): boolean {
  return isThere(path) && statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** An executable file, or a folder that can be entered. */
function isThere(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
