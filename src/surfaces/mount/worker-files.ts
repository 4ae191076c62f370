import type { z } from "zod";
import { may } from "../../gate/index.ts";
import {
  ClaudePoolMetrics,
  ClaudePoolStatus,
  ClaudeWorkerIsolation,
  ClaudeWorkerMetrics,
  ClaudeWorkerSessions,
  ClaudeWorkerStatus,
  LIMITS,
  PoolChange,
  PoolConfig,
  type WorkerView,
} from "../../protocol/index.ts";
import type { Caller } from "../../sessions/index.ts";
import type { MountContext } from "./context.ts";
import { json, parseWritten } from "./json.ts";
import { ADMIN, ANYBODY } from "./rights.ts";
import type { FileNode } from "./tree.ts";

export function workerFiles({ gateway }: MountContext): readonly FileNode[] {
  const file = (name: string, shown: Pick<FileNode, "summary"> & WorkerFile): FileNode => ({
    path: `workers/:worker/${name}`,
    summary: shown.summary,
    content: "json",
    read: {
      ...ANYBODY,
      answer: shown.answer,
      run: async ({ caller, name: id }) => shown.of(gateway.workers.get(caller, id)),
    },
  });
  return [
    file("status", {
      summary: "Whether the worker is idle, busy or unhealthy",
      answer: ClaudeWorkerStatus,
      // The document has no word for one that is being prepared: it cannot be used yet.
      of: ({ state }): ClaudeWorkerStatus => ({ status: state === "starting" ? "busy" : state }),
    }),
    file("isolation", {
      summary: "Behind what walls the worker runs",
      answer: ClaudeWorkerIsolation,
      of: ({ sandbox, network = "host" }): ClaudeWorkerIsolation => ({ isolation: sandbox, network }),
    }),
    file("sessions", {
      summary: "How many sessions the worker has",
      answer: ClaudeWorkerSessions,
      of: ({ sessions }): ClaudeWorkerSessions => ({ sessions }),
    }),
    file("metrics", {
      summary: "Turns that ran on the worker, those that failed, and the mean time to an answer",
      answer: ClaudeWorkerMetrics,
      of: ({ requests, errors, latency_ms = null }): ClaudeWorkerMetrics => ({ requests, latency_ms, errors }),
    }),
  ];
}

interface WorkerFile {
  readonly answer: z.ZodType;
  readonly of: (worker: WorkerView) => unknown;
}

export function poolFiles({ gateway, metrics }: MountContext): readonly FileNode[] {
  return [
    {
      path: "pool/config",
      summary: "How many workers there may be, and when one more is prepared; only admins write it",
      content: "json",
      read: { ...ANYBODY, answer: PoolConfig, run: async ({ caller }) => gateway.workers.pool(caller).config },
      write: {
        ...ADMIN,
        json: PoolChange,
        run: async ({ caller }, text) => {
          await gateway.workers.configure(caller, parseWritten(PoolChange, json(text)));
        },
      },
    },
    {
      path: "pool/status",
      summary: "Workers, who waits for one, and the engines' processes: at work, idle, and started ahead of time",
      content: "json",
      read: {
        ...ANYBODY,
        answer: ClaudePoolStatus,
        run: async ({ caller }): Promise<ClaudePoolStatus> => {
          const { working, idle, warm } = gateway.pool;
          const pool = gateway.workers.pool(caller);
          return {
            total_workers: pool.workers,
            idle_workers: pool.idle,
            busy_workers: pool.busy,
            unhealthy_workers: pool.unhealthy,
            max_workers: pool.config.max_workers,
            waiting_sessions: pool.waiting,
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

/** Model requests with this outcome since the server started. Absent: not counted, or not for this caller. */
export async function outcomes(
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
