import type {
  CreateTunnelOffer,
  SaveTunnel,
  TunnelOfferCreated,
  TunnelOfferView,
  TunnelReport,
  TunnelView,
} from "../protocol/index.ts";

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

  /** What this machine serves to remote parties. */
  offers(): Promise<{ offers: TunnelOfferView[] }> {
    return this.#call({ method: "GET", path: "/api/tunnel-offers" });
  }

  offer(offer: CreateTunnelOffer): Promise<TunnelOfferCreated> {
    return this.#call({ method: "POST", path: "/api/tunnel-offers", body: offer });
  }

  /** Cuts a remote party at once. */
  revoke(id: string): Promise<void> {
    return this.#call({ method: "DELETE", path: `/api/tunnel-offers/${encodeURIComponent(id)}` });
  }
}

function tunnelPath(id: string): string {
  return `/api/tunnels/${encodeURIComponent(id)}`;
}
