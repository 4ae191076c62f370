import { may } from "../../gate/index.ts";
import {
  claudeUsage,
  FileFailure,
  pendingToolInfo,
  shownInStatus,
  type Approval,
  type ClaudeResponse,
  type ClaudeSessionStatus,
  type SessionUsage,
  type SessionView,
} from "../../protocol/index.ts";
import type { Caller, Gateway } from "../../sessions/index.ts";
import type { MountContext } from "./context.ts";
import { lastTurnOf, type LastTurn } from "./journal.ts";
import { pendingOf } from "./pending.ts";
import type { FilePlace } from "./tree.ts";
import { tunnelNamed } from "./tunnels.ts";

export async function statusOf(
  context: MountContext,
  { caller, name, measure }: FilePlace,
): Promise<ClaudeSessionStatus> {
  const { gateway, questions } = context;
  const view = await gateway.sessions.get(caller, name);
  const pending = await pendingOf(gateway, caller, view);
  const [asked] = pending;
  if (measure !== true) questions.put(caller, name, shownInStatus(questions.get(caller, name), asked?.id));
  return {
    session_id: view.id,
    status: view.status === "pending_approval" && asked === undefined ? "working" : view.status,
    since: asked?.created_at ?? view.updated_at,
    ...(await stateOf(gateway, caller, { view, asked })),
    ...(view.error === undefined ? {} : { error: view.error.message }),
    ...(asked === undefined ? {} : { ...pendingToolInfo(asked), pending: pending.length }),
    ...(view.queue.length === 0 ? {} : { queued: view.queue.length }),
  };
}

/** Document 003's fields for each state. */
async function stateOf(
  gateway: Gateway,
  caller: Caller,
  { view, asked }: { readonly view: SessionView; readonly asked: Approval | undefined },
): Promise<Partial<ClaudeSessionStatus>> {
  const activity = await gateway.activity.read(caller, view.id);
  const begun = activity.turn_started_at === undefined ? {} : { started_at: activity.turn_started_at };
  const answered = activity.turn_ended_at === undefined ? {} : { last_response_at: activity.turn_ended_at };
  switch (view.status) {
    case "creating":
      return { started_at: view.created_at };
    case "ready":
      return { created_at: view.created_at };
    case "working":
      return { ...begun, current_tool: activity.current_tool ?? null };
    case "pending_approval":
      return asked === undefined ? { ...begun, current_tool: activity.current_tool ?? null } : begun;
    case "idle":
    case "paused":
    case "queued":
      return answered;
    case "failed":
      return { at: view.updated_at };
    case "complete":
      if (may(caller.role, "usage.read") === "no") return {};
      return resultOf(gateway, caller, { view, last: await lastTurnOf(gateway, caller, view) });
  }
}

/** EAGAIN while there is none, EIO where the last turn failed without one. */
export async function responseOf({ gateway }: MountContext, { caller, name }: FilePlace): Promise<ClaudeResponse> {
  const view = await gateway.sessions.get(caller, name);
  if (view.status === "failed")
    throw new FileFailure("EIO", "conflict", view.error?.message ?? `session ${name} has failed`);
  const last =
    view.turn_id === undefined && view.queue.every(({ held }) => held === true)
      ? await lastTurnOf(gateway, caller, view)
      : {};
  if (last.ended === undefined)
    throw new FileFailure(
      "EAGAIN",
      "conflict",
      `session not ready: it is ${view.status}; read status, or follow output`,
    );
  if (last.response === undefined && last.ended.type === "turn.failed")
    throw new FileFailure("EIO", "conflict", `the last turn failed: ${last.ended.error.message}`);
  return { session_id: view.id, status: view.status, ...(await resultOf(gateway, caller, { view, last })) };
}

/** What a session has produced so far. */
async function resultOf(
  gateway: Gateway,
  caller: Caller,
  { view, last }: { readonly view: SessionView; readonly last: LastTurn },
): Promise<Omit<ClaudeResponse, "session_id" | "status">> {
  const usage = await gateway.usage.session(caller, view.id);
  return {
    response: last.response ?? null,
    usage: claudeUsage(usage),
    cost_usd: usage.cost_microusd,
    ...boundOf(usage),
    reserved_usd: heldFor(view, usage),
    provider_id: view.settings.provider,
    model: view.settings.model,
    tunnel_endpoint: tunnelNamed(view.settings) ?? null,
  };
}

/** The part of a cost that was not measured. */
export function boundOf({ bound_microusd }: Pick<SessionUsage, "bound_microusd">): { bound_usd?: number } {
  return bound_microusd === 0 ? {} : { bound_usd: bound_microusd };
}

/** What the session may still spend, and so what is reserved for it: nothing once it has ended. */
export function heldFor(
  { status }: Pick<SessionView, "status">,
  usage: Pick<SessionUsage, "reserved_microusd" | "remaining_microusd">,
): number {
  if (status === "complete" || status === "failed") return usage.reserved_microusd;
  return usage.reserved_microusd + (usage.remaining_microusd ?? 0);
}
