import { Pool, type Dispatcher } from "undici";
import { Failure, isTunnelProvider, LIMITS, TUNNEL_PREFIX } from "../../protocol/index.ts";
import { throughProxies, type NetworkProxies } from "./network-proxies.ts";
import type { TunnelTransport } from "../state.ts";

const UNIX = "unix:";

/** Connections to one provider, and the prefix of its paths. */
export interface Upstream {
  readonly pool: Dispatcher;
  readonly origin: string;
  readonly prefix: string;
  /** For traces: the host and its port, or the path of a socket. */
  readonly server: { readonly address: string; readonly port?: number };
}

/** Connections to providers, by address. They stay open for a while; the oldest address goes first. */
export class Upstreams {
  readonly #upstreams = new Map<string, Upstream>();
  readonly #proxies: NetworkProxies;
  readonly #tunnels: TunnelTransport | undefined;
  #closed = false;

  constructor(proxies: NetworkProxies, tunnels?: TunnelTransport) {
    this.#proxies = proxies;
    this.#tunnels = tunnels;
  }

  to(baseUrl: string): Upstream {
    const known = this.#upstreams.get(baseUrl);
    if (known !== undefined) return known;
    if (this.#closed) throw new Failure("shutting_down", "the server is stopping");
    if (isTunnelProvider(baseUrl)) return throughTunnel(baseUrl, this.#tunnels);
    const upstream = open(baseUrl, this.#proxies);
    if (this.#upstreams.size >= LIMITS.proxyPools) this.#dropOldest();
    this.#upstreams.set(baseUrl, upstream);
    return upstream;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const open = [...this.#upstreams.values()];
    this.#upstreams.clear();
    await Promise.all(open.map(({ pool }) => pool.destroy()));
  }

  /** Its requests still run to their end. */
  #dropOldest(): void {
    for (const [baseUrl, { pool }] of this.#upstreams) {
      this.#upstreams.delete(baseUrl);
      void pool.close();
      return;
    }
  }
}

/** Not kept: the tunnel itself knows whether it is connected. */
function throughTunnel(baseUrl: string, tunnels: TunnelTransport | undefined): Upstream {
  const id = baseUrl.slice(TUNNEL_PREFIX.length);
  if (tunnels === undefined) throw new Failure("not_found", `tunnel not found: ${id}`);
  return { pool: tunnels.dispatcher(id), origin: "http://tunnel", prefix: "", server: { address: baseUrl } };
}

function open(baseUrl: string, proxies: NetworkProxies): Upstream {
  const shared = {
    connections: LIMITS.proxyUpstreamConnections,
    pipelining: 1,
    // The relay watches for silence: it knows whether it is the caller that does not read.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveMaxTimeout: LIMITS.proxyUpstreamIdleTlsMs * 2,
    connect: { timeout: LIMITS.proxyConnectMs },
  };
  if (baseUrl.startsWith(UNIX)) {
    const socketPath = baseUrl.slice(UNIX.length);
    return {
      pool: new Pool("http://localhost", { ...shared, keepAliveTimeout: LIMITS.proxyUpstreamIdleMs, socketPath }),
      origin: "http://localhost",
      prefix: "",
      server: { address: socketPath },
    };
  }
  const url = new URL(baseUrl);
  const keepAliveTimeout = url.protocol === "https:" ? LIMITS.proxyUpstreamIdleTlsMs : LIMITS.proxyUpstreamIdleMs;
  return {
    pool:
      throughProxies(proxies, { ...shared, keepAliveTimeout }) ?? new Pool(url.origin, { ...shared, keepAliveTimeout }),
    origin: url.origin,
    prefix: url.pathname === "/" ? "" : url.pathname.replace(/\/$/, ""),
    server: { address: url.hostname, port: Number(url.port) || (url.protocol === "https:" ? 443 : 80) },
  };
}
