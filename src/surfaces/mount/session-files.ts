import { z } from "zod";
import {
  ClaudeContext,
  ClaudeForked,
  ClaudeResponse,
  ClaudeSessionStatus,
  ClaudeSessionUsage,
  claudeUsage,
  escapeHidden,
  Failure,
  ForkSession,
  LIMITS,
  PendingToolInfo,
  pendingToolInfo,
  shownInList,
  SubmitPrompt,
  ToolApproval,
  ToolLog,
} from "../../protocol/index.ts";
import type { Caller } from "../../sessions/index.ts";
import { changesFile } from "./changes-file.ts";
import { answer } from "./approve.ts";
import type { MountContext } from "./context.ts";
import { journalOf, lastTurnOf } from "./journal.ts";
import { json, parseWritten } from "./json.ts";
import { followOutput, measureOutput, readOutput, watchOutput } from "./output.ts";
import { pendingOf } from "./pending.ts";
import { boundOf, heldFor, responseOf, statusOf } from "./session-status.ts";
import type { FileNode, FilePlace } from "./tree.ts";

export function sessionFiles(context: MountContext): readonly FileNode[] {
  const reads = { needs: "session.read" } as const;
  return [
    {
      path: "sessions/:id/status",
      summary: "The state of the session, with the oldest open question",
      content: "json",
      read: { ...reads, answer: ClaudeSessionStatus, run: (place) => statusOf(context, place) },
    },
    {
      path: "sessions/:id/response",
      summary: "The last answer, once there is one",
      content: "text",
      read: { ...reads, run: async (place) => `${(await responseOf(context, place)).response ?? ""}\n` },
    },
    {
      path: "sessions/:id/response.json",
      summary: "The same with usage and cost",
      content: "json",
      read: { ...reads, answer: ClaudeResponse, run: (place) => responseOf(context, place) },
    },
    {
      path: "sessions/:id/output",
      summary: "What the agent says and does, as one text that only grows; can be followed and watched",
      content: "text",
      read: { ...reads, run: (place) => readOutput(context, place) },
      grows: {
        measure: (place) => measureOutput(context, place),
        follow: (place, options) => followOutput(context, place, options),
        watch: (place, options) => watchOutput(context, place, options),
      },
    },
    {
      path: "sessions/:id/context",
      summary: "What the conversation is about",
      content: "json",
      read: { ...reads, answer: ClaudeContext, run: (place) => contextOf(context, place) },
    },
    {
      path: "sessions/:id/error",
      summary: "Why your last write was refused, or what went wrong in the session; empty: nothing",
      content: "text",
      read: { ...reads, run: (place) => errorOf(context, place) },
    },
    {
      path: "sessions/:id/usage",
      summary: "Tokens and cost of the session",
      content: "json",
      read: { needs: "usage.read", answer: ClaudeSessionUsage, run: (place) => usageOf(context, place) },
    },
    changesFile(context),
    ...controlFiles(context),
    ...toolFiles(context),
  ];
}

function controlFiles(context: MountContext): readonly FileNode[] {
  const controls = { needs: "session.control" } as const;
  return [
    {
      path: "sessions/:id/prompt",
      summary: "Write a prompt; it waits if a turn is open",
      content: "text",
      write: { ...controls, text: "The prompt", run: (place, text) => prompt(context, place, text) },
    },
    {
      path: "sessions/:id/fork",
      summary: "A new session that begins with this one's journal",
      content: "json",
      write: {
        ...controls,
        call: true,
        json: ForkSession,
        answer: ClaudeForked,
        run: (place, text) => fork(context, place, text),
      },
    },
    {
      path: "sessions/:id/ctl",
      summary: "Write stop, pause, resume or interrupt",
      content: "text",
      write: {
        ...controls,
        text: "`stop`, `pause`, `resume` or `interrupt`",
        run: ({ caller, name }, text) => control(context, caller, { id: name, command: text.trim() }),
      },
    },
  ];
}

function toolFiles(context: MountContext): readonly FileNode[] {
  return [
    {
      path: "sessions/:id/tools/log",
      summary: "Every tool call and what became of it, a line of JSON each",
      content: "text",
      read: { needs: "session.read", run: (place) => toolLog(context, place) },
    },
    {
      path: "sessions/:id/tools/pending",
      summary: "Tool calls that wait for a person, the oldest first",
      content: "json",
      read: { needs: "approval.read", answer: z.array(PendingToolInfo), run: (place) => pendingTools(context, place) },
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

async function prompt({ gateway }: MountContext, { caller, name }: FilePlace, text: string): Promise<void> {
  const submit = parseWritten(SubmitPrompt, { text: text.replace(/\r?\n$/, "") });
  await gateway.sessions.prompt(caller, name, submit, undefined);
}

async function contextOf({ gateway }: MountContext, { caller, name }: FilePlace): Promise<ClaudeContext> {
  const view = await gateway.sessions.get(caller, name);
  const { response } = await lastTurnOf(gateway, caller, view);
  const { settings } = view;
  return {
    session_id: view.id,
    latest_response: response ?? null,
    title: view.title,
    turns: view.turns,
    queued: view.queue.map(({ text }) => text),
    engine: settings.engine,
    provider_id: settings.provider,
    model: settings.model,
    workspace: settings.workspace,
    autonomy: settings.autonomy,
    profile: settings.profile,
    ...(settings.tools === undefined ? {} : { tools: settings.tools }),
    ...(settings.tool_config === undefined ? {} : { tool_config: settings.tool_config }),
    ...(settings.max_context_tokens === undefined ? {} : { max_context_tokens: settings.max_context_tokens }),
    ...(view.forked_from === undefined ? {} : { forked_from: view.forked_from }),
    created_at: view.created_at,
    usage: claudeUsage(view.usage),
  };
}

async function errorOf({ gateway, errors }: MountContext, { caller, name }: FilePlace): Promise<string> {
  const view = await gateway.sessions.get(caller, name);
  const own = errors.get(caller, name) ?? view.error?.message;
  if (own !== undefined) return `${own}\n`;
  const { ended } = await lastTurnOf(gateway, caller, view);
  return ended?.type === "turn.failed" ? `${ended.error.message}\n` : "";
}

export async function usageOf({ gateway }: MountContext, { caller, name }: FilePlace): Promise<ClaudeSessionUsage> {
  const [view, usage] = await Promise.all([gateway.sessions.get(caller, name), gateway.usage.session(caller, name)]);
  const tokens = claudeUsage(usage);
  return {
    session_id: name,
    ...tokens,
    cost_usd: usage.cost_microusd,
    ...boundOf(usage),
    reserved_usd: heldFor(view, usage),
    ...(usage.limit_microusd === undefined ? {} : { limit_usd: usage.limit_microusd }),
    ...(usage.remaining_microusd === undefined ? {} : { remaining_usd: usage.remaining_microusd }),
    usage: tokens,
  };
}

async function fork(context: MountContext, { caller, name }: FilePlace, text: string): Promise<ClaudeForked> {
  const wanted = parseWritten(ForkSession, text.trim() === "" ? {} : json(text));
  const child = await context.gateway.sessions.fork(caller, name, wanted, undefined);
  return { session_id: child.id, ...pathsOf(context, child.id) };
}

/** The paths to continue from here. */
export function pathsOf({ path }: Pick<MountContext, "path">, id: string) {
  const folder = `${path}/sessions/${id}`;
  return {
    status_path: `${folder}/status`,
    output_path: `${folder}/output`,
    response_path: `${folder}/response`,
    prompt_path: `${folder}/prompt`,
  };
}

type SessionVerb = (gateway: MountContext["gateway"], caller: Caller, id: string) => Promise<unknown>;

/** Prompts behind an interrupted turn begin with `resume`. */
const VERBS: Readonly<Record<string, SessionVerb>> = {
  stop: ({ sessions }, caller, id) => sessions.close(caller, id),
  pause: ({ sessions }, caller, id) => sessions.pause(caller, id),
  resume: ({ sessions }, caller, id) => sessions.resume(caller, id),
  interrupt: ({ sessions }, caller, id) => sessions.interrupt(caller, id, { hold_queue: true }),
};

async function control(
  { gateway }: MountContext,
  caller: Caller,
  { id, command }: { readonly id: string; readonly command: string },
): Promise<void> {
  const verb = Object.hasOwn(VERBS, command) ? VERBS[command] : undefined;
  if (verb === undefined) {
    // Rights first: what a stranger writes is not examined.
    await gateway.sessions.get(caller, id);
    throw new Failure("invalid_request", `unknown command; write one of: ${Object.keys(VERBS).join(", ")}`);
  }
  await verb(gateway, caller, id);
}

async function toolLog({ gateway }: MountContext, { caller, name }: FilePlace): Promise<string> {
  const view = await gateway.sessions.get(caller, name);
  const log = new ToolLog();
  const lines: string[] = [];
  let size = 0;
  for await (const page of journalOf(gateway, caller, view)) {
    for (const event of page) {
      const entry = log.next(event);
      if (entry === undefined) continue;
      const line = `${escapeHidden(JSON.stringify(entry))}\n`;
      size += line.length;
      if (size > LIMITS.mountReadBytes)
        throw new Failure(
          "payload_too_large",
          "this log is too long for a file; read it in pages: /api/sessions/:id/events",
        );
      lines.push(line);
    }
  }
  return lines.join("");
}

async function pendingTools(
  context: MountContext,
  { caller, name, measure }: FilePlace,
): Promise<readonly PendingToolInfo[]> {
  const { gateway, questions } = context;
  const pending = await pendingOf(gateway, caller, await gateway.sessions.get(caller, name));
  if (measure !== true) questions.put(caller, name, shownInList(pending.map(({ id }) => id)));
  return pending.map(pendingToolInfo);
}
