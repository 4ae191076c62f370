import {
  createHash,
  createHmac,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomInt,
  scrypt,
  timingSafeEqual,
  type KeyObject,
} from "node:crypto";
import { PAIRING_ALPHABET, PAIRING_LETTERS } from "../protocol/index.ts";

/** A new code, as it is shown: two groups of letters and digits. */
export function newPairingCode(): string {
  const letters = Array.from({ length: PAIRING_LETTERS }, () => PAIRING_ALPHABET[randomInt(PAIRING_ALPHABET.length)]);
  const half = PAIRING_LETTERS / 2;
  return `${letters.slice(0, half).join("")}-${letters.slice(half).join("")}`;
}

/** A key pair of X25519 for one pairing. */
export interface PairingKeys {
  /** Hexadecimal. */
  readonly key: string;
  readonly secret: KeyObject;
}

export function newPairingKeys(): PairingKeys {
  const { publicKey, privateKey } = generateKeyPairSync("x25519");
  const { x = "" } = publicKey.export({ format: "jwk" });
  return { key: Buffer.from(x, "base64url").toString("hex"), secret: privateKey };
}

/** What both sides know of one pairing when their keys have crossed. */
export interface PairingExchange {
  readonly tunnel_id: string;
  /** Of the one who connects. */
  readonly role: "home" | "gateway";
  readonly callerKey: string;
  readonly tunnelKey: string;
}

/** What follows from the right code, and from nothing else. */
export interface PairingSecrets {
  readonly callerMac: Buffer;
  readonly tunnelMac: Buffer;
  /** The pre-shared key of the tunnel from now on. */
  readonly sharedKey: string;
}

/** So that a guess costs time and memory: about 0.1 s and 32 MiB. */
const STRETCH = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1_024 * 1_024 } as const;
const KEY_BYTES = 32;

/**
 * The key agreement of both ephemeral keys, bound to the code. Whoever only listens learns nothing, also later: the ephemeral keys are gone.
 * Whoever stands in between has to find the code while it counts, at the cost of one scrypt for each guess.
 * Undefined: the other side's key is none.
 */
export async function pairingSecrets(
  code: string,
  { keys, theirKey, exchange }: { keys: PairingKeys; theirKey: string; exchange: PairingExchange },
): Promise<PairingSecrets | undefined> {
  const agreed = agreement(keys.secret, theirKey);
  if (agreed === undefined) return undefined;
  const salt = transcriptOf(exchange);
  const stretched = await stretch(code, salt);
  const secret = Buffer.concat([agreed, stretched]);
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync("sha256", secret, salt, `sallyport pairing ${purpose}`, KEY_BYTES));
  return {
    callerMac: createHmac("sha256", derive("caller")).update(salt).digest(),
    tunnelMac: createHmac("sha256", derive("tunnel")).update(salt).digest(),
    sharedKey: derive("shared key").toString("base64url"),
  };
}

/** Whether a MAC in hexadecimal is this one. In constant time. */
export function isPairingMac(mac: string, expected: Buffer): boolean {
  const given = Buffer.from(mac, "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Undefined also for the points with which the result would not depend on this side's key. */
function agreement(secret: KeyObject, theirKey: string): Buffer | undefined {
  try {
    const x = Buffer.from(theirKey, "hex").toString("base64url");
    const publicKey = createPublicKey({ key: { kty: "OKP", crv: "X25519", x }, format: "jwk" });
    return diffieHellman({ privateKey: secret, publicKey });
  } catch {
    return undefined;
  }
}

/** Everything that was said before the proofs; each part with its length. */
function transcriptOf({ tunnel_id, role, callerKey, tunnelKey }: PairingExchange): Buffer {
  const hash = createHash("sha256");
  for (const part of ["sallyport pairing", tunnel_id, role, callerKey, tunnelKey]) {
    const bytes = Buffer.from(part, "utf8");
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  }
  return hash.digest();
}

function stretch(code: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(code, salt, KEY_BYTES, STRETCH, (error, stretched) => {
      if (error === null) resolve(stretched);
      else reject(error);
    });
  });
}
