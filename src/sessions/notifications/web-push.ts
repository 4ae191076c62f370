import { createCipheriv, createECDH, createPrivateKey, hkdfSync, randomBytes, sign, type KeyObject } from "node:crypto";
import { LIMITS } from "../../protocol/index.ts";

const CURVE = "prime256v1";
const POINT_BYTES = 65;
const SALT_BYTES = 16;
const KEY_BYTES = 16;
const NONCE_BYTES = 12;
const RECORD_BYTES = 4_096;
/** Marks the last record. */
const LAST = Buffer.of(2);

/** The server's keys to push services (RFC 8292). */
export interface VapidKeys {
  /** Uncompressed point, base64url. */
  readonly publicKey: string;
  readonly signer: KeyObject;
}

/** From the private number, 32 bytes in base64url. */
export function vapidKeys(secret: string): VapidKeys {
  const ecdh = createECDH(CURVE);
  ecdh.setPrivateKey(Buffer.from(secret, "base64url"));
  const point = ecdh.getPublicKey();
  const jwk = {
    kty: "EC",
    crv: "P-256",
    d: secret,
    x: point.subarray(1, 33).toString("base64url"),
    y: point.subarray(33).toString("base64url"),
  };
  return { publicKey: point.toString("base64url"), signer: createPrivateKey({ key: jwk, format: "jwk" }) };
}

/** A new private number. */
export function newVapidSecret(): string {
  const ecdh = createECDH(CURVE);
  ecdh.generateKeys();
  return ecdh.getPrivateKey().toString("base64url").padStart(43, "A");
}

/** The `authorization` header for one push service. `contact`: whom it may write to, a `mailto:` or `https:` address. */
export function vapidHeader(
  keys: VapidKeys,
  { endpoint, contact, now }: { readonly endpoint: URL; readonly contact: string; readonly now: number },
): string {
  const claims = { aud: endpoint.origin, exp: Math.floor(now / 1_000) + LIMITS.vapidLifeS, sub: contact };
  const text = [{ typ: "JWT", alg: "ES256" }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const signature = sign("sha256", Buffer.from(text), { key: keys.signer, dsaEncoding: "ieee-p1363" });
  return `vapid t=${text}.${signature.toString("base64url")}, k=${keys.publicKey}`;
}

/** A browser's keys, base64url. */
export interface PushKeys {
  readonly p256dh: string;
  readonly auth: string;
}

/** Whether these can be a browser's keys: a point of the curve, and 16 bytes. */
export function arePushKeys({ p256dh, auth }: PushKeys): boolean {
  const point = Buffer.from(p256dh, "base64url");
  if (point.length !== POINT_BYTES || point[0] !== 4 || Buffer.from(auth, "base64url").length !== 16) return false;
  try {
    const ecdh = createECDH(CURVE);
    ecdh.generateKeys();
    ecdh.computeSecret(point);
    return true;
  } catch {
    return false;
  }
}

interface PushRandomness {
  readonly salt: Buffer;
  /** The private number of the key that is used for one message. */
  readonly key: Buffer;
}

/** The body of a push message (RFC 8291, `aes128gcm`). Only the browser can read it. `fixed`: for the RFC's own example. */
export function encryptPush(plain: Buffer, keys: PushKeys, fixed?: PushRandomness): Buffer {
  const sender = createECDH(CURVE);
  if (fixed === undefined) sender.generateKeys();
  else sender.setPrivateKey(fixed.key);
  const salt = fixed?.salt ?? randomBytes(SALT_BYTES);
  const receiver = Buffer.from(keys.p256dh, "base64url");
  const own = sender.getPublicKey();
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), receiver, own]);
  const shared = hkdfSync("sha256", sender.computeSecret(receiver), Buffer.from(keys.auth, "base64url"), info, 32);
  const derive = (name: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync("sha256", Buffer.from(shared), salt, Buffer.from(`Content-Encoding: ${name}\0`), bytes));
  const cipher = createCipheriv("aes-128-gcm", derive("aes128gcm", KEY_BYTES), derive("nonce", NONCE_BYTES));
  const sealed = Buffer.concat([cipher.update(plain), cipher.update(LAST), cipher.final(), cipher.getAuthTag()]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(RECORD_BYTES);
  head.writeUInt8(own.length, 4);
  return Buffer.concat([salt, head, own, sealed]);
}
