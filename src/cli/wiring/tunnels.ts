import { join } from "node:path";
import { GATEWAY_IDENTITY } from "../../identity/index.ts";
import { Failure, type Log, type MountSettings, type Redactor, type TunnelEndpoint } from "../../protocol/index.ts";
import type { NetworkProxies } from "../../proxy/index.ts";
import type { Clock, IdentityDependencies, TunnelDependencies } from "../../sessions/index.ts";
import { EndpointBook } from "../../tunnels/index.ts";
import { replacePrivateFile } from "../home/private-file.ts";
import { SECRETS } from "./identity.ts";
import type { Settings } from "../settings/settings.ts";

interface TunnelWiring {
  readonly settings: Settings;
  readonly home: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly redact: Redactor;
  readonly identity: IdentityDependencies;
  readonly proxies: NetworkProxies;
}

/** What tunnels need of this machine. Nothing is connected yet. */
export function openTunnels(wiring: TunnelWiring): TunnelDependencies {
  const { settings, home, clock, log, redact, identity, proxies } = wiring;
  const learn = (value: string): void => redact.learn(value);
  const { secret, keys } = identity;
  const signer = (): ReturnType<TunnelDependencies["signer"]> => keys.identity(GATEWAY_IDENTITY);
  const challengeMs = settings.challengeSeconds.value * 1_000;
  return {
    endpoints: new EndpointBook({ secret, signer, clocks: clock, challengeMs, log, proxies }),
    proxies,
    settings: endpointsOf(settings.mounts?.value ?? {}),
    secret,
    signer,
    keepSecret: async (id, value) => {
      learn(value);
      const path = `tunnels/${id}`;
      await replacePrivateFile(join(home, SECRETS, path), `${value}\n`);
      return path;
    },
  };
}

/** The tunnels of all mounts. One name is one tunnel. */
function endpointsOf(mounts: MountSettings): readonly TunnelEndpoint[] {
  const all = Object.values(mounts).flatMap((mount) =>
    mount !== undefined && "tunnels" in mount ? (mount.tunnels ?? []) : [],
  );
  for (const [index, endpoint] of all.entries()) {
    const first = all.findIndex(({ id }) => id === endpoint.id);
    if (first !== index && JSON.stringify(all[first]) !== JSON.stringify(endpoint))
      throw new Failure(
        "invalid_request",
        `sallyport.yaml names two different tunnels ${endpoint.id}: give one of them another id`,
      );
  }
  return all.filter(({ id }, index) => all.findIndex((other) => other.id === id) === index);
}
