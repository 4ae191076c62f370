import { z } from "zod";
import {
  ClaudeCreated,
  ClaudeMountUsage,
  ClaudePolicy,
  ClaudeProxyMetrics,
  ClaudeProxyStatus,
  ClaudeRequest,
} from "../../protocol/index.ts";
import type { MountContext } from "./context.ts";
import { create } from "./create.ts";
import { usageOfMount } from "./reserve.ts";
import { authFiles } from "./auth-files.ts";
import { ProxyAllowlist, readAllowlist, readPolicy, writeAllowlist, writePolicy } from "./policy-file.ts";
import { providerFiles, statusOf } from "./provider-files.ts";
import { ADMIN, ANYBODY } from "./rights.ts";
import type { FileNode } from "./tree.ts";
import { outcomes, poolFiles, workerFiles } from "./worker-files.ts";

/** Everything but the sessions. */
export function rootFiles(context: MountContext): readonly FileNode[] {
  return [
    {
      path: "new",
      summary: "Write a request, read the new session's id on the same handle",
      content: "json",
      write: {
        needs: "session.create",
        call: true,
        json: ClaudeRequest,
        answer: ClaudeCreated,
        run: ({ caller }, text) => create(context, caller, text),
      },
    },
    {
      path: "policy",
      summary: "What sessions made here may do; only admins write it",
      content: "json",
      read: { ...ANYBODY, answer: ClaudePolicy, run: ({ caller }) => readPolicy(context, caller) },
      write: { ...ADMIN, json: ClaudePolicy, run: ({ caller }, text) => writePolicy(context, caller, text) },
    },
    {
      path: "usage",
      summary: "Money of the newest turn and of this day (UTC), the caller's own",
      content: "json",
      read: { needs: "usage.read", answer: ClaudeMountUsage, run: ({ caller }) => usageOfMount(context, caller) },
    },
    ...providerFiles(context),
    ...workerFiles(context),
    ...poolFiles(context),
    ...proxyFiles(context),
    ...authFiles(context),
  ];
}

function proxyFiles(context: MountContext): readonly FileNode[] {
  const { gateway, metrics } = context;
  return [
    {
      path: "proxy/status",
      summary: "The model proxy: every request of every engine passes it",
      content: "json",
      read: {
        ...ANYBODY,
        answer: ClaudeProxyStatus,
        run: async ({ caller }): Promise<ClaudeProxyStatus> => {
          const offered = await gateway.providers.offered(caller);
          return {
            status: "healthy",
            providers: Object.fromEntries(
              await Promise.all(offered.map(async (provider) => [provider.id, await statusOf(provider)] as const)),
            ),
          };
        },
      },
    },
    {
      path: "proxy/allowlist",
      summary: "The hosts of providers that sessions made here may reach; only admins write it",
      content: "json",
      read: {
        ...ANYBODY,
        answer: z.array(z.string()),
        run: ({ caller }) => readAllowlist(context, caller),
      },
      write: {
        ...ADMIN,
        json: ProxyAllowlist,
        run: ({ caller }, text) => writeAllowlist(context, caller, text),
      },
    },
    {
      path: "proxy/metrics",
      summary: "Model requests, and refused ones where the caller may see everybody's",
      content: "json",
      read: {
        needs: "usage.read",
        answer: ClaudeProxyMetrics,
        run: async ({ caller }): Promise<ClaudeProxyMetrics> => {
          const { requests } = (await gateway.usage.report(caller, { by: ["engine"], limit: 1 })).total;
          const blocked = await outcomes({ gateway, metrics }, caller, "refused");
          return { requests, ...(blocked === undefined ? {} : { blocked }) };
        },
      },
    },
  ];
}
