import { z } from "zod";
import { may } from "../../gate/index.ts";
import {
  ClaudeCreated,
  ClaudeMountUsage,
  ClaudePolicy,
  ClaudePoolMetrics,
  ClaudePoolStatus,
  ClaudeProxyMetrics,
  ClaudeProxyStatus,
  ClaudeRequest,
  Failure,
  LIMITS,
  PoolConfig,
} from "../../protocol/index.ts";
import type { Caller } from "../../sessions/index.ts";
import type { MountContext } from "./context.ts";
import { create } from "./create.ts";
import { usageOfMount } from "./reserve.ts";
import { authFiles } from "./auth-files.ts";
import { ProxyAllowlist, readAllowlist, readPolicy, writeAllowlist, writePolicy } from "./policy-file.ts";
import { providerFiles, statusOf } from "./provider-files.ts";
import type { FileNode } from "./tree.ts";

/** Every role has `policy.read`: these files reveal nothing about others. */
const ANYBODY = { needs: "policy.read" } as const;
const ADMIN = { needs: "policy.write" } as const;

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

/** There are no workers other than the engines' processes, which `pool` shows. */
function workerFiles(_context: MountContext): readonly FileNode[] {
  const none = ({ name }: { readonly name: string }): Promise<never> =>
    Promise.reject(new Failure("not_found", `there is no worker ${name}`));
  return (["status", "isolation", "sessions", "metrics"] as const).map((file) => ({
    path: `workers/:worker/${file}`,
    summary: `A worker's ${file}`,
    content: "json",
    read: { ...ANYBODY, answer: z.record(z.string(), z.unknown()), run: none },
  }));
}

function poolFiles({ gateway, metrics }: MountContext): readonly FileNode[] {
  return [
    {
      path: "pool/config",
      summary: "How many engines may run at once and how long an idle one stays",
      content: "json",
      read: {
        ...ANYBODY,
        answer: PoolConfig,
        run: async (): Promise<PoolConfig> => ({
          min_workers: 0,
          max_workers: LIMITS.engineProcesses,
          idle_timeout_secs: LIMITS.engineRestMs / 1_000,
          scale_up_threshold: 1,
        }),
      },
      write: { ...ADMIN, json: PoolConfig.partial(), run: fixed("the size of the pool is fixed in this version") },
    },
    {
      path: "pool/status",
      summary: "Workers, and the engines' processes: at work, idle, and started ahead of time",
      content: "json",
      read: {
        ...ANYBODY,
        answer: ClaudePoolStatus,
        run: async (): Promise<ClaudePoolStatus> => {
          const { working, idle, warm } = gateway.pool;
          return {
            total_workers: 0,
            idle_workers: 0,
            unhealthy_workers: 0,
            engines: { working, idle, warm, capacity: LIMITS.engineProcesses },
          };
        },
      },
    },
    {
      path: "pool/metrics",
      summary: "Model requests, and those that failed where the caller may see everybody's",
      content: "json",
      read: {
        needs: "usage.read",
        answer: ClaudePoolMetrics,
        run: async ({ caller }): Promise<ClaudePoolMetrics> => {
          const { requests } = (await gateway.usage.report(caller, { by: ["engine"], limit: 1 })).total;
          const errors = await outcomes({ gateway, metrics }, caller, "failed");
          return { total_requests: requests, ...(errors === undefined ? {} : { errors }) };
        },
      },
    },
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

/** Model requests with this outcome since the server started. Absent: not counted, or not for this caller. */
async function outcomes(
  { metrics }: Pick<MountContext, "gateway" | "metrics">,
  caller: Caller,
  outcome: string,
): Promise<number | undefined> {
  if (metrics === undefined || may(caller.role, "metrics.read") === "no") return undefined;
  let sum = 0;
  for (const line of (await metrics()).split("\n"))
    if (line.startsWith("sallyport_model_requests_total{") && line.includes(`outcome="${outcome}"`))
      sum += Number(line.slice(line.lastIndexOf(" ") + 1));
  return sum;
}

/** The right to write is checked before writability: an admin learns that it cannot be written, others that they may not. */
function fixed(why: string): () => Promise<never> {
  return () => Promise.reject(new Failure("unsupported", why));
}
