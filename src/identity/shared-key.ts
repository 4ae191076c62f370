import { createHmac, timingSafeEqual } from "node:crypto";

/** What both nonces of one authentication are, and for which tunnel. */
export interface SharedKeyExchange {
  readonly tunnel_id: string;
  /** The tunnel's nonce. */
  readonly challenge: string;
  /** The caller's nonce. */
  readonly nonce: string;
}

type ExchangeSide = "caller" | "tunnel";

/**
 * HMAC-SHA-256 over who speaks, the tunnel's id and both nonces. Each part goes with its length, so that no two exchanges look alike,
 * and the side is part of it, so that neither can send the other's answer back.
 */
export function sharedKeyMac(key: string, side: ExchangeSide, exchange: SharedKeyExchange): Buffer {
  const mac = createHmac("sha256", key);
  for (const part of ["sallyport tunnel", side, exchange.tunnel_id, exchange.challenge, exchange.nonce]) {
    const bytes = Buffer.from(part, "utf8");
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    mac.update(length).update(bytes);
  }
  return mac.digest();
}

/** Whether somebody who knows the key made this MAC. In constant time. */
export function isSharedKeyMac(
  mac: string,
  { key, side, exchange }: { readonly key: string; readonly side: ExchangeSide; readonly exchange: SharedKeyExchange },
): boolean {
  const expected = sharedKeyMac(key, side, exchange);
  const given = Buffer.from(mac, "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}
