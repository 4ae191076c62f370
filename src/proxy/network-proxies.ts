import { EnvHttpProxyAgent, type Agent, type Dispatcher } from "undici";

/** Proxies of the network that requests to providers pass, as `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` name them. */
export interface NetworkProxies {
  /** For `http:` addresses, and for `https:` ones where they have none of their own. */
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  /** Hosts that are reached directly, with commas between them; `*`: all. This machine always is. */
  readonly direct?: string | undefined;
}

const THIS_MACHINE = "localhost,127.0.0.1,::1,[::1]";

/** A way to an address through those proxies; undefined where there are none. */
export function throughProxies(proxies: NetworkProxies, options: Agent.Options): Dispatcher | undefined {
  const { http = "", https = "", direct = "" } = proxies;
  if ((http === "" && https === "") || direct.trim() === "*") return undefined;
  return new EnvHttpProxyAgent({
    ...options,
    // An empty text keeps it from the environment, which is not read here.
    httpProxy: http,
    httpsProxy: https === "" ? http : https,
    noProxy: direct === "" ? THIS_MACHINE : `${direct},${THIS_MACHINE}`,
  });
}
