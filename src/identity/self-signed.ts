import { createPrivateKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from "node:crypto";

/** A private key and its certificate, both PEM. */
export interface TlsCredential {
  readonly key: string;
  readonly certificate: string;
}

const DAY_MS = 86_400_000;
const VALID_DAYS = 365;
/** Clocks of phones may be behind. */
const EARLIER_DAYS = 1;

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT = 0x06;
const UTF8 = 0x0c;
const BOOLEAN = 0x01;
const GENERALIZED_TIME = 0x18;
/** `[0]` for the version, `[3]` for extensions, `[2]` of a general name for a host. */
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const DNS_NAME = 0x82;

const ECDSA_SHA256 = "2a8648ce3d040302";
const COMMON_NAME = "550403";
const ALTERNATIVE_NAMES = "551d11";
const KEY_USAGES = "551d25";
const SERVER_AUTHENTICATION = "2b06010505070301";
const CONSTRAINTS = "551d13";

/** A new key on P-256 and a certificate for a host that the key itself signed: who trusts it compares its fingerprint. */
export function makeSelfSigned(host: string, now: number): TlsCredential {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = der(SEQUENCE, der(OBJECT, hex(ECDSA_SHA256)));
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, der(OBJECT, hex(COMMON_NAME)), der(UTF8, Buffer.from(host)))));
  const body = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, serial()),
    algorithm,
    name,
    der(SEQUENCE, time(now - EARLIER_DAYS * DAY_MS), time(now + VALID_DAYS * DAY_MS)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(
      EXTENSIONS,
      der(
        SEQUENCE,
        extension(ALTERNATIVE_NAMES, der(SEQUENCE, der(DNS_NAME, Buffer.from(host)))),
        extension(KEY_USAGES, der(SEQUENCE, der(OBJECT, hex(SERVER_AUTHENTICATION)))),
        extension(CONSTRAINTS, der(SEQUENCE), "critical"),
      ),
    ),
  );
  const signature = sign("sha256", body, privateKey);
  const whole = der(SEQUENCE, body, algorithm, der(BIT_STRING, Buffer.from([0]), signature));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    certificate: new X509Certificate(whole).toString(),
  };
}

/** Why a key and a certificate cannot serve a host now; undefined: they can. */
export function tlsFault({ key, certificate }: TlsCredential, host: string, now: number): string | undefined {
  try {
    const read = new X509Certificate(certificate);
    if (!read.checkPrivateKey(createPrivateKey(key))) return "the key is not that of the certificate";
    if (read.checkHost(host) === undefined) return `the certificate is not for ${host}`;
    if (Date.parse(read.validTo) <= now) return `the certificate was valid until ${read.validTo}`;
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What people compare: SHA-256 of the certificate, in pairs of hex digits with colons, as browsers show it. */
export function certificateFingerprint(certificate: string): string {
  return new X509Certificate(certificate).fingerprint256;
}

function serial(): Buffer {
  const bytes = randomBytes(16);
  // Positive, and not shortened.
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes;
}

function time(ms: number): Buffer {
  const text = new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  return der(GENERALIZED_TIME, Buffer.from(text));
}

function extension(id: string, value: Buffer, critical?: "critical"): Buffer {
  const flag = critical === undefined ? [] : [der(BOOLEAN, Buffer.from([0xff]))];
  return der(SEQUENCE, der(OBJECT, hex(id)), ...flag, der(OCTET_STRING, value));
}

function hex(text: string): Buffer {
  return Buffer.from(text, "hex");
}

/** One value of DER: its tag, its length, its content. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  if (length < 0x100) return Buffer.from([0x81, length]);
  return Buffer.from([0x82, length >> 8, length & 0xff]);
}
