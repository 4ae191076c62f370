import { Failure, LIMITS, type RateLimit } from "../protocol/index.ts";

/** Whose requests are counted. */
export interface RateSubject {
  /** `session/…`, `agent/…`, `provider/…`. */
  readonly key: string;
  /** For messages: `this session`. */
  readonly whose: string;
  readonly limit: RateLimit;
}

export interface RateRefusal {
  readonly failure: Failure;
  readonly retryAfterMs: number;
}

const SLOT_MS = 5_000;
/** A minute plus the current slot, so that no minute, wherever it begins, sees more than the limit. */
const SLOTS = 60_000 / SLOT_MS + 1;

/** Counts of the last minute, in slots of five seconds. */
class SlotCounts {
  readonly #slots = new Float64Array(SLOTS);
  /** The newest slot, numbered from the epoch. */
  #newest = 0;

  add(now: number, amount: number): void {
    this.#turn(now);
    const at = this.#newest % SLOTS;
    this.#slots[at] = (this.#slots[at] ?? 0) + amount;
  }

  /** Milliseconds until one more fits below the limit; 0: now. */
  wait(now: number, limit: number): number {
    this.#turn(now);
    let total = 0;
    for (const amount of this.#slots) total += amount;
    // From the oldest on: which slot's end makes room?
    for (let age = SLOTS - 1; total >= limit && age >= 0; age -= 1) {
      const slot = this.#newest - age;
      total -= this.#slots[((slot % SLOTS) + SLOTS) % SLOTS] ?? 0;
      if (total < limit) return (slot + SLOTS) * SLOT_MS - now;
    }
    return 0;
  }

  #turn(now: number): void {
    const slot = Math.floor(now / SLOT_MS);
    const passed = Math.min(SLOTS, slot - this.#newest);
    if (passed <= 0) return;
    for (let step = 1; step <= passed; step += 1) this.#slots[(slot - passed + step) % SLOTS] = 0;
    this.#newest = slot;
  }
}

interface RateEntry {
  readonly requests: SlotCounts;
  readonly tokens: SlotCounts;
  usedAt: number;
}

/** Requests and tokens of the last minute, by subject. Only subjects with a limit are counted. */
export class RequestRates {
  readonly #now: () => number;
  /** Least recently used first. */
  readonly #entries = new Map<string, RateEntry>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a request for all subjects, or for none and says why. */
  take(subjects: readonly RateSubject[]): RateRefusal | undefined {
    if (subjects.length === 0) return undefined;
    const now = this.#now();
    for (const subject of subjects) {
      const entry = this.#entries.get(subject.key);
      const refusal = entry === undefined ? undefined : refused(entry, subject, now);
      if (refusal !== undefined) return refusal;
    }
    for (const { key } of subjects) this.#entry(key, now).requests.add(now, 1);
    return undefined;
  }

  /** Counts the tokens of a finished request. */
  used(subjects: readonly RateSubject[], tokens: number): void {
    if (subjects.length === 0 || tokens === 0) return;
    const now = this.#now();
    for (const { key } of subjects) this.#entry(key, now).tokens.add(now, tokens);
  }

  /** Forgets subjects with nothing in the last minute. */
  sweep(): void {
    const old = this.#now() - SLOTS * SLOT_MS;
    for (const [key, { usedAt }] of this.#entries) {
      if (usedAt > old) return;
      this.#entries.delete(key);
    }
  }

  #entry(key: string, now: number): RateEntry {
    const entry = this.#entries.get(key) ?? { requests: new SlotCounts(), tokens: new SlotCounts(), usedAt: now };
    entry.usedAt = now;
    this.#entries.delete(key);
    if (this.#entries.size >= LIMITS.rateKeys) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(key, entry);
    return entry;
  }
}

function refused(entry: RateEntry, { whose, limit }: RateSubject, now: number): RateRefusal | undefined {
  const { requests_per_minute, tokens_per_minute } = limit;
  const requests = requests_per_minute === undefined ? 0 : entry.requests.wait(now, requests_per_minute);
  const tokens = tokens_per_minute === undefined ? 0 : entry.tokens.wait(now, tokens_per_minute);
  const retryAfterMs = Math.max(requests, tokens);
  if (retryAfterMs === 0) return undefined;
  const what = tokens > requests ? `${tokens_per_minute} tokens` : `${requests_per_minute} model requests`;
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  return {
    retryAfterMs,
    failure: new Failure(
      "rate_limited",
      `${whose} may use ${what} a minute and has done so: try again in ${seconds} s`,
    ),
  };
}
