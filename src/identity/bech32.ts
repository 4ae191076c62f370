/** BIP-173's bech32, as far as Nostr's NIP-19 uses it: 32 bytes with a prefix, such as `npub1…`. */

const ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3] as const;
const CHECKSUM_WORDS = 6;

function checksum(words: readonly number[]): number {
  let sum = 1;
  for (const word of words) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ word;
    for (const [bit, term] of GENERATOR.entries()) if (((top >>> bit) & 1) === 1) sum ^= term;
  }
  return sum >>> 0;
}

function prefixWords(prefix: string): readonly number[] {
  const codes = [...Buffer.from(prefix, "latin1")];
  return [...codes.map((code) => code >>> 5), 0, ...codes.map((code) => code & 31)];
}

/** Groups of `from` bits as groups of `to` bits. Undefined: the bits that are left over are not padding. */
function regroup(
  values: readonly number[],
  { from, to, pad }: { readonly from: number; readonly to: number; readonly pad: boolean },
): number[] | undefined {
  let buffer = 0;
  let bits = 0;
  const groups: number[] = [];
  for (const value of values) {
    buffer = ((buffer << from) | value) & 0xfff;
    bits += from;
    while (bits >= to) {
      bits -= to;
      groups.push((buffer >>> bits) & ((1 << to) - 1));
    }
  }
  const rest = (buffer << (to - bits)) & ((1 << to) - 1);
  if (pad) return bits === 0 ? groups : [...groups, rest];
  return bits >= from || rest !== 0 ? undefined : groups;
}

export function encodeBech32(prefix: string, bytes: Uint8Array): string {
  const words = regroup([...bytes], { from: 8, to: 5, pad: true }) ?? [];
  const sum = checksum([...prefixWords(prefix), ...words, 0, 0, 0, 0, 0, 0]) ^ 1;
  const check = Array.from({ length: CHECKSUM_WORDS }, (_, at) => (sum >>> (5 * (CHECKSUM_WORDS - 1 - at))) & 31);
  return `${prefix}1${[...words, ...check].map((word) => ALPHABET[word] ?? "").join("")}`;
}

/** Undefined: it is not bech32 with this prefix, or a letter of it is wrong. */
export function decodeBech32(prefix: string, text: string): Uint8Array | undefined {
  // BIP-173: all letters are small or all are capitals.
  const plain = text === text.toUpperCase() ? text.toLowerCase() : text;
  if (!plain.startsWith(`${prefix}1`)) return undefined;
  const words = plain
    .slice(prefix.length + 1)
    .split("")
    .map((letter) => ALPHABET.indexOf(letter));
  if (words.length < CHECKSUM_WORDS || words.includes(-1)) return undefined;
  if (checksum([...prefixWords(prefix), ...words]) !== 1) return undefined;
  const bytes = regroup(words.slice(0, -CHECKSUM_WORDS), { from: 5, to: 8, pad: false });
  return bytes === undefined ? undefined : Uint8Array.from(bytes);
}
