import { randomUUID } from "node:crypto";
import type { WebSocket } from "ws";
import { LIMITS } from "../protocol/index.ts";
import { say } from "./dial.ts";
import { handshakeOf, HandshakeReader, TunnelRefusal, type LinkAuthenticator, type LinkParty } from "./handshake.ts";
import { TunnelLink, type LinkBounds, type LinkEvents } from "./link.ts";
import { pairRequestOf, type PairingBook } from "./pairing.ts";

/** WebSocket close codes for "not let in" and "too many". */
const CLOSE_REFUSED = 4401;
const CLOSE_BUSY = 4429;

/** One tunnel that others connect to. */
export interface AcceptedTunnel {
  readonly authenticator: LinkAuthenticator;
  /** Whether the connecting side must prove who it is. */
  readonly needsProof: boolean;
  /** A new link, before anything is sent over it. */
  open(link: TunnelLink, from: { readonly party: LinkParty; readonly isPlain: boolean }): LinkEvents;
}

export interface AcceptorOptions {
  /** Undefined: there is none of that name for that side. `role`: of the connecting side. */
  find(tunnel_id: string, role: "home" | "gateway"): AcceptedTunnel | undefined;
  readonly bounds?: LinkBounds | undefined;
  /** Codes with which others can pair. Absent: nobody can. */
  readonly pairings?: PairingBook | undefined;
}

/** Where a WebSocket came from. */
interface Arrival {
  /** The peer's address. Undefined: a unix socket. */
  readonly address: string | undefined;
  /** The tunnel that the address names, for clients that know only document 003's messages. */
  readonly tunnel_id?: string | undefined;
}

interface KnownLink {
  readonly link: TunnelLink;
  readonly place: string;
}

/** Accepts connections of other machines, and resumes a cut link for the side that proves to own it. */
export class TunnelAcceptor {
  readonly #options: AcceptorOptions;
  readonly #links = new Map<string, KnownLink>();
  #handshakes = 0;

  constructor(options: AcceptorOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  async accept(socket: WebSocket, arrival: Arrival): Promise<void> {
    socket.on("error", () => socket.terminate());
    if (this.#handshakes >= LIMITS.tunnelHandshakes) {
      socket.close(CLOSE_BUSY, "too many connections: try again in a moment");
      return;
    }
    this.#handshakes += 1;
    const timer = setTimeout(() => socket.terminate(), LIMITS.tunnelHandshakeMs);
    const reader = new HandshakeReader(socket);
    try {
      await this.#greet(socket, reader, arrival);
    } catch (error) {
      reader.end();
      const words = error instanceof TunnelRefusal ? error.message : "something went wrong here";
      if (socket.readyState === socket.OPEN) say(socket, { type: "error", session_id: "", error: words });
      socket.close(CLOSE_REFUSED, words.slice(0, 100));
    } finally {
      clearTimeout(timer);
      this.#handshakes -= 1;
    }
  }

  /** Ends all links of a tunnel. */
  close(tunnel_id: string, role: "home" | "gateway", reason: string): void {
    const place = placeOf(tunnel_id, role);
    for (const known of this.#links.values()) if (known.place === place) known.link.close(reason);
  }

  closeAll(reason: string): void {
    for (const { link } of this.#links.values()) link.close(reason);
  }

  async #greet(socket: WebSocket, reader: HandshakeReader, arrival: Arrival): Promise<void> {
    const first = await reader.peek();
    const asked = pairRequestOf(first);
    if (asked !== undefined && this.#options.pairings !== undefined) {
      await reader.take();
      await this.#options.pairings.accept(socket, reader, asked);
      reader.end();
      return;
    }
    const hello = handshakeOf(first);
    const isPlain = hello?.type !== "hello";
    if (!isPlain) await reader.next();
    const role = isPlain ? "gateway" : hello.role;
    const tunnel_id = isPlain ? arrival.tunnel_id : hello.tunnel_id;
    if (tunnel_id === undefined || (arrival.tunnel_id !== undefined && arrival.tunnel_id !== tunnel_id))
      throw new TunnelRefusal("refused", "unknown tunnel: name it in the address, or in the first message");
    const tunnel = this.#options.find(tunnel_id, role);
    if (tunnel === undefined) throw new TunnelRefusal("refused", `unknown tunnel: ${tunnel_id}`);
    const held = isPlain && hello?.type !== "auth" ? reader.end() : [];
    const proofReader = held.length > 0 ? new HandshakeReader(socket) : reader;
    const party = await prove(socket, proofReader, { tunnel, tunnel_id, address: arrival.address });
    if (isPlain) {
      this.#newLink({ tunnel, party, isPlain, place: placeOf(tunnel_id, role) }).attach(socket, NOTHING, [
        ...held,
        ...proofReader.end(),
      ]);
      return;
    }
    const place = placeOf(tunnel_id, role);
    const known = hello.link === undefined ? undefined : this.#links.get(hello.link.id);
    const again =
      hello.link !== undefined && known?.place === place && known.link.canResume(hello.link) ? known.link : undefined;
    const link = again ?? this.#newLink({ tunnel, party, isPlain, place });
    const proof = party.proof === undefined ? {} : { proof: party.proof };
    say(socket, { type: "welcome", link: { id: link.id, ...link.received }, ...proof });
    link.attach(socket, again === undefined || hello.link === undefined ? NOTHING : hello.link, reader.end());
  }

  #newLink({
    tunnel,
    party,
    isPlain,
    place,
  }: {
    readonly tunnel: AcceptedTunnel;
    readonly party: LinkParty;
    readonly isPlain: boolean;
    readonly place: string;
  }): TunnelLink {
    this.#makeRoom(place);
    const link = new TunnelLink(
      (made) => {
        const events = tunnel.open(made, { party, isPlain });
        return {
          ...events,
          closed: (reason) => {
            this.#links.delete(made.id);
            events.closed(reason);
          },
        };
      },
      { bounds: this.#options.bounds, isPlain },
    );
    this.#links.set(link.id, { link, place });
    return link;
  }

  /** A cut link that nobody resumed goes first, then the oldest. */
  #makeRoom(place: string): void {
    const links = [...this.#links.values()].filter((known) => known.place === place);
    if (links.length < LIMITS.tunnelLinks) return;
    const oldest = links.find(({ link }) => !link.isConnected) ?? links[0];
    oldest?.link.close("newer connections took its place");
  }
}

const NOTHING = { bytes: 0, messages: 0 };

function placeOf(tunnel_id: string, role: "home" | "gateway"): string {
  return `${role} ${tunnel_id}`;
}

/** Who is at the other side. Rejects if that is not proved. */
async function prove(
  socket: WebSocket,
  reader: HandshakeReader,
  asked: {
    readonly tunnel: AcceptedTunnel;
    readonly tunnel_id: string;
    readonly address: string | undefined;
  },
): Promise<LinkParty> {
  const { tunnel, tunnel_id, address } = asked;
  const { authenticator } = tunnel;
  if (!tunnel.needsProof) return valueOf(authenticator.admitLocal({ tunnel_id, address }));
  const caller = randomUUID();
  try {
    say(socket, { type: "challenge", challenge: { ...valueOf(authenticator.issue({ tunnel_id, caller })) } });
    const answer = await reader.next();
    if (answer.type !== "auth") throw new TunnelRefusal("refused", "tunnel auth required: answer the challenge first");
    return valueOf(await authenticator.verify({ caller, response: answer.response }));
  } finally {
    authenticator.forget(caller);
  }
}

function valueOf<Value>(
  judged: { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly message: string },
): Value {
  if (!judged.ok) throw new TunnelRefusal("refused", judged.message);
  return judged.value;
}
