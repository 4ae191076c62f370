import { z } from "zod";
import { LIMITS } from "../../limits.ts";
import { MicroUsd } from "../../models/money.ts";
import { Autonomy } from "../../access/policy.ts";
import { SandboxChoice, WorkspaceMode } from "../../sessions/walls.ts";
import { ItemStatus } from "../../journal/items.ts";
import { PendingToolInfo } from "./answers.ts";
import { ClaudeUsage, optional } from "./types.ts";

/** What document 003's siblings of `/claude` hold. All money is micro-USD. */

const count = z.number().int().nonnegative();
const key = optional(z.string().min(1).max(200)).describe("The same key within an hour answers the same job");
const maxCost = optional(MicroUsd).describe("The most the job may cost, in micro-USD: 1000000 is one dollar");
const timeout = optional(z.number().int().min(1).max(LIMITS.jobTimeMaxMs)).describe(
  "How long it may run, milliseconds; waiting for a person does not count",
);

/** A field of the document that this server has nothing for. */
function unavailable(why: string) {
  return optional(z.unknown())
    .refine((value) => value === undefined, why)
    .describe(`Must be absent: ${why}`);
}

const ContainerLimits = z
  .object({
    max_time_secs: optional(
      z
        .number()
        .int()
        .min(1)
        .max(LIMITS.jobTimeMaxMs / 1_000),
    ).describe("How long all commands may run together, seconds"),
    max_memory_mb: optional(z.number().int().min(LIMITS.jobMemoryLeastMib).max(LIMITS.jobMemoryMaxMib)).describe(
      "Memory of everything that runs, MiB",
    ),
    max_output_chars: optional(z.number().int().min(1).max(LIMITS.jobOutputMaxChars)).describe(
      "A command that writes more is ended",
    ),
    max_disk_mb: unavailable("disk is not limited here; files in memory count as memory"),
    max_cpu_cores: unavailable("processor time is shared, not limited"),
    allow_network: optional(z.boolean()).describe("False: no network; absent or true: what the policy gives"),
  })
  .strict();

/** What is written to `/containers/new`. The fields below `timeout_ms` are ours. */
export const ContainerRequest = z
  .object({
    kind: z
      .enum(["ephemeral", "build", "interactive"], { error: "must be ephemeral, build or interactive" })
      .default("ephemeral")
      .describe(
        "ephemeral or build: it ends with its commands; interactive: it takes each at exec until it is stopped",
      ),
    commands: z
      .array(z.string().min(1).max(LIMITS.commandChars))
      .max(LIMITS.jobCommands)
      .default([])
      .describe("Command lines for bash, one after the other until one fails; none for interactive"),
    limits: optional(ContainerLimits).describe("What it may use"),
    image: unavailable("the server's own image or system is used"),
    repo: unavailable("nothing is cloned; name a workspace, or clone in a command"),
    workdir: unavailable("commands start in the workspace; use cd"),
    env: unavailable("set variables in the command, where they can be seen"),
    max_cost_usd: maxCost,
    idempotency_key: key,
    timeout_ms: timeout,
    sandbox: optional(SandboxChoice).describe("The walls around it; never weaker than the policy's"),
    workspace: optional(z.string().min(1).max(LIMITS.pathChars)).describe(
      "The folder to work in; absent: an empty one of its own",
    ),
    workspace_mode: optional(WorkspaceMode).describe("The folder itself, or files of its own"),
    autonomy: optional(Autonomy).describe("How much it may do unasked; never more than policy allows"),
    parent_session_id: optional(z.string().min(1).max(100)).describe("The session whose budget this one draws on"),
  })
  .strict();
export type ContainerRequest = z.infer<typeof ContainerRequest>;

/** What is written to `exec` as JSON. */
export const ExecRequest = z
  .object({ command: z.string().min(1).max(LIMITS.commandChars).describe("A command line for bash") })
  .strict();

/** What `exec` answers. */
export const ExecCreated = z.object({
  exec_id: z.string(),
  /** Others run before it. */
  queued: z.boolean(),
  output_path: z.string(),
  result_path: z.string(),
});
export type ExecCreated = z.infer<typeof ExecCreated>;

export const ContainerCreated = z.object({
  session_id: z.string(),
  status: z.literal("provisioning"),
  status_path: z.string(),
  output_path: z.string(),
  result_path: z.string(),
});
export type ContainerCreated = z.infer<typeof ContainerCreated>;

export const ContainerStatus = z.object({
  session_id: z.string(),
  status: z.enum(["provisioning", "running", "pending_approval", "complete", "failed"]),
  /** When it last changed. */
  since: z.string(),
  exit_code: z.number().int().optional(),
  error: z.string().optional(),
  /** With `pending_approval`: the oldest question. */
  ...PendingToolInfo.partial().shape,
});
export type ContainerStatus = z.infer<typeof ContainerStatus>;

/** The result of a container. Both streams of a command are one text. */
export const ContainerResponse = z.object({
  session_id: z.string(),
  exit_code: z.number().int().nullable(),
  output: z.string(),
  command_results: z.array(
    z.object({
      /** Of an interactive container: what `exec` answered. */
      exec_id: z.string().optional(),
      command: z.string(),
      status: ItemStatus,
      exit_code: z.number().int().nullable(),
      output: z.string(),
      duration_ms: count,
    }),
  ),
  cost_usd: count,
  duration_ms: count,
  /** The sandbox that it ran in. */
  provider_id: z.string(),
});
export type ContainerResponse = z.infer<typeof ContainerResponse>;

/** One kind of sandbox. */
export const ContainerProvider = z.object({
  id: z.string(),
  status: z.enum(["available", "unavailable"]),
  /** What to install. Absent: nothing. */
  message: z.string().optional(),
  /** Jobs that name no sandbox run in it. */
  default: z.boolean(),
});
export type ContainerProvider = z.infer<typeof ContainerProvider>;

const ChatInput = z
  .object({
    messages: z
      .array(
        z
          .object({
            role: z.enum(["system", "user", "assistant"]).describe("Who said it"),
            content: z.string().min(1).max(LIMITS.promptChars).describe("What was said"),
          })
          .strict(),
      )
      .min(1)
      .max(LIMITS.jobMessages)
      .describe("The conversation; the last message is the user's"),
    max_tokens: optional(z.number().int().min(1).max(1_000_000)).describe("The most tokens of the answer"),
  })
  .strict();

const CompleteInput = z
  .object({
    prompt: z.string().min(1).max(LIMITS.promptChars).describe("What to answer"),
    max_tokens: optional(z.number().int().min(1).max(1_000_000)).describe("The most tokens of the answer"),
  })
  .strict();

const EmbeddingsInput = z
  .object({
    texts: z
      .array(z.string().min(1).max(LIMITS.commandChars))
      .min(1)
      .max(LIMITS.embeddingTexts)
      .describe("The texts, each of which gets a vector"),
  })
  .strict();

/** What is written to `/compute/new`. The fields below `timeout_ms` are ours. */
export const ComputeRequest = z
  .object({
    model: z.string().min(1).max(200).describe("The model, such as claude-sonnet-5, or provider/model"),
    kind: z
      .enum(["chat", "complete", "embeddings"], {
        error: "must be chat, complete or embeddings: no provider of this server does anything else",
      })
      .default("chat")
      .describe("chat, complete or embeddings"),
    input: z.union([ChatInput, CompleteInput, EmbeddingsInput]).describe("messages, a prompt, or texts"),
    stream: z.boolean().default(false).describe("Not needed: stream can always be watched"),
    max_cost_usd: maxCost,
    idempotency_key: key,
    timeout_ms: timeout,
    provider: optional(z.string().min(1).max(100)).describe("Where the model is asked; absent: chosen by its name"),
    parent_session_id: optional(z.string().min(1).max(100)).describe("The session whose budget this one draws on"),
  })
  .strict();
export type ComputeRequest = z.infer<typeof ComputeRequest>;

export const ComputeCreated = z.object({
  job_id: z.string(),
  status: z.literal("pending"),
  status_path: z.string(),
  stream_path: z.string(),
  result_path: z.string(),
});
export type ComputeCreated = z.infer<typeof ComputeCreated>;

export const ComputeStatus = z.object({
  job_id: z.string(),
  /** `pending_approval`: more money is asked for. */
  status: z.enum(["pending", "running", "pending_approval", "complete", "failed"]),
  since: z.string(),
  error: z.string().optional(),
});
export type ComputeStatus = z.infer<typeof ComputeStatus>;

export const ComputeResponse = z.object({
  job_id: z.string(),
  output: z.object({
    text: z.string(),
    finish_reason: z.string(),
    /** Of embeddings: one vector for each text. */
    embeddings: z.array(z.array(z.number())).optional(),
  }),
  usage: ClaudeUsage,
  cost_usd: count,
  provider_id: z.string(),
  model: z.string(),
});
export type ComputeResponse = z.infer<typeof ComputeResponse>;
