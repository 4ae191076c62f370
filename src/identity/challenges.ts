import { randomBytes } from "node:crypto";
import { LIMITS, type TunnelAuthChallenge } from "../protocol/index.ts";
import { refuseAuth, type AuthRefusal } from "./refusal.ts";
import { isSameText } from "./same-text.ts";

/** Both clocks of a machine, in milliseconds. */
export interface TwoClocks {
  /** Since the epoch; may be set. */
  now(): number;
  /** Monotonic; may stand still while the machine sleeps. */
  elapsed(): number;
}

/** Who has to answer, and for which tunnel. */
export interface ChallengePlace {
  readonly tunnel_id: string;
  /** A principal, or one connection. Nobody else can answer. */
  readonly caller: string;
}

interface OpenChallenge {
  readonly challenge: string;
  readonly caller: string;
  readonly expiresAt: number;
  readonly expiresElapsed: number;
  isUsed: boolean;
}

export interface ChallengeBookOptions {
  readonly clocks: TwoClocks;
  /** Absent: the machine's. */
  readonly random?: ((bytes: number) => Uint8Array) | undefined;
  /** Absent: LIMITS.challengesOpen. */
  readonly most?: number | undefined;
  /** How long a challenge can be answered, milliseconds. Absent: LIMITS.challengeMs. */
  readonly lifeMs?: number | undefined;
}

/** The challenges that wait for an answer. One for each caller and tunnel, answered once, in time by both clocks. */
export class ChallengeBook {
  readonly #open = new Map<string, OpenChallenge>();
  readonly #clocks: TwoClocks;
  readonly #random: (bytes: number) => Uint8Array;
  readonly #most: number;
  readonly #lifeMs: number;

  constructor(options: ChallengeBookOptions) {
    const { clocks, random = randomBytes, most = LIMITS.challengesOpen, lifeMs = LIMITS.challengeMs } = options;
    this.#clocks = clocks;
    this.#random = random;
    this.#most = most;
    this.#lifeMs = lifeMs;
  }

  /** The caller's open challenge, or a new one if it was answered or has expired. */
  issue(place: ChallengePlace): { readonly ok: true; readonly value: TunnelAuthChallenge } | AuthRefusal {
    const key = keyOf(place);
    const known = this.#open.get(key);
    if (known !== undefined && !known.isUsed && !this.#isExpired(known)) return shown(place, known);
    this.#open.delete(key);
    if (this.#open.size >= this.#most) this.#sweep();
    if (this.#open.size >= this.#most) return refuseAuth("too_many_challenges");
    const fresh: OpenChallenge = {
      challenge: Buffer.from(this.#random(LIMITS.challengeBytes)).toString("hex"),
      caller: place.caller,
      expiresAt: this.#clocks.now() + this.#lifeMs,
      expiresElapsed: this.#clocks.elapsed() + this.#lifeMs,
      isUsed: false,
    };
    this.#open.set(key, fresh);
    return shown(place, fresh);
  }

  /** Uses up the challenge that a response names. From then on it is refused, whatever becomes of the response. */
  take(
    place: ChallengePlace & { readonly challenge: string },
  ): { readonly ok: true; readonly value: TunnelAuthChallenge } | AuthRefusal {
    const known = this.#open.get(keyOf(place));
    if (known === undefined) return refuseAuth("no_challenge");
    if (!isSameText(known.challenge, place.challenge)) return refuseAuth("challenge_mismatch");
    if (known.isUsed) return refuseAuth("challenge_used");
    if (this.#isExpired(known)) return refuseAuth("challenge_expired");
    known.isUsed = true;
    return shown(place, known);
  }

  /** Whether this text is the challenge that waits for this caller's answer. */
  isOpen(place: ChallengePlace & { readonly challenge: string }): boolean {
    const known = this.#open.get(keyOf(place));
    if (known === undefined || known.isUsed || this.#isExpired(known)) return false;
    return isSameText(known.challenge, place.challenge);
  }

  /** Removes all challenges of a caller that is gone. */
  forget(caller: string): void {
    for (const [key, open] of this.#open) if (open.caller === caller) this.#open.delete(key);
  }

  get size(): number {
    return this.#open.size;
  }

  /** By either clock: one that is set back, or stands still, extends nothing. */
  #isExpired({ expiresAt, expiresElapsed }: OpenChallenge): boolean {
    return this.#clocks.now() >= expiresAt || this.#clocks.elapsed() >= expiresElapsed;
  }

  #sweep(): void {
    for (const [key, open] of this.#open) if (open.isUsed || this.#isExpired(open)) this.#open.delete(key);
  }
}

function keyOf({ tunnel_id, caller }: ChallengePlace): string {
  return JSON.stringify([tunnel_id, caller]);
}

function shown(
  { tunnel_id }: ChallengePlace,
  { challenge, expiresAt }: OpenChallenge,
): { readonly ok: true; readonly value: TunnelAuthChallenge } {
  return { ok: true, value: { challenge, expires_at: new Date(expiresAt).toISOString(), tunnel_id } };
}
