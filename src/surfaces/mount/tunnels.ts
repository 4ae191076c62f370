import {
  FileFailure,
  Failure,
  globMatches,
  isTunnelProvider,
  TUNNEL_PREFIX,
  type ClaudeProvider,
  type ClaudeProviderHealth,
  type ClaudeTunnel,
  type Profile,
} from "../../protocol/index.ts";
import type { Caller, Gateway } from "../../sessions/index.ts";
import type { MountContext } from "./context.ts";

type ListedTunnel = Gateway["tunnels"]["settings"][number];

/** The document's name for all providers behind tunnels. */
const TUNNEL = "tunnel";

/** The tunnels of this mount, and those that an admin added while the server ran. */
export function tunnelsOf({
  gateway,
  setting,
  siblings,
}: Pick<MountContext, "gateway" | "setting" | "siblings">): readonly ListedTunnel[] {
  const own = new Set(setting?.tunnels?.map(({ id }) => id));
  return gateway.tunnels.settings.filter(({ id }) => own.has(id) || !siblings.has(id));
}

/** Those that the mount's policy lets agents use. */
export function usableTunnels(context: MountContext): readonly ListedTunnel[] {
  const allowed = context.setting?.policy?.allowed_tunnels ?? [];
  return tunnelsOf(context).filter(({ id }) => allowed.length === 0 || allowed.includes(id));
}

function authType({ auth }: Pick<ListedTunnel, "auth">): string {
  return typeof auth === "string" ? auth : auth.type;
}

export function tunnelSummary(tunnel: ListedTunnel): ClaudeTunnel {
  return { id: tunnel.id, url: tunnel.url ?? "", auth_type: authType(tunnel) };
}

/** The same with all that is set, for admins. Of a secret there is only the path. */
export function tunnelSetting(tunnel: ListedTunnel): ListedTunnel & Pick<ClaudeTunnel, "auth_type"> {
  return { ...tunnel, auth_type: authType(tunnel) };
}

/** `available` when one is connected, with what is wrong with the others. */
export function tunnelHealth(context: MountContext): ClaudeProviderHealth {
  const { tunnels } = context.gateway;
  const all = tunnelsOf(context);
  if (all.length === 0) return { status: "unavailable", message: "no tunnel is configured" };
  const broken = all.filter(({ id }) => tunnels.condition(id).state !== "connected");
  const words = ({ id }: ListedTunnel): string => {
    const { state, message: why = state } = tunnels.condition(id);
    return `${id}: ${why}`;
  };
  const message = broken.map(words).join("; ");
  if (broken.length === 0) return { status: "available" };
  return { status: broken.length === all.length ? "unavailable" : "degraded", message };
}

export function tunnelModels(context: MountContext): ClaudeProvider["models"] {
  const names = tunnelsOf(context).flatMap(({ id }) => context.gateway.tunnels.condition(id).models);
  return [...new Set(names)].map((name) => ({
    id: name,
    name,
    context_length: null,
    output_limit: null,
    pricing: NO_PRICING,
  }));
}

/** It depends on the tunnel; sessions are charged at its owner's prices. */
const NO_PRICING = {
  input_per_1k_microusd: 0,
  output_per_1k_microusd: 0,
  cache_read_per_1k_microusd: 0,
  cache_write_per_1k_microusd: 0,
};

/** The tunnel that a request names, in one way or the other. */
export function tunnelNamed(request: {
  readonly tunnel_endpoint?: string | undefined;
  readonly provider?: string | undefined;
}): string | undefined {
  const { tunnel_endpoint, provider } = request;
  if (tunnel_endpoint !== undefined) return tunnel_endpoint;
  return provider !== undefined && isTunnelProvider(provider) ? provider.slice(TUNNEL_PREFIX.length) : undefined;
}

/** Document 003's TunnelNotFound and TunnelAuthRequired, and what the policy refuses. */
export async function checkTunnel(context: MountContext, caller: Caller, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  const allowed = context.setting?.policy?.allowed_tunnels ?? [];
  if (allowed.length > 0 && !allowed.includes(id))
    throw new Failure("forbidden", `tunnel not allowed: ${id}; the policy allows ${allowed.join(", ")}`);
  const tunnel = tunnelsOf(context).find((known) => known.id === id);
  if (tunnel === undefined)
    throw new Failure("not_found", `tunnel not found: ${id}; read auth/tunnels for those that there are`);
  await context.gateway.tunnelAuth.require(caller, tunnel);
}

/** Document 003's TunnelRequired: a request for a tunnel that names none, or a policy that allows nothing else. */
export function requireTunnel({ allowed_providers = [] }: Profile, provider: string | undefined): void {
  const isTunnel = (name: string): boolean => name === TUNNEL || name.startsWith(TUNNEL_PREFIX);
  const onlyTunnels = allowed_providers.length > 0 && allowed_providers.every(isTunnel);
  if (provider === TUNNEL || (provider === undefined && onlyTunnels))
    throw new Failure("invalid_request", "tunnel required: name one as tunnel_endpoint; read auth/tunnels");
}

/** The provider of a session through a tunnel. It has to be connected, and to have the model. */
export async function tunnelProvider(
  { gateway }: MountContext,
  caller: Caller,
  asked: { readonly tunnel: string; readonly model: string; readonly profile: Profile },
): Promise<string> {
  const { tunnel, model, profile } = asked;
  const id = TUNNEL_PREFIX + tunnel;
  const nowhere = (why: string): Failure =>
    new Failure("provider_not_allowed", `no provider available for model ${model}: ${why}`);
  const { allowed_providers = [] } = profile;
  const isAllowed =
    allowed_providers.length === 0 ||
    [TUNNEL, id].some((name) => allowed_providers.some((glob) => globMatches(glob, name)));
  if (!isAllowed) throw nowhere("no provider matches policy filters");
  const ready = gateway.tunnels.ready(tunnel);
  // Nobody waits for a tunnel that was tried in vain: the next attempt begins now.
  if (gateway.tunnels.condition(tunnel).message === undefined) await ready;
  const { state, message = "it is not connected" } = gateway.tunnels.condition(tunnel);
  if (state === "refused") throw new FileFailure("EACCES", "forbidden", `tunnel auth required: ${tunnel}: ${message}`);
  if (state === "waiting")
    throw new FileFailure("EAGAIN", "model_unavailable", `the tunnel ${tunnel} is not connected: ${message}`);
  const offered = (await gateway.providers.offered(caller, model)).find((one) => one.id === id);
  if (offered?.priced !== undefined) return id;
  throw nowhere(`the tunnel ${tunnel} does not offer it`);
}
