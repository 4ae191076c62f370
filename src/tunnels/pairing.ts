import type { WebSocket } from "ws";
import {
  isPairingMac,
  newPairingCode,
  newPairingKeys,
  pairingSecrets,
  type PairingExchange,
  type TwoClocks,
} from "../identity/index.ts";
import { LIMITS, PairingMessage, type TunnelPairingCode } from "../protocol/index.ts";
import type { NetworkProxies } from "../proxy/index.ts";
import { openSocket } from "./dial.ts";
import { TunnelRefusal, type HandshakeReader } from "./handshake.ts";
import type { EarlyMessage } from "./link.ts";

type TunnelRole = "home" | "gateway";
type PairRequest = Extract<PairingMessage, { type: "pair" }>;

interface OpenPairing {
  readonly code: string;
  readonly expiresAt: number;
  readonly expiresElapsed: number;
  /** Stores the new pre-shared key. */
  readonly paired: (sharedKey: string) => Promise<void>;
  triesLeft: number;
}

/** The same refusal for all: somebody who guesses does not learn whether the tunnel or a code exists. */
const REFUSED = "the pairing code is wrong, was used, or has expired: ask for a new one";

/** Codes with which another machine can pair, once and within minutes. They are not stored, so a restart ends them. */
export class PairingBook {
  readonly #clocks: TwoClocks;
  readonly #open = new Map<string, OpenPairing>();

  constructor(clocks: TwoClocks) {
    this.#clocks = clocks;
  }

  /** A new code for one tunnel; an earlier one no longer works. `role`: of the side that will connect. */
  start(
    { id, role }: { readonly id: string; readonly role: TunnelRole },
    paired: (sharedKey: string) => Promise<void>,
  ): TunnelPairingCode {
    const place = placeOf(id, role);
    this.#open.delete(place);
    this.#sweep();
    if (this.#open.size >= LIMITS.tunnelPairings) {
      const [oldest] = this.#open.keys();
      if (oldest !== undefined) this.#open.delete(oldest);
    }
    const expiresAt = this.#clocks.now() + LIMITS.tunnelPairingMs;
    const code = newPairingCode();
    const triesLeft = LIMITS.tunnelPairingTries;
    const expiresElapsed = this.#clocks.elapsed() + LIMITS.tunnelPairingMs;
    this.#open.set(place, { code, expiresAt, expiresElapsed, paired, triesLeft });
    return { id, code, expires_at: new Date(expiresAt).toISOString(), tries: triesLeft };
  }

  /** Milliseconds since the epoch until which a code can be used. Undefined: none is open. */
  openUntil(id: string, role: TunnelRole): number | undefined {
    this.#sweep();
    return this.#open.get(placeOf(id, role))?.expiresAt;
  }

  cancel(id: string, role: TunnelRole): void {
    this.#open.delete(placeOf(id, role));
  }

  /** Goes through a pairing that somebody began. Rejects with a `TunnelRefusal`. */
  async accept(socket: WebSocket, reader: HandshakeReader, asked: PairRequest): Promise<void> {
    const { role, tunnel_id, key: callerKey } = asked;
    const keys = newPairingKeys();
    say(socket, { type: "pair_key", key: keys.key });
    const proof = await nextOf(reader);
    if (proof.type !== "pair_proof") throw new TunnelRefusal("refused", "the other side does not speak this protocol");
    // Read only now, and counted before it is checked, so that simultaneous tries count too.
    const place = placeOf(tunnel_id, role);
    this.#sweep();
    const open = this.#open.get(place);
    if (open === undefined || open.triesLeft <= 0) throw new TunnelRefusal("refused", REFUSED);
    open.triesLeft -= 1;
    const exchange: PairingExchange = { tunnel_id, role, callerKey, tunnelKey: keys.key };
    const secrets = await pairingSecrets(open.code, { keys, theirKey: callerKey, exchange });
    // A code that was used or replaced meanwhile is no longer there.
    const isOpen = this.#open.get(place) === open;
    const isRight = secrets !== undefined && isPairingMac(proof.mac, secrets.callerMac);
    if (isOpen && (isRight || open.triesLeft <= 0)) this.#open.delete(place);
    if (!isOpen || !isRight) throw new TunnelRefusal("refused", REFUSED);
    await open.paired(secrets.sharedKey);
    say(socket, { type: "paired", mac: secrets.tunnelMac.toString("hex") });
    socket.close(1000, "paired");
  }

  #sweep(): void {
    const [now, elapsed] = [this.#clocks.now(), this.#clocks.elapsed()];
    for (const [place, { expiresAt, expiresElapsed }] of this.#open)
      if (now >= expiresAt || elapsed >= expiresElapsed) this.#open.delete(place);
  }
}

/** Pairs with a machine that shows a code. Resolves with the tunnel's pre-shared key; rejects with a `TunnelRefusal`. */
export async function pairWith({
  url,
  tunnel_id,
  role,
  code,
  proxies,
}: {
  readonly url: string;
  readonly tunnel_id: string;
  readonly role: TunnelRole;
  readonly code: string;
  readonly proxies?: NetworkProxies | undefined;
}): Promise<string> {
  const { socket, reader, ...opening } = await openSocket(url, { proxies });
  try {
    const keys = newPairingKeys();
    say(socket, { type: "pair", version: 1, role, tunnel_id, key: keys.key });
    const { key: tunnelKey } = await expected(reader, "pair_key");
    const exchange = { tunnel_id, role, callerKey: keys.key, tunnelKey };
    const secrets = await pairingSecrets(code, { keys, theirKey: tunnelKey, exchange });
    if (secrets === undefined) throw new TunnelRefusal("refused", "the other side sent a key that is none");
    say(socket, { type: "pair_proof", mac: secrets.callerMac.toString("hex") });
    const { mac } = await expected(reader, "paired");
    if (!isPairingMac(mac, secrets.tunnelMac))
      throw new TunnelRefusal("refused", "the other side does not know the pairing code: do not use this address");
    return secrets.sharedKey;
  } finally {
    reader.end();
    opening.settle();
    socket.close();
  }
}

/** Undefined: it does not begin a pairing. */
export function pairRequestOf(message: EarlyMessage): PairRequest | undefined {
  const parsed = parse(message);
  return parsed?.type === "pair" ? parsed : undefined;
}

async function expected<Type extends "pair_key" | "paired">(
  reader: HandshakeReader,
  type: Type,
): Promise<Extract<PairingMessage, { type: Type }>> {
  const message = await nextOf(reader);
  if (message.type === "error") throw new TunnelRefusal("refused", message.error);
  if (message.type !== type) throw new TunnelRefusal("refused", "the other side does not speak this protocol");
  return message as Extract<PairingMessage, { type: Type }>;
}

async function nextOf(reader: HandshakeReader): Promise<PairingMessage> {
  const message = parse(await reader.take());
  if (message === undefined) throw new TunnelRefusal("refused", "the other side does not know how to pair");
  return message;
}

function parse({ data, isBinary }: EarlyMessage): PairingMessage | undefined {
  if (isBinary || data.length > LIMITS.tunnelHandshakeBytes) return undefined;
  try {
    return PairingMessage.safeParse(JSON.parse(data.toString("utf8"))).data;
  } catch {
    return undefined;
  }
}

function say(socket: WebSocket, message: PairingMessage): void {
  socket.send(JSON.stringify(message));
}

function placeOf(id: string, role: TunnelRole): string {
  return `${role} ${id}`;
}
