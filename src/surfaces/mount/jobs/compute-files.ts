import {
  ClaudeMountUsage,
  claudeUsage,
  ComputeCreated,
  ComputePolicy,
  ComputePolicyChange,
  computePolicyOf,
  ComputeRequest,
  ComputeResponse,
  ComputeStatus,
  FileFailure,
  withComputePolicy,
} from "../../../protocol/index.ts";
import { profileOfMount, type MountContext } from "../context.ts";
import { json, parseWritten } from "../json.ts";
import { followOutput, measureOutput, readOutput, watchOutput } from "../output.ts";
import { setProfile } from "../policy-file.ts";
import { providerFiles } from "../provider-files.ts";
import { usageOfMount } from "../reserve.ts";
import type { FileNode, FilePlace } from "../tree.ts";
import { stopFile } from "./control-file.ts";
import { createComputation } from "./create-job.ts";

/** The files of `/compute`: one model call each. */
export function computeFiles(context: MountContext): readonly FileNode[] {
  return [
    {
      path: "new",
      summary: "Write a request, read the new job's id on the same handle",
      content: "json",
      write: {
        needs: "session.create",
        call: true,
        json: ComputeRequest,
        answer: ComputeCreated,
        run: ({ caller }, text) => createComputation(context, caller, text),
      },
    },
    policyFile(context),
    {
      path: "usage",
      summary: "Money of the newest turn and of this day (UTC), the caller's own",
      content: "json",
      read: { needs: "usage.read", answer: ClaudeMountUsage, run: ({ caller }) => usageOfMount(context, caller) },
    },
    // There is no tunnel to ask a model through.
    ...providerFiles(context).filter(({ path }) => !path.startsWith("providers/tunnel/")),
    ...jobFiles(context),
  ];
}

function policyFile(context: MountContext): FileNode {
  return {
    path: "policy",
    summary: "Which models may be asked here, and for how much; only admins write it",
    content: "json",
    read: {
      needs: "policy.read",
      answer: ComputePolicy,
      run: async ({ caller }) => computePolicyOf(profileOfMount(context, caller).profile),
    },
    write: {
      needs: "policy.write",
      json: ComputePolicyChange,
      run: ({ caller }, text) => {
        const policy = parseWritten(ComputePolicyChange, json(text));
        return setProfile(context, caller, (profile) => withComputePolicy(profile, policy));
      },
    },
  };
}

function jobFiles(context: MountContext): readonly FileNode[] {
  const reads = { needs: "session.read" } as const;
  return [
    {
      path: "jobs/:id/status",
      summary: "Whether the model has answered",
      content: "json",
      read: { ...reads, answer: ComputeStatus, run: (place) => statusOf(context, place) },
    },
    {
      path: "jobs/:id/result",
      summary: "The answer with usage and cost, once there is one",
      content: "json",
      read: { ...reads, answer: ComputeResponse, run: (place) => resultOf(context, place) },
    },
    {
      path: "jobs/:id/stream",
      summary: "The answer as one text that only grows; can be followed and watched",
      content: "text",
      read: { ...reads, run: (place) => readOutput(context, place) },
      grows: {
        measure: (place) => measureOutput(context, place),
        follow: (place, options) => followOutput(context, place, options),
        watch: (place, options) => watchOutput(context, place, options),
      },
    },
    stopFile(context, "jobs"),
  ];
}

async function statusOf({ gateway }: MountContext, { caller, name }: FilePlace): Promise<ComputeStatus> {
  const { status, updated_at, error } = await gateway.jobs.get(caller, "compute", name);
  return {
    job_id: name,
    status: status === "waiting" ? "pending_approval" : status,
    since: updated_at,
    ...(error === undefined ? {} : { error }),
  };
}

/** EAGAIN while there is none, EIO where the call failed. */
async function resultOf({ gateway }: MountContext, { caller, name }: FilePlace): Promise<ComputeResponse> {
  const view = await gateway.jobs.get(caller, "compute", name);
  if (view.status === "failed") throw new FileFailure("EIO", "conflict", view.error ?? "it failed");
  if (view.status !== "complete")
    throw new FileFailure("EAGAIN", "conflict", `not ready: it is ${view.status}; read status, or follow stream`);
  return {
    job_id: view.id,
    output: {
      text: view.text ?? "",
      finish_reason: view.stop_reason ?? "",
      ...(view.embeddings === undefined ? {} : { embeddings: view.embeddings }),
    },
    usage: claudeUsage(view.usage),
    cost_usd: view.cost_microusd,
    provider_id: view.provider,
    model: view.model,
  };
}
