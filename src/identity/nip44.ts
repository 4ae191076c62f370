import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { Failure, LIMITS } from "../protocol/index.ts";
import { sharedPoint } from "./schnorr.ts";

/** NIP-44, version 2: what two keys say to each other, padded, encrypted with ChaCha20 and authenticated with HMAC-SHA-256. */

const VERSION = 2;
const NONCE_BYTES = 32;
const MAC_BYTES = 32;
const LENGTH_BYTES = 2;
const SALT = "nip44-v2";
/** The shortest and the longest payload: version, nonce, 2 + 32 to 2 + 65,536 bytes of padded text, MAC. */
const PAYLOAD_BYTES = { least: 99, most: 65_603 } as const;
const PAYLOAD_CHARS = { least: 132, most: 87_472 } as const;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

interface Parties {
  readonly secretKey: Uint8Array;
  /** Of the other one; x-only. */
  readonly pubkey: Uint8Array;
}

/** The same for both parties. */
export async function conversationKey({ secretKey, pubkey }: Parties): Promise<Uint8Array> {
  const shared = await sharedPoint(secretKey, pubkey);
  if (shared === undefined) throw new Failure("invalid_request", "the other party's public key is no key of secp256k1");
  return createHmac("sha256", SALT).update(shared).digest();
}

/** A payload in base64. `nonce` is for the published vectors; absent: random. */
export function encryptText(
  text: string,
  { key, nonce = randomBytes(NONCE_BYTES) }: { readonly key: Uint8Array; readonly nonce?: Uint8Array },
): string {
  const plain = Buffer.from(text, "utf8");
  if (plain.length < 1 || plain.length > LIMITS.encryptedTextBytes)
    throw new Failure("invalid_request", `a text to encrypt has 1 to ${LIMITS.encryptedTextBytes} bytes`);
  const padded = Buffer.alloc(LENGTH_BYTES + paddedLength(plain.length));
  padded.writeUInt16BE(plain.length);
  plain.copy(padded, LENGTH_BYTES);
  const keys = messageKeys(key, nonce);
  const sealed = createCipheriv("chacha20", keys.cipher, keys.start).update(padded);
  const mac = macOf(keys.mac, nonce, sealed);
  return Buffer.concat([Uint8Array.of(VERSION), nonce, sealed, mac]).toString("base64");
}

/** A Failure when the payload was not made with this key, was changed, or is no payload of version 2. */
export function decryptText(payload: string, key: Uint8Array): string {
  const refuse = (why: string): Failure => new Failure("invalid_request", `this cannot be decrypted: ${why}`);
  if (payload.startsWith("#")) throw refuse("its version is not known here");
  if (payload.length < PAYLOAD_CHARS.least || payload.length > PAYLOAD_CHARS.most || !BASE64.test(payload))
    throw refuse("it is no NIP-44 payload in base64");
  const bytes = Buffer.from(payload, "base64");
  if (bytes.length < PAYLOAD_BYTES.least || bytes.length > PAYLOAD_BYTES.most)
    throw refuse("it is no NIP-44 payload in base64");
  if (bytes[0] !== VERSION) throw refuse("its version is not known here");
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
  const sealed = bytes.subarray(1 + NONCE_BYTES, -MAC_BYTES);
  const keys = messageKeys(key, nonce);
  if (!timingSafeEqual(macOf(keys.mac, nonce, sealed), bytes.subarray(-MAC_BYTES)))
    throw refuse("it was changed, or made for another key");
  const padded = createDecipheriv("chacha20", keys.cipher, keys.start).update(sealed);
  const length = padded.readUInt16BE();
  const text = padded.subarray(LENGTH_BYTES, LENGTH_BYTES + length);
  if (length === 0 || text.length !== length || padded.length !== LENGTH_BYTES + paddedLength(length))
    throw refuse("its padding is wrong");
  return text.toString("utf8");
}

/** Up to a power of two, or to an eighth of it: the length of a text shows only roughly. */
export function paddedLength(length: number): number {
  if (length <= 32) return 32;
  const power = 2 ** (Math.floor(Math.log2(length - 1)) + 1);
  const chunk = power <= 256 ? 32 : power / 8;
  return chunk * (Math.floor((length - 1) / chunk) + 1);
}

function macOf(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array): Buffer {
  return createHmac("sha256", key).update(nonce).update(sealed).digest();
}

/** HKDF's second half (RFC 5869) with the nonce as info: 76 bytes. */
export function messageKeys(
  key: Uint8Array,
  nonce: Uint8Array,
): { readonly cipher: Uint8Array; readonly start: Uint8Array; readonly mac: Uint8Array } {
  const blocks: Buffer[] = [];
  let previous = Buffer.alloc(0);
  for (const counter of [1, 2, 3]) {
    previous = createHmac("sha256", key).update(previous).update(nonce).update(Uint8Array.of(counter)).digest();
    blocks.push(previous);
  }
  const all = Buffer.concat(blocks);
  // OpenSSL's ChaCha20 takes the counter, here 0, before the nonce.
  const start = Buffer.concat([Buffer.alloc(4), all.subarray(32, 44)]);
  return { cipher: all.subarray(0, 32), start, mac: all.subarray(44, 76) };
}
