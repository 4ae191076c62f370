import type {
  CreateTunnelOffer,
  PairTunnel,
  PairTunnelOffer,
  SaveTunnel,
  TunnelOfferCreated,
  TunnelOfferView,
  TunnelPairingCode,
  TunnelReport,
  TunnelView,
} from "../../protocol/index.ts";

interface TunnelCall {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: object;
}

type CallServer = <Answer>(call: TunnelCall) => Promise<Answer>;

/** The part of the client that is about tunnels. */
export class TunnelCalls {
  readonly #call: CallServer;

  constructor(call: CallServer) {
    this.#call = call;
  }

  /** Other people's machines that answer model requests here. */
  list(): Promise<{ tunnels: TunnelView[] }> {
    return this.#call({ method: "GET", path: "/api/tunnels" });
  }

  save(id: string, tunnel: SaveTunnel): Promise<TunnelView> {
    return this.#call({ method: "PUT", path: tunnelPath(id), body: tunnel });
  }

  remove(id: string): Promise<void> {
    return this.#call({ method: "DELETE", path: tunnelPath(id) });
  }

  test(id: string): Promise<TunnelReport> {
    return this.#call({ method: "POST", path: `${tunnelPath(id)}/test` });
  }

  /** Pairs with a machine that shows a code, and adds its tunnel. */
  pair(id: string, request: PairTunnel): Promise<TunnelView> {
    return this.#call({ method: "POST", path: `${tunnelPath(id)}/pair`, body: request });
  }

  /** A code for the machine that connects to this gateway. */
  code(id: string): Promise<TunnelPairingCode> {
    return this.#call({ method: "POST", path: `${tunnelPath(id)}/pairing` });
  }

  /** What this machine serves to remote parties. */
  offers(): Promise<{ offers: TunnelOfferView[] }> {
    return this.#call({ method: "GET", path: "/api/tunnel-offers" });
  }

  offer(offer: CreateTunnelOffer): Promise<TunnelOfferCreated> {
    return this.#call({ method: "POST", path: "/api/tunnel-offers", body: offer });
  }

  /** Cuts a remote party at once. */
  revoke(id: string): Promise<void> {
    return this.#call({ method: "DELETE", path: offerPath(id) });
  }

  /** Cuts a remote party at once, and lets it not connect until the offer continues. */
  pauseOffer(id: string): Promise<TunnelOfferView> {
    return this.#call({ method: "POST", path: `${offerPath(id)}/pause` });
  }

  continueOffer(id: string): Promise<TunnelOfferView> {
    return this.#call({ method: "POST", path: `${offerPath(id)}/continue` });
  }

  /** A code for the gateway that connects to this machine. */
  offerCode(id: string): Promise<TunnelPairingCode> {
    return this.#call({ method: "POST", path: `${offerPath(id)}/pairing` });
  }

  /** Pairs with the gateway that an offer connects to, which shows a code. */
  pairOffer(id: string, request: PairTunnelOffer): Promise<TunnelOfferView> {
    return this.#call({ method: "POST", path: `${offerPath(id)}/pair`, body: request });
  }
}

function tunnelPath(id: string): string {
  return `/api/tunnels/${encodeURIComponent(id)}`;
}

function offerPath(id: string): string {
  return `/api/tunnel-offers/${encodeURIComponent(id)}`;
}
