import { z } from "zod";
import { TunnelEndpoint } from "../dialects/mount/settings.ts";

/** Crockford's 32 letters and digits: none of them looks like another. */
export const PAIRING_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** Letters of a code: 50 bits. */
export const PAIRING_LETTERS = 10;
const CODE = new RegExp(`^[${PAIRING_ALPHABET}]{${String(PAIRING_LETTERS)}}$`);
const TUNNEL_PARAMETER = "tunnel";

/** A pairing code as somebody typed it, in its one form. Undefined: it is none. */
export function parsePairingCode(text: string): string | undefined {
  const plain = text.toUpperCase().replace(/[\s-]/g, "").replace(/O/g, "0").replace(/[IL]/g, "1");
  if (!CODE.test(plain)) return undefined;
  return `${plain.slice(0, PAIRING_LETTERS / 2)}-${plain.slice(PAIRING_LETTERS / 2)}`;
}

const PairingCode = z
  .string()
  .max(40)
  .refine((text) => parsePairingCode(text) !== undefined, "must be a pairing code such as K7Q2M-4XTPB")
  .transform((text) => parsePairingCode(text) ?? text);

/** What a pairing link or QR code says. */
export interface PairingLink {
  readonly url: string;
  readonly id: string;
  readonly code: string;
}

/** The address with the tunnel's id, and the code behind `#`: that part of an address is never sent. */
export function pairingLink({ url, id, code }: PairingLink): string {
  const link = new URL(url);
  link.searchParams.set(TUNNEL_PARAMETER, id);
  link.hash = code;
  return link.href;
}

/** Undefined: it is no pairing link. */
export function parsePairingLink(text: string): PairingLink | undefined {
  if (!URL.canParse(text.trim())) return undefined;
  const link = new URL(text.trim());
  const id = link.searchParams.get(TUNNEL_PARAMETER);
  const code = parsePairingCode(link.hash.slice(1));
  if (!/^wss?:$/.test(link.protocol) || id === null || code === undefined) return undefined;
  link.hash = "";
  link.searchParams.delete(TUNNEL_PARAMETER);
  return { url: link.href, id, code };
}

/** A code that one other side can pair with, once. Shown when it is made, and never again. */
export const TunnelPairingCode = z.object({
  id: z.string(),
  code: z.string(),
  expires_at: z.string(),
  /** Wrong codes after which it is worth nothing. */
  tries: z.number().int(),
});
export type TunnelPairingCode = z.infer<typeof TunnelPairingCode>;

/** Pairs with a machine that shows a code, and adds its tunnel. */
export const PairTunnel = TunnelEndpoint.omit({ id: true, auth: true }).extend({ code: PairingCode }).strict();
export type PairTunnel = z.input<typeof PairTunnel>;

/** Pairs with the gateway that an offer connects to. */
export const PairTunnelOffer = z.object({ code: PairingCode }).strict();
export type PairTunnelOffer = z.input<typeof PairTunnelOffer>;

const key = z.string().regex(/^[0-9a-f]{64}$/, "must be 32 bytes in hexadecimal");

/** What two sides say to each other when they pair, instead of a tunnel's handshake. Keys are X25519's, MACs HMAC-SHA-256's. */
export const PairingMessage = z.discriminatedUnion("type", [
  z
    .object({
      type: z.literal("pair"),
      version: z.literal(1),
      /** Of the one who connects. */
      role: z.enum(["home", "gateway"]),
      tunnel_id: z.string().min(1).max(100),
      key,
    })
    .strict(),
  z.object({ type: z.literal("pair_key"), key }).strict(),
  z.object({ type: z.literal("pair_proof"), mac: key }).strict(),
  z.object({ type: z.literal("paired"), mac: key }).strict(),
  z.object({ type: z.literal("error"), session_id: z.string().max(200), error: z.string().max(10_000) }),
]);
export type PairingMessage = z.infer<typeof PairingMessage>;
