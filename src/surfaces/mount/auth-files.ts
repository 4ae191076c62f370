import { z } from "zod";
import {
  ClaudeTunnel,
  ClaudeTunnelStatus,
  SignedAuthResponse,
  TunnelAuthChallenge,
  TunnelEndpoint,
} from "../../protocol/index.ts";
import { may } from "../../gate/index.ts";
import type { MountContext } from "./context.ts";
import { json, parseWritten } from "./json.ts";
import { ADMIN, ANYBODY } from "./rights.ts";
import type { FileNode } from "./tree.ts";
import { tunnelsOf, tunnelSetting, tunnelSummary, usableTunnels } from "./tunnels.ts";

/** What an admin reads and writes: the summary's fields with the rest. Secrets are files elsewhere; here is only their path. */
const AdminTunnel = TunnelEndpoint.partial({ url: true }).extend({ auth_type: z.string().optional() });

/** The tunnels, who may use them, and how an agent proves who it is. */
export function authFiles(context: MountContext): readonly FileNode[] {
  const { gateway } = context;
  return [
    {
      path: "auth/tunnels",
      summary: "The tunnels that are configured, without secrets; only admins write it",
      content: "json",
      read: {
        ...ANYBODY,
        answer: z.array(z.union([ClaudeTunnel.strict(), AdminTunnel])),
        run: async ({ caller }) =>
          may(caller.role, "policy.write") === "no"
            ? tunnelsOf(context).map(tunnelSummary)
            : tunnelsOf(context).map(tunnelSetting),
      },
      write: {
        ...ADMIN,
        json: z.array(AdminTunnel),
        run: ({ caller }, text) => {
          const written = parseWritten(z.array(AdminTunnel), json(text));
          const tunnels = written.map(({ auth_type: _shown, ...tunnel }) => tunnel);
          return gateway.tunnels.replace(caller, tunnels);
        },
      },
    },
    {
      path: "auth/status",
      summary: "Which tunnels you may use now: whether you proved who you are, with which key, until when",
      content: "json",
      read: {
        ...ANYBODY,
        answer: z.array(ClaudeTunnelStatus),
        run: ({ caller }) => gateway.tunnelAuth.status(caller, usableTunnels(context)),
      },
    },
    {
      path: "auth/challenge",
      summary: "Read the challenges of tunnels; sign one with /identity/sign and write the response here",
      content: "json",
      read: {
        needs: "identity.use",
        answer: z.array(TunnelAuthChallenge),
        run: async ({ caller }) => gateway.tunnelAuth.challenges(caller, usableTunnels(context)),
      },
      write: {
        needs: "identity.use",
        json: SignedAuthResponse,
        run: ({ caller }, text) => gateway.tunnelAuth.respond(caller, json(text), usableTunnels(context)),
      },
    },
  ];
}
