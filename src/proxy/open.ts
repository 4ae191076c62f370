import { LIMITS } from "../protocol/index.ts";
import { BodyAllowance } from "./http/body.ts";
import { Door } from "./http/door.ts";
import type { ProxyState, ProxyOptions } from "./state.ts";
import { reserveElsewhere } from "./elsewhere.ts";
import { ApiKeyRing, KeyRing } from "./keys.ts";
import { listen, type CallerBounds } from "./http/listen.ts";
import { PriceMemory } from "./price-memory.ts";
import type { ModelProxy } from "./proxy.ts";
import { RequestRates } from "./rates.ts";
import { UncertainCharges } from "./uncertain.ts";
import { Upstreams } from "./http/upstream.ts";

const BOUNDS: CallerBounds = {
  headersMs: LIMITS.proxyHeadersMs,
  requestMs: LIMITS.proxyRequestMs,
  connections: LIMITS.proxyConnections,
};

/** Opens the model proxy on its own listeners. Reservations still open when it closes are settled at their bound. */
export async function openProxy(options: ProxyOptions, bounds: CallerBounds = BOUNDS): Promise<ModelProxy> {
  const state: ProxyState = {
    options,
    rates: new RequestRates(options.elapsed),
    prices: new PriceMemory(options.prices),
    allowance: new BodyAllowance(),
    upstreams: new Upstreams(options.networkProxies ?? {}, options.tunnels),
    uncertain: new UncertainCharges(options.elapsed),
    watched: new Set(),
    time: options.elapsed(),
    closing: false,
  };
  const { connections } = bounds;
  const keys = new KeyRing();
  const apiKeys = new ApiKeyRing();
  const door = new Door(state, { connections, keys });
  const apiDoor = new Door(state, { connections, keys: apiKeys });
  const { home, tcpPort } = options;
  const listeners = await listen({ home, tcpPort, door, newId: () => options.newId("req"), bounds });
  const sweep = setInterval(() => {
    state.time = options.elapsed();
    for (const watched of state.watched) watched.check(state.time);
    state.rates.sweep();
    state.prices.forget();
  }, LIMITS.proxySweepMs);
  sweep.unref();
  return {
    socketUrl: listeners.socketUrl,
    tcpUrl: listeners.tcpUrl,
    openSocket: (path) => listeners.open(path),
    post: (request, signal) => door.post(request, signal),
    reserveTurn: async (key, asked) => {
      const owner = keys.find({ "x-api-key": key });
      if (owner === undefined) return keys.unknown;
      const reserved = await reserveElsewhere(state, owner, asked);
      return "failure" in reserved ? reserved.failure : reserved;
    },
    lease: (holder, again) => keys.lease(holder, again),
    apiKeys: {
      add: (key, holder) => apiKeys.add(key, holder),
      handle: (request, response, from) => apiDoor.handleBelow(request, response, from),
      answer: (hash, request, response) => apiDoor.handleFor(apiKeys.ofHash(hash), request, response),
      idOf: ({ headers }) => apiKeys.idOf(headers),
    },
    get openRequests() {
      return door.requests + apiDoor.requests;
    },
    get sessionKeys() {
      return keys.size;
    },
    close: async () => {
      state.closing = true;
      clearInterval(sweep);
      for (const watched of state.watched) watched.close();
      await listeners.close();
      await state.upstreams.close();
    },
  };
}
