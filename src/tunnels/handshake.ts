import type { RawData, WebSocket } from "ws";
import { LIMITS, TunnelHandshake } from "../protocol/index.ts";
import type { EarlyMessage } from "./link.ts";

/** Whether something was let in, and if not, why. */
type Judged<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly message: string };

/** The side that was connected to: asks for proof and judges it. */
export interface LinkAuthenticator {
  issue(place: { readonly tunnel_id: string; readonly caller: string }): Judged<Readonly<Record<string, string>>>;
  verify(asked: { readonly caller: string; readonly response: unknown }): Promise<Judged<LinkParty>>;
  /** Lets connections of this machine in without proof. */
  admitLocal(asked: { readonly tunnel_id: string; readonly address: string | undefined }): Judged<LinkParty>;
  forget(caller: string): void;
}

/** Who is at the other side. */
export interface LinkParty {
  readonly kind: "none" | "nostr" | "psk";
  /** Absent: it has none. */
  readonly pubkey?: string | undefined;
  /** This side's own proof for the other side, with a pre-shared key. */
  readonly proof?: string | undefined;
}

/** The side that connects: proves who it is. */
export interface LinkCredential {
  answer(challenge: unknown): Promise<Judged<Readonly<Record<string, string>>>>;
  /** Whether the other side also proved that it has the pre-shared key. True if there is none. */
  isProof(proof: string | undefined, response: Readonly<Record<string, string>> | undefined): boolean;
}

/** Why a tunnel is not connected. `refused`: the other side refused; trying again soon is useless. */
export class TunnelRefusal extends Error {
  readonly kind: "refused" | "unreachable";

  constructor(kind: "refused" | "unreachable", message: string) {
    super(message);
    this.name = "TunnelRefusal";
    this.kind = kind;
  }
}

/** Reads the messages of a handshake one by one; what comes after it is kept for the link. */
export class HandshakeReader {
  readonly #socket: WebSocket;
  #early: EarlyMessage[] = [];
  #isOver = false;
  #bytes = 0;
  #wake: (() => void) | undefined = undefined;
  readonly #onMessage = (data: RawData, isBinary: boolean): void => {
    const piece = data as Buffer;
    this.#bytes += piece.length;
    // Nobody has proved anything yet: what it sends must not fill memory.
    if (this.#bytes > LIMITS.tunnelMessageBytes) {
      this.#early = [];
      this.#socket.terminate();
      return;
    }
    this.#early.push({ data: piece, isBinary });
    this.#wake?.();
  };
  readonly #onClose = (): void => {
    this.#isOver = true;
    this.#wake?.();
  };

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", this.#onMessage);
    socket.on("close", this.#onClose);
  }

  /** The next message, without taking it. Rejects when the connection ends. */
  async peek(): Promise<EarlyMessage> {
    for (;;) {
      const [first] = this.#early;
      if (first !== undefined) return first;
      if (this.#isOver) throw new TunnelRefusal("unreachable", "the other side closed the connection");
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** The next message, whatever it is. Rejects when the connection ends. */
  async take(): Promise<EarlyMessage> {
    const first = await this.peek();
    this.#early.shift();
    return first;
  }

  /** The next message of the handshake. Rejects if it is none. */
  async next(): Promise<TunnelHandshake> {
    const read = handshakeOf(await this.take());
    if (read === undefined) throw new TunnelRefusal("refused", "the other side does not speak this protocol");
    return read;
  }

  /** Stops reading. What arrived meanwhile belongs to the link. */
  end(): readonly EarlyMessage[] {
    this.#socket.off("message", this.#onMessage);
    this.#socket.off("close", this.#onClose);
    return this.#early;
  }
}

/** Undefined: it is not a message of the handshake. */
export function handshakeOf({ data, isBinary }: EarlyMessage): TunnelHandshake | undefined {
  if (isBinary || data.length > LIMITS.tunnelHandshakeBytes) return undefined;
  try {
    return TunnelHandshake.safeParse(JSON.parse(data.toString("utf8"))).data;
  } catch {
    return undefined;
  }
}
