import { EnvHttpProxyAgent, type Agent, type Dispatcher } from "undici";

/** The network's proxies for requests to providers, as in `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. */
export interface NetworkProxies {
  /** For `http:` addresses, and for `https:` ones without their own proxy. */
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  /** Hosts that are reached directly, separated by commas; `*`: all. This machine always is. */
  readonly direct?: string | undefined;
}

const THIS_MACHINE = "localhost,127.0.0.1,::1,[::1]";

/** A dispatcher that uses those proxies; undefined if there are none. */
export function throughProxies(proxies: NetworkProxies, options: Agent.Options): Dispatcher | undefined {
  const { http = "", https = "", direct = "" } = proxies;
  if ((http === "" && https === "") || direct.trim() === "*") return undefined;
  return new EnvHttpProxyAgent({
    ...options,
    // An empty text stops the library from reading the environment.
    httpProxy: http,
    httpsProxy: https === "" ? http : https,
    noProxy: direct === "" ? THIS_MACHINE : `${direct},${THIS_MACHINE}`,
  });
}
