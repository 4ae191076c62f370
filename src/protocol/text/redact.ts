import { LIMITS } from "../limits.ts";

/** Removes secrets from text. */
export interface Redactor {
  (text: string): string;
  /** Removes only known secrets. For what a person decides on: nothing is hidden because of its looks. */
  exact(text: string): string;
  /** Adds a secret. Of the learnt ones, the last `redactedSecrets` are known. */
  learn(secret: string): void;
  /** How much of a growing text can already be shown: the rest may be the beginning of a secret. */
  clear(text: string): number;
}

const MASK = "[redacted]";
const SHORTEST_SECRET = 8;
/** What looks like one of our tokens or a model vendor's key, whatever its source. No key is longer than this. */
const LOOKS_SECRET = /(?:sp_[A-Za-z0-9_-]{40,256}|sk-(?:ant|proj|or)-[A-Za-z0-9_-]{16,256})(?![A-Za-z0-9_-])/g;
/** The end of a text that may grow into a secret. */
const MAY_BECOME_SECRET = /(?:sp_|sk-)[A-Za-z0-9_-]*$|s[pk]?$/;
/** No possible secret is longer: a longer run is shown, redacted as far as it goes. */
const LONGEST_HELD = 4_096;

/**
 * The one redactor for all output: known secrets by their exact value, then what looks like one. Secrets shorter than
 * eight characters are ignored: they would match ordinary words.
 */
export function makeRedactor(secrets: readonly string[]): Redactor {
  const given = new Set(secrets);
  const learnt = new Set<string>();
  let exact = formsOf(given);
  const redactExact = (text: string): string => {
    let clean = text;
    for (const secret of exact) if (clean.includes(secret)) clean = clean.replaceAll(secret, MASK);
    return clean;
  };
  const redact = (text: string): string => {
    const clean = redactExact(text);
    return clean.includes("sp_") || clean.includes("sk-") ? clean.replace(LOOKS_SECRET, MASK) : clean;
  };
  const clear = (text: string): number => {
    let length = MAY_BECOME_SECRET.exec(text.slice(-LONGEST_HELD))?.index;
    length = length === undefined ? text.length : length + Math.max(0, text.length - LONGEST_HELD);
    for (const secret of exact) length = Math.min(length, text.length - begun(text, secret));
    return length;
  };
  const learn = (secret: string): void => {
    if (secret.length < SHORTEST_SECRET || given.has(secret)) return;
    const isNew = !learnt.delete(secret);
    learnt.add(secret);
    if (!isNew) return;
    for (const oldest of learnt) {
      if (learnt.size <= LIMITS.redactedSecrets) break;
      learnt.delete(oldest);
    }
    exact = formsOf([...given, ...learnt]);
  };
  return Object.assign(redact, { exact: redactExact, clear, learn });
}

/** The search terms, longest first, so that a secret inside another one does not leave part of it visible. */
function formsOf(secrets: Iterable<string>): readonly string[] {
  const long = [...secrets].filter((secret) => secret.length >= SHORTEST_SECRET);
  // Most output is JSON, where quotes and backslashes of a secret are escaped.
  const forms = new Set(long.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]));
  return [...forms].sort((one, other) => other.length - one.length);
}

/** How many characters at the end of `text` are the beginning of `secret`, but not all of it. */
function begun(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length > 0; length -= 1) {
    if (text.charCodeAt(text.length - length) === secret.charCodeAt(0) && secret.startsWith(text.slice(-length)))
      return length;
  }
  return 0;
}

/** Redacts texts that arrive in pieces: a possible beginning of a secret is held back until the next piece clears it. */
export class PieceRedactor {
  readonly #redact: Redactor;
  readonly #held = new Map<string, string>();

  constructor(redact: Redactor) {
    this.#redact = redact;
  }

  /** What can be shown of a text after one more piece; may be empty. */
  next(key: string, piece: string): string {
    const text = (this.#held.get(key) ?? "") + piece;
    const clear = this.#redact.clear(text);
    if (clear === text.length) this.#held.delete(key);
    else this.#held.set(key, text.slice(clear));
    return this.#redact(text.slice(0, clear));
  }

  /** The rest of a text that has ended. */
  end(key: string): string {
    const rest = this.#held.get(key) ?? "";
    this.#held.delete(key);
    return this.#redact(rest);
  }
}
