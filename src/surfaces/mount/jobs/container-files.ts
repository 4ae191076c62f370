import { z } from "zod";
import {
  ClaudeMountUsage,
  ClaudeSessionUsage,
  ContainerCreated,
  ContainerPolicy,
  ContainerPolicyChange,
  containerPolicyOf,
  ContainerProvider,
  ContainerRequest,
  ContainerResponse,
  ContainerStatus,
  ExecCreated,
  ExecRequest,
  Failure,
  FileFailure,
  PendingToolInfo,
  pendingToolInfo,
  shownInList,
  shownInStatus,
  ToolApproval,
  withContainerPolicy,
  type ContainerView,
} from "../../../protocol/index.ts";
import { answer } from "../approve.ts";
import { profileOfMount, type MountContext } from "../context.ts";
import { json, parseWritten } from "../json.ts";
import { pendingOf } from "../pending.ts";
import { setProfile } from "../policy-file.ts";
import { usageOfMount } from "../reserve.ts";
import { usageOf } from "../session-files.ts";
import { watchOutput } from "../output.ts";
import type { FileNode, FilePlace } from "../tree.ts";
import { stopFile } from "./control-file.ts";
import { createContainer } from "./create-job.ts";
import { followResults, measureResults, readResults } from "./results-text.ts";

const ANYBODY = { needs: "policy.read" } as const;
const reads = { needs: "session.read" } as const;

/** The files of `/containers`: commands that run in a sandbox. */
export function containerFiles(context: MountContext): readonly FileNode[] {
  return [
    {
      path: "new",
      summary: "Write commands, read the new session's id on the same handle",
      content: "json",
      write: {
        needs: "session.create",
        call: true,
        json: ContainerRequest,
        answer: ContainerCreated,
        run: ({ caller }, text) => createContainer(context, caller, text),
      },
    },
    policyFile(context),
    {
      path: "usage",
      summary: "Money of the newest turn and of this day (UTC), the caller's own",
      content: "json",
      read: { needs: "usage.read", answer: ClaudeMountUsage, run: ({ caller }) => usageOfMount(context, caller) },
    },
    ...(["info", "health"] as const).map((file): FileNode => ({
      path: `providers/:provider/${file}`,
      summary: file === "info" ? "One kind of sandbox" : "Whether it works here, or what to install",
      content: "json",
      read: { ...ANYBODY, answer: ContainerProvider, run: (place) => sandboxNamed(context, place) },
    })),
    ...sessionFiles(context),
    ...questionFiles(context),
  ];
}

function policyFile(context: MountContext): FileNode {
  return {
    path: "policy",
    summary: "What commands may use here; only admins write it",
    content: "json",
    read: {
      ...ANYBODY,
      answer: ContainerPolicy,
      run: async ({ caller }) => containerPolicyOf(profileOfMount(context, caller).profile),
    },
    write: {
      needs: "policy.write",
      json: ContainerPolicyChange,
      run: ({ caller }, text) => {
        const policy = parseWritten(ContainerPolicyChange, json(text));
        return setProfile(context, caller, (profile) => withContainerPolicy(profile, policy));
      },
    },
  };
}

function sessionFiles(context: MountContext): readonly FileNode[] {
  return [
    {
      path: "sessions/:id/status",
      summary: "The state of the commands, with the question that waits",
      content: "json",
      read: { ...reads, answer: ContainerStatus, run: (place) => statusOf(context, place) },
    },
    {
      path: "sessions/:id/result",
      summary: "What the commands wrote and how they ended, once they have",
      content: "json",
      read: { ...reads, answer: ContainerResponse, run: (place) => resultOf(context, place) },
    },
    {
      path: "sessions/:id/output",
      summary:
        "What the commands that ended wrote, as one text that only grows; watch it for what they write meanwhile",
      content: "text",
      read: { ...reads, run: (place) => readResults(context, place) },
      grows: {
        measure: (place) => measureResults(context, place),
        follow: (place, options) => followResults(context, place, options),
        watch: (place, options) => watchOutput(context, place, options),
      },
    },
    execFile(context),
    {
      path: "sessions/:id/usage",
      summary: "Cost of the commands: none, unless they began sessions",
      content: "json",
      read: { needs: "usage.read", answer: ClaudeSessionUsage, run: (place) => usageOf(context, place) },
    },
    stopFile(context, "sessions"),
  ];
}

/** Of an interactive container. */
function execFile(context: MountContext): FileNode {
  const { gateway, path } = context;
  return {
    path: "sessions/:id/exec",
    summary: "Write a command to an interactive container, read its exec_id on the same handle",
    content: "json",
    write: {
      needs: "session.control",
      call: true,
      json: ExecRequest,
      answer: ExecCreated,
      run: async ({ caller, name }, text): Promise<ExecCreated> => {
        // Rights first: what a stranger writes is not examined.
        const { settings } = await gateway.jobs.session(caller, "containers", name);
        if (settings.job?.interactive !== true)
          throw new Failure("conflict", `${name} is not interactive: it ends with its own commands`);
        const { command } = parseWritten(ExecRequest, json(text));
        const { turn_id, queued } = await gateway.sessions.prompt(caller, name, { text: command }, undefined);
        const folder = `${path}/sessions/${name}`;
        return { exec_id: turn_id, queued, output_path: `${folder}/output`, result_path: `${folder}/result` };
      },
    },
  };
}

function questionFiles(context: MountContext): readonly FileNode[] {
  return [
    {
      path: "sessions/:id/tools/pending",
      summary: "Commands that wait for a person",
      content: "json",
      read: {
        needs: "approval.read",
        answer: z.array(PendingToolInfo),
        run: async ({ caller, name, measure }) => {
          const pending = await pendingOf(context.gateway, caller, await viewOf(context, { caller, name }));
          if (measure !== true) context.questions.put(caller, name, shownInList(pending.map(({ id }) => id)));
          return pending.map(pendingToolInfo);
        },
      },
    },
    {
      path: "sessions/:id/tools/approve",
      summary: 'Write approve or reject, or {"approved": true}',
      content: "text",
      write: {
        needs: "approval.answer",
        json: ToolApproval,
        text: "`approve`, or `reject` and why; the id of a question may follow the word",
        run: ({ caller, name, shown }, text) => answer(context, caller, { id: name, text, shown }),
      },
    },
  ];
}

function viewOf(
  { gateway }: MountContext,
  { caller, name }: Pick<FilePlace, "caller" | "name">,
): Promise<ContainerView> {
  return gateway.jobs.get(caller, "containers", name);
}

const STATES = {
  pending: "provisioning",
  running: "running",
  waiting: "pending_approval",
  complete: "complete",
  failed: "failed",
} as const;

async function statusOf(context: MountContext, { caller, name, measure }: FilePlace): Promise<ContainerStatus> {
  const { gateway, questions } = context;
  const view = await viewOf(context, { caller, name });
  const [asked] = await pendingOf(gateway, caller, view);
  if (measure !== true) questions.put(caller, name, shownInStatus(questions.get(caller, name), asked?.id));
  const { status, exit_code, error, updated_at } = view;
  return {
    session_id: name,
    status: status === "waiting" && asked === undefined ? "running" : STATES[status],
    since: updated_at,
    ...(exit_code === undefined ? {} : { exit_code }),
    ...(error === undefined ? {} : { error }),
    ...(asked === undefined ? {} : pendingToolInfo(asked)),
  };
}

async function resultOf(context: MountContext, place: FilePlace): Promise<ContainerResponse> {
  const { id, status, error, exit_code, results, cost_microusd, sandbox } = await viewOf(context, place);
  if (status === "failed" && results.length === 0) throw new FileFailure("EIO", "conflict", error ?? "it failed");
  const isOpen = results.some(({ turn_id }) => turn_id !== undefined) && status === "running";
  if (status !== "complete" && status !== "failed" && !isOpen)
    throw new FileFailure("EAGAIN", "conflict", `not ready: it is ${status}; read status, or follow output`);
  return {
    session_id: id,
    exit_code: exit_code ?? null,
    output: results.map(({ output }) => `${output}\n`).join(""),
    command_results: results.map(({ duration_ms = 0, turn_id, ...result }) => ({
      ...(turn_id === undefined ? {} : { exec_id: turn_id }),
      ...result,
      exit_code: result.exit_code ?? null,
      duration_ms: Math.round(duration_ms),
    })),
    cost_usd: cost_microusd,
    duration_ms: Math.round(results.reduce((sum, { duration_ms = 0 }) => sum + duration_ms, 0)),
    provider_id: sandbox,
  };
}

async function sandboxNamed({ gateway }: MountContext, { name }: FilePlace): Promise<ContainerProvider> {
  const found = (await gateway.describeSandboxes()).find(({ id }) => id === name);
  if (found === undefined) throw new Failure("not_found", `there is no sandbox ${name}`);
  const { id, available, advice } = found;
  const status = available ? "available" : "unavailable";
  return { id, status, default: found.default === true, ...(advice === undefined ? {} : { message: advice }) };
}
