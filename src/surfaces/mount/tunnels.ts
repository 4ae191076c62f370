import type { ClaudeTunnel, TunnelEndpoint } from "../../protocol/index.ts";
import type { MountContext } from "./context.ts";

export const NO_TUNNELS = "tunnels cannot be used on this server yet: leave tunnel_endpoint out";

export function tunnelsOf({ setting }: Pick<MountContext, "setting">): readonly TunnelEndpoint[] {
  return setting?.tunnels ?? [];
}

export function authType({ auth }: TunnelEndpoint): string {
  return typeof auth === "string" ? auth : auth.type;
}

export function tunnelSummary(tunnel: TunnelEndpoint): ClaudeTunnel {
  return { id: tunnel.id, url: tunnel.url, auth_type: authType(tunnel) };
}
