import { decodeBech32, encodeBech32 } from "./bech32.ts";
import { isPublicKey, KEY_BYTES, publicKeyOf, SIGNATURE_BYTES } from "./schnorr.ts";

const HEX_KEY = /^[0-9a-f]{64}$/i;
const HEX_SIGNATURE = /^[0-9a-f]{128}$/i;
const BASE64 = /^[A-Za-z0-9+/]{86}==$/;

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** 64 hexadecimal digits, or bech32 with the prefix. Undefined: neither. */
function keyBytes(text: string, prefix: "npub" | "nsec"): Uint8Array | undefined {
  if (HEX_KEY.test(text)) return Uint8Array.from(Buffer.from(text, "hex"));
  const bytes = decodeBech32(prefix, text);
  return bytes?.length === KEY_BYTES ? bytes : undefined;
}

/** A public key as hex or npub. Undefined: it is neither, or no point of the curve. */
export async function parsePublicKey(text: string): Promise<Uint8Array | undefined> {
  const bytes = keyBytes(text, "npub");
  return bytes !== undefined && (await isPublicKey(bytes)) ? bytes : undefined;
}

/** A secret key as hex or nsec. Undefined: it is neither, or no number of the curve. */
export async function parseSecretKey(text: string): Promise<Uint8Array | undefined> {
  const bytes = keyBytes(text, "nsec");
  return bytes !== undefined && (await publicKeyOf(bytes)) !== undefined ? bytes : undefined;
}

/** A signature as hex, or as base64. Undefined: it is neither. */
export function parseSignature(text: string): Uint8Array | undefined {
  if (HEX_SIGNATURE.test(text)) return Uint8Array.from(Buffer.from(text, "hex"));
  const bytes = BASE64.test(text) ? Uint8Array.from(Buffer.from(text, "base64")) : undefined;
  return bytes?.length === SIGNATURE_BYTES ? bytes : undefined;
}

export function npubOf(pubkey: Uint8Array): string {
  return encodeBech32("npub", pubkey);
}

/** Whether two texts name the same public key, one of them perhaps as npub. Compared by bytes. */
export function samePublicKey(one: string, other: string): boolean {
  const [left, right] = [keyBytes(one, "npub"), keyBytes(other, "npub")];
  return left !== undefined && right !== undefined && Buffer.compare(left, right) === 0;
}
