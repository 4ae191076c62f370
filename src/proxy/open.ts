import { LIMITS } from "../protocol/index.ts";
import { BodyAllowance } from "./body.ts";
import { Door } from "./door.ts";
import type { House, ProxyOptions } from "./state.ts";
import { KeyRing } from "./keys.ts";
import { listen, type CallerBounds } from "./listen.ts";
import { PriceMemory } from "./price-memory.ts";
import type { ModelProxy } from "./proxy.ts";
import { Rates } from "./rates.ts";
import { UncertainCharges } from "./uncertain.ts";
import { Upstreams } from "./upstream.ts";

const BOUNDS: CallerBounds = {
  headersMs: LIMITS.proxyHeadersMs,
  requestMs: LIMITS.proxyRequestMs,
  connections: LIMITS.proxyConnections,
};

/** Opens the model proxy on its own listeners. Reservations that are open when it closes are settled to their bound. */
export async function openProxy(options: ProxyOptions, bounds: CallerBounds = BOUNDS): Promise<ModelProxy> {
  const house: House = {
    options,
    keys: new KeyRing(),
    rates: new Rates(options.elapsed),
    prices: new PriceMemory(options.prices),
    allowance: new BodyAllowance(),
    upstreams: new Upstreams(options.networkProxies ?? {}),
    uncertain: new UncertainCharges(options.elapsed),
    watched: new Set(),
    time: options.elapsed(),
    closing: false,
  };
  const door = new Door(house, bounds.connections);
  const { home, tcpPort } = options;
  const listeners = await listen({ home, tcpPort, door, newId: () => options.newId("req"), bounds });
  const sweep = setInterval(() => {
    house.time = options.elapsed();
    for (const watched of house.watched) watched.check(house.time);
    house.rates.sweep();
    house.prices.forget();
  }, LIMITS.proxySweepMs);
  sweep.unref();
  return {
    socketUrl: listeners.socketUrl,
    tcpUrl: listeners.tcpUrl,
    post: (request, signal) => door.post(request, signal),
    lease: (holder) => house.keys.lease(holder),
    get openRequests() {
      return door.requests;
    },
    get sessionKeys() {
      return house.keys.size;
    },
    close: async () => {
      house.closing = true;
      clearInterval(sweep);
      for (const watched of house.watched) watched.close();
      await listeners.close();
      await house.upstreams.close();
    },
  };
}
