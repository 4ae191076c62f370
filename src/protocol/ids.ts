const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_DIGITS = 9;
const RANDOM_DIGITS = 13;

export type IdPrefix =
  | "ses"
  | "turn"
  | "item"
  | "apr"
  | "tok"
  | "key"
  | "msg"
  | "aud"
  | "sh"
  | "shr"
  | "req"
  | "call"
  | "run"
  | "sch"
  | "hook"
  | "ntf"
  | "pair";
export type NewId = (prefix: IdPrefix) => string;

/** Randomness is drawn for this many at once: each draw costs more than an id. */
const DRAWN_IDS = 128;

/** Ids sort by the time they were made (milliseconds) and end in 65 random bits. */
export function makeNewId(now: () => number, random: (bytes: Uint8Array<ArrayBuffer>) => void): NewId {
  const drawn = new Uint8Array(RANDOM_DIGITS * DRAWN_IDS);
  let used = drawn.length;
  return (prefix) => {
    let time = now();
    let head = "";
    for (let digit = 0; digit < TIME_DIGITS; digit += 1) {
      head = ALPHABET.charAt(time % 32) + head;
      time = Math.floor(time / 32);
    }
    if (used === drawn.length) {
      random(drawn);
      used = 0;
    }
    let tail = "";
    for (let digit = 0; digit < RANDOM_DIGITS; digit += 1) tail += ALPHABET.charAt((drawn[used + digit] ?? 0) & 31);
    used += RANDOM_DIGITS;
    return `${prefix}_${head}${tail}`;
  };
}
