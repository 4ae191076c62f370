import type { SallyportClient } from "../../../src/client/index.ts";
import {
  endToolItem,
  HOME_TOOL,
  isToolItem,
  startToolItem,
  TUNNEL_PREFIX,
  type Approval,
  type CreateSession,
  type StreamFrame,
  type ToolItem,
} from "../../../src/protocol/index.ts";
import type { TestApp } from "../../support/app.ts";
import { keepSecret } from "../../tunnels/two-servers.ts";
import type { Place } from "../../support/server.ts";

/** Calls of home as they were made there: the suite asks of them what it asks of every engine. */
export function asMadeAtHome<Frame extends StreamFrame>(frame: Frame): Frame {
  switch (frame.type) {
    case "item.started":
    case "item.completed":
      return isToolItem(frame.item) ? { ...frame, item: itemAtHome(frame.item) } : frame;
    case "approval.requested":
      return { ...frame, approval: approvalAtHome(frame.approval) };
    default:
      return frame;
  }
}

function itemAtHome(item: ToolItem): ToolItem {
  if (item.tool !== HOME_TOOL) return item;
  const { id, tool_use_id, status, output, is_error } = item;
  const { tool, input } = item.input as Pick<ToolItem, "tool" | "input">;
  const started = startToolItem({ id, tool_use_id, tool, input });
  if (status === "in_progress") return started;
  return endToolItem(started, { status, output: output ?? [], is_error: is_error ?? false });
}

export function approvalAtHome(approval: Approval): Approval {
  if (approval.tool !== HOME_TOOL) return approval;
  const { tool, input, preview } = approval.input as Pick<Approval, "tool" | "input" | "preview">;
  return { ...approval, tool, input, preview };
}

/** What a person here decides about a call at home. */
export function decidedHere({ input }: Approval, updated: Approval["input"]): Approval["input"] {
  const { tool, preview } = input;
  return { tool, input: updated, preview };
}

/** Makes the offer at home, and the endpoint at a gateway whose home is this folder. What its sessions need is returned. */
export async function pairWithHome(
  home: TestApp,
  gateway: { readonly client: SallyportClient; readonly place: Place },
  id: string,
): Promise<Pick<CreateSession, "provider" | "model">> {
  const { secret = "" } = await home.client.tunnels.offer({ id, auth: "psk", sessions: true, profile: "bench" });
  await keepSecret(gateway.place.home, id, secret);
  const url = `${home.serving.url.replace(/^http/, "ws")}/tunnel`;
  const auth = { type: "psk" as const, secret_path: `tunnels/${id}` };
  await gateway.client.tunnels.save(id, { url, auth });
  await gateway.client.tunnels.test(id);
  return { provider: `${TUNNEL_PREFIX}${id}`, model: "sim" };
}
