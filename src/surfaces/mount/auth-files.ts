import { z } from "zod";
import { ClaudeTunnel, ClaudeTunnelStatus, Failure, TunnelEndpoint } from "../../protocol/index.ts";
import type { MountContext } from "./context.ts";
import { json, parseWritten } from "./json.ts";
import type { FileNode } from "./tree.ts";
import { authType, tunnelsOf, tunnelSummary } from "./tunnels.ts";

const ANYBODY = { needs: "policy.read" } as const;

/** The configured tunnels; nothing can use them yet. */
export function authFiles(context: MountContext): readonly FileNode[] {
  return [
    {
      path: "auth/tunnels",
      summary: "The tunnels that are configured, without secrets",
      content: "json",
      read: { ...ANYBODY, answer: z.array(ClaudeTunnel), run: async () => tunnelsOf(context).map(tunnelSummary) },
      write: {
        needs: "policy.write",
        json: z.array(TunnelEndpoint),
        run: async ({ caller }, text) =>
          context.gateway.tunnels.replace(caller, parseWritten(z.array(TunnelEndpoint), json(text))),
      },
    },
    {
      path: "auth/status",
      summary: "Which tunnels would take a session",
      content: "json",
      read: {
        ...ANYBODY,
        answer: z.array(ClaudeTunnelStatus),
        run: async (): Promise<readonly ClaudeTunnelStatus[]> =>
          tunnelsOf(context).map((tunnel) => ({
            tunnel_id: tunnel.id,
            auth_type: authType(tunnel),
            authorized: authType(tunnel) === "none",
          })),
      },
    },
    {
      path: "auth/challenge",
      summary: "Challenges of tunnels, and the signed answers to them",
      content: "json",
      read: { ...ANYBODY, answer: z.array(z.unknown()), run: async () => [] },
      write: {
        needs: "session.create",
        json: z.object({ tunnel_id: z.string() }),
        run: async (_place, text) => {
          const { tunnel_id } = (json(text) ?? {}) as { readonly tunnel_id?: unknown };
          const known = tunnelsOf(context).some(({ id }) => id === tunnel_id);
          throw known
            ? new Failure("unsupported", "no challenge is open for this tunnel")
            : new Failure("not_found", `unknown tunnel: ${String(tunnel_id)}`);
        },
      },
    },
  ];
}
