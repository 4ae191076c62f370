import { Failure } from "../../protocol/failure.ts";
import { LIMITS } from "../../protocol/limits.ts";
import { primaryCode, SQLITE } from "./binding.ts";

/** A part of the database that SQLite cannot read. */
export interface DamageFound {
  /** The session whose rows lie there; absent: it is not known, or of no session. */
  readonly session?: string | undefined;
  /** For the operator. */
  readonly why: string;
}

/** SQLite's words for that code. */
const MALFORMED = "database disk image is malformed";

/** Whether SQLite said that a page of the database is damaged. */
export function isDamage(error: unknown): boolean {
  // The binding gives no code where the trouble is met while a value is read.
  return primaryCode(error) === SQLITE.corrupt || (error instanceof Error && error.message === MALFORMED);
}

/** Why something was refused: a page of the database is damaged. */
export class DamagedPage extends Error {}

export function isDamagedPage(error: unknown): boolean {
  return error instanceof Failure && error.cause instanceof DamagedPage;
}

/** What was found to be damaged since the start. Each session is said once. */
export class Damage {
  readonly #sessions = new Set<string>();
  readonly #say: (found: DamageFound) => void;
  #isElsewhere = false;

  constructor(say: (found: DamageFound) => void) {
    this.#say = say;
  }

  /** The sessions that are hurt, as many as are remembered. */
  get sessions(): ReadonlySet<string> {
    return this.#sessions;
  }

  note(found: DamageFound): void {
    const { session } = found;
    if (session === undefined ? this.#isElsewhere : this.#sessions.has(session)) return;
    if (session === undefined) this.#isElsewhere = true;
    else if (this.#sessions.size >= LIMITS.storeDamagedSessions) return;
    else this.#sessions.add(session);
    this.#say(found);
  }
}
