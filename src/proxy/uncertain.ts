import { hash } from "node:crypto";
import type { Charge } from "../ledger/index.ts";
import { LIMITS } from "../protocol/index.ts";

/** What was charged for one call at a bound. */
interface Uncertain {
  bound: number;
  at: number;
}

/** One call, however often it is tried: the same bytes of the same session. */
interface TriedCall {
  readonly session: string;
  readonly body: Buffer | string;
}

/**
 * Charges the uncertain part of a call once, however often its provider breaks off. Reported usage is charged each time;
 * of the unreported part, the largest bound counts for all attempts together.
 */
export class UncertainCharges {
  readonly #elapsed: () => number;
  /** The oldest first. */
  readonly #calls = new Map<string, Uncertain>();

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** The charge without the part of its bound that an earlier attempt has paid. */
  once(call: TriedCall, charge: Charge): Charge {
    if (charge.bound === 0) return charge;
    const name = nameOf(call);
    const now = this.#elapsed();
    const known = this.#calls.get(name);
    const paid = known !== undefined && now - known.at < LIMITS.uncertainCallMs ? known.bound : 0;
    this.#calls.delete(name);
    this.#calls.set(name, { bound: Math.max(paid, charge.bound), at: now });
    this.#forget(now);
    const bound = Math.max(0, charge.bound - paid);
    return { ...charge, cost: charge.cost - charge.bound + bound, bound };
  }

  /** It was answered: the same bytes are a new call from now on. */
  answered(call: TriedCall): void {
    if (this.#calls.size > 0) this.#calls.delete(nameOf(call));
  }

  #forget(now: number): void {
    for (const [name, { at }] of this.#calls) {
      if (this.#calls.size <= LIMITS.uncertainCalls && now - at < LIMITS.uncertainCallMs) return;
      this.#calls.delete(name);
    }
  }
}

function nameOf({ session, body }: TriedCall): string {
  return `${session} ${hash("sha256", body, "base64url")}`;
}
