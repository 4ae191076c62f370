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
  policyOfProfile,
  profileOfPolicy,
  WALLS,
  type Walls,
} from "../../protocol/index.ts";
import type { Caller, OfferedProvider } from "../../sessions/index.ts";
import { profileOfMount, type MountContext } from "./context.ts";
import { create } from "./create.ts";
import { usageOfMount } from "./reserve.ts";
import { authFiles } from "./auth-files.ts";
import { providerFiles, statusOf } from "./provider-files.ts";
import { json, parseWritten } from "./json.ts";
import type { FileNode } from "./tree.ts";

/** `policy.read` is what every role has: these files tell nothing of others. */
const ANYBODY = { needs: "policy.read" } as const;
const ADMIN = { needs: "policy.write" } as const;

/** Everything but the sessions. */
export function houseFiles(context: MountContext): readonly FileNode[] {
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

/** There are no workers apart from the engines' own processes, which `pool` tells of. */
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

function proxyFiles({ gateway, metrics }: MountContext): readonly FileNode[] {
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
            providers: Object.fromEntries(offered.map((provider) => [provider.id, statusOf(provider)])),
          };
        },
      },
    },
    {
      path: "proxy/allowlist",
      summary: "The hosts that the proxy reaches: those of the providers",
      content: "json",
      read: {
        ...ANYBODY,
        answer: z.array(z.string()),
        run: async ({ caller }) => hostsOf(await gateway.providers.offered(caller)),
      },
      write: {
        ...ADMIN,
        json: z.array(z.string()),
        run: fixed("the proxy reaches its providers and nothing else: change them with sallyport provider"),
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

function hostsOf(offered: readonly OfferedProvider[]): readonly string[] {
  return [...new Set(offered.flatMap(({ hosts }) => hosts))].filter((host) => host !== "unix").toSorted();
}

/** Model requests since the server began that went so. Absent: not counted, or not for this caller. */
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

/** Who may write is told apart from what can be written: an admin learns that it cannot, others that they may not. */
function fixed(why: string): () => Promise<never> {
  return () => Promise.reject(new Failure("unsupported", why));
}

/** What holds now: no walls but those of the machine's own user. */
async function wallsOf({ gateway, setting }: MountContext, caller: Caller): Promise<Required<Walls>> {
  const wanted = setting?.policy ?? {};
  return {
    allowed_tunnels: wanted.allowed_tunnels ?? [],
    isolation_mode: wanted.isolation_mode ?? "local",
    network_mode: wanted.network_mode ?? "host",
    repo_filter: wanted.repo_filter ?? "none",
    proxy_allowlist: [...(wanted.proxy_allowlist ?? hostsOf(await gateway.providers.offered(caller)))],
  };
}

async function readPolicy(context: MountContext, caller: Caller): Promise<ClaudePolicy> {
  return policyOfProfile(profileOfMount(context, caller).profile, await wallsOf(context, caller));
}

async function writePolicy(context: MountContext, caller: Caller, text: string): Promise<void> {
  const { gateway } = context;
  const wantedPolicy = parseWritten(ClaudePolicy, json(text));
  const walls = await wallsOf(context, caller);
  for (const field of WALLS) {
    const wanted = wantedPolicy[field];
    if (wanted !== undefined && JSON.stringify(wanted) !== JSON.stringify(walls[field]))
      throw new Failure(
        "unsupported",
        `${field} is set under mounts in sallyport.yaml; here it can only stay as it is`,
      );
  }
  const { name, profile } = profileOfMount(context, caller);
  const current = gateway.policy.get(caller);
  // Only what was set through the API lies over the file: everything else stays the file's.
  const [newest] = await gateway.policy.history(caller);
  await gateway.policy.set(caller, {
    default_profile: current.default_profile,
    ...(newest?.policy.budget === undefined ? {} : { budget: newest.policy.budget }),
    profiles: { ...newest?.policy.profiles, [name]: profileOfPolicy(wantedPolicy, profile) },
  });
}
