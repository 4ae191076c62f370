const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_DIGITS = 9;
const RANDOM_DIGITS = 13;

export type IdPrefix = "ses" | "turn" | "item" | "apr" | "tok" | "msg" | "aud" | "sh" | "req";
export type NewId = (prefix: IdPrefix) => string;

/** Ids sort by the time they were made (milliseconds) and end in 65 random bits. */
export function makeNewId(now: () => number, random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array): NewId {
  return (prefix) => {
    let time = now();
    let head = "";
    for (let digit = 0; digit < TIME_DIGITS; digit += 1) {
      head = ALPHABET.charAt(time % 32) + head;
      time = Math.floor(time / 32);
    }
    let tail = "";
    for (const byte of random(new Uint8Array(RANDOM_DIGITS))) tail += ALPHABET.charAt(byte & 31);
    return `${prefix}_${head}${tail}`;
  };
}
