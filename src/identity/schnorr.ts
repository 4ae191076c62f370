import { createHash } from "node:crypto";

/** Loaded on first use: most servers never sign. */
const curve = async () => import("@noble/curves/secp256k1.js");

export const KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;

export async function newSecretKey(): Promise<Uint8Array> {
  return (await curve()).schnorr.utils.randomSecretKey();
}

/** The x-only public key (BIP-340). Undefined: no number of the curve. */
export async function publicKeyOf(secretKey: Uint8Array): Promise<Uint8Array | undefined> {
  const { schnorr, secp256k1 } = await curve();
  return secp256k1.utils.isValidSecretKey(secretKey) ? schnorr.getPublicKey(secretKey) : undefined;
}

/** A BIP-340 signature of these bytes as they are. `auxiliary` is for the published vectors; absent: random. */
export async function signSchnorr(
  message: Uint8Array,
  { secretKey, auxiliary }: { readonly secretKey: Uint8Array; readonly auxiliary?: Uint8Array | undefined },
): Promise<Uint8Array> {
  return (await curve()).schnorr.sign(message, secretKey, auxiliary);
}

/** False too for a key that is no point of the curve, and for a signature of another length. */
export async function verifySchnorr(
  message: Uint8Array,
  { signature, pubkey }: { readonly signature: Uint8Array; readonly pubkey: Uint8Array },
): Promise<boolean> {
  if (signature.length !== SIGNATURE_BYTES || pubkey.length !== KEY_BYTES) return false;
  return (await curve()).schnorr.verify(signature, message, pubkey);
}

/** The x coordinate that both parties compute. Undefined: the public key is no point of the curve. */
export async function sharedPoint(secretKey: Uint8Array, pubkey: Uint8Array): Promise<Uint8Array | undefined> {
  const { secp256k1 } = await curve();
  const even = Uint8Array.from([2, ...pubkey]);
  if (pubkey.length !== KEY_BYTES || !secp256k1.utils.isValidPublicKey(even, true)) return undefined;
  if (!secp256k1.utils.isValidSecretKey(secretKey)) return undefined;
  return secp256k1.getSharedSecret(secretKey, even).slice(1);
}

/** Whether 32 bytes are the x coordinate of a point. */
export async function isPublicKey(pubkey: Uint8Array): Promise<boolean> {
  if (pubkey.length !== KEY_BYTES) return false;
  return (await curve()).secp256k1.utils.isValidPublicKey(Uint8Array.from([2, ...pubkey]), true);
}

/** What is signed of a text: its SHA-256. */
export function digestOf(text: string | Uint8Array): Uint8Array {
  return createHash("sha256").update(text).digest();
}
