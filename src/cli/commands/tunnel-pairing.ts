import {
  Failure,
  LIMITS,
  pairingLink,
  parsePairingCode,
  parsePairingLink,
  type TunnelPairingCode,
} from "../../protocol/index.ts";
import { print, type CommandContext } from "../context.ts";
import { qrLines } from "../terminal/qr.ts";

/** Which tunnel to add, from the arguments of `tunnel add`. */
export interface AddedTunnel {
  readonly id: string;
  readonly url?: string | undefined;
  readonly code?: string | undefined;
}

/** A pairing link says everything; otherwise id, address and code are given one by one. */
export function addedTunnel(
  first: string,
  { url, code }: { readonly url?: string | undefined; readonly code?: string | undefined },
): AddedTunnel {
  if (!first.includes("://")) return { id: first, url, code: code === undefined ? undefined : codeOf(code) };
  const link = parsePairingLink(first);
  if (link === undefined)
    throw new Failure(
      "invalid_request",
      "this is no pairing link: it begins with wss:// or ws://, names the tunnel and ends in # and the code; put it in quotes",
    );
  if (url !== undefined || code !== undefined)
    throw new Failure("invalid_request", "a pairing link says address and code already: leave the others out");
  return link;
}

/** Rejects what is no WebSocket's address, before a code is made for it. */
export function addressOf(url: string): string {
  if (!/^wss?:\/\//.test(url) || !URL.canParse(url))
    throw new Failure("invalid_request", `--url ${url} is no address: it begins with wss:// or ws://`);
  return url;
}

export function codeOf(text: string): string {
  const code = parsePairingCode(text);
  if (code === undefined) throw new Failure("invalid_request", "this is no pairing code: one looks like K7Q2M-4XTPB");
  return code;
}

/** The code on standard output; for people also how to use it, as a link and a QR code where the address is known. */
export async function showPairing(
  context: CommandContext,
  { id, code }: TunnelPairingCode,
  { url, there }: { readonly url?: string | undefined; readonly there: string },
): Promise<void> {
  const { screen, surroundings } = context;
  print(context, code);
  const minutes = LIMITS.tunnelPairingMs / 60_000;
  screen.line(
    screen.paint.dim(`the pairing code: counts once, for ${minutes} minutes; on the other machine: ${there}`),
  );
  if (url === undefined) return;
  const link = pairingLink({ url, id, code });
  screen.line(link);
  if (surroundings.errors.isTTY !== true) return;
  for (const line of await qrLines(link, surroundings.errors.columns ?? 80)) screen.line(line);
}
