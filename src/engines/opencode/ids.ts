import { randomBytes } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_CHARS = 14;
const TIME_DIGITS = 12;
const TIME_BITS = 48n;
/** OpenCode counts its own ids of one millisecond from 1 on. */
const PER_MILLISECOND = 4_096n;
const PREFIX = "msg_";

/**
 * An id for a prompt in OpenCode's form. Its record is ordered by these ids, so it must be later than that of the newest message: `after`,
 * absent where there is none. `now`: milliseconds since the epoch.
 */
export function promptIdAt(now: number, after: string | undefined): string {
  const digits = after?.slice(PREFIX.length, PREFIX.length + TIME_DIGITS) ?? "";
  const newest = /^[0-9a-f]{12}$/.test(digits) ? BigInt(`0x${digits}`) : 0n;
  const wanted = BigInt.asUintN(Number(TIME_BITS), BigInt(now) * PER_MILLISECOND);
  const time = wanted > newest ? wanted : newest + 1n;
  const random = [...randomBytes(RANDOM_CHARS)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length));
  return `${PREFIX}${time.toString(16).padStart(TIME_DIGITS, "0")}${random.join("")}`;
}
