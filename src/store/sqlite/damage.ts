import { Failure } from "../../protocol/failure.ts";
import { STORE_LIMITS } from "../../protocol/limits/store.ts";
import { primaryCode, SQLITE } from "./binding.ts";

/** A part of the database that SQLite cannot read. */
export interface DamageFound {
  /** The session whose rows are there; absent: unknown, or no session's. */
  readonly session?: string | undefined;
  /** For the operator. */
  readonly why: string;
}

/** SQLite's message for that code. */
const MALFORMED = "database disk image is malformed";

/** Whether SQLite reported that a page of the database is damaged. */
export function isDamage(error: unknown): boolean {
  // The binding gives no code if the error occurs while a value is read.
  return primaryCode(error) === SQLITE.corrupt || (error instanceof Error && error.message === MALFORMED);
}

/** Why something was refused: a page of the database is damaged. */
export class DamagedPage extends Error {}

export function isDamagedPage(error: unknown): boolean {
  return error instanceof Failure && error.cause instanceof DamagedPage;
}

/** Damage found since the start. Each session is reported once. */
export class Damage {
  readonly #sessions = new Set<string>();
  readonly #say: (found: DamageFound) => void;
  #isElsewhere = false;

  constructor(say: (found: DamageFound) => void) {
    this.#say = say;
  }

  /** The damaged sessions, as many as are remembered. */
  get sessions(): ReadonlySet<string> {
    return this.#sessions;
  }

  note(found: DamageFound): void {
    const { session } = found;
    if (session === undefined ? this.#isElsewhere : this.#sessions.has(session)) return;
    if (session === undefined) this.#isElsewhere = true;
    else if (this.#sessions.size >= STORE_LIMITS.storeDamagedSessions) return;
    else this.#sessions.add(session);
    this.#say(found);
  }
}
