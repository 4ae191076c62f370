import type { SessionMode, SessionModeState } from "@agentclientprotocol/sdk";
import { PERMISSION_MODE_LABELS, PermissionMode, type Autonomy, type SessionSettings } from "../../protocol/index.ts";

const MODES: Readonly<Record<PermissionMode, { readonly name: string; readonly description: string }>> = {
  default: { name: "Default", description: "As the policy says" },
  sdk: { name: PERMISSION_MODE_LABELS.sdk, description: "Asks before it changes anything" },
  toolApproval: { name: PERMISSION_MODE_LABELS.toolApproval, description: "Asks before it changes anything" },
  mcpApproval: { name: "Review & Approve (MCP)", description: "Asks before it changes anything" },
  mcpProxy: { name: "Review & Approve (MCP proxy)", description: "Asks before it changes anything" },
  acceptEdits: { name: "Accept Edits", description: "Changes files without asking, asks before it runs anything" },
  plan: { name: "Plan", description: "Reads and plans, changes nothing" },
  dontAsk: { name: "Don't Ask", description: "What would have to be asked for is refused" },
  bypassPermissions: {
    name: PERMISSION_MODE_LABELS.bypassPermissions,
    description: "Does everything that the policy allows, without asking",
  },
};

/** The modes that a person picks from; another one is shown only if a session has it. */
const OFFERED: readonly PermissionMode[] = [
  "default",
  "sdk",
  "toolApproval",
  "acceptEdits",
  "plan",
  "dontAsk",
  "bypassPermissions",
];

/** A session without a mode has only its autonomy. */
export function currentMode(mode: PermissionMode | undefined, autonomy: Autonomy): PermissionMode {
  return mode ?? (autonomy === "full" ? "bypassPermissions" : "default");
}

export function modesOf({
  permission_mode,
  autonomy,
}: Pick<SessionSettings, "permission_mode" | "autonomy">): SessionModeState {
  const currentModeId = currentMode(permission_mode, autonomy);
  const ids = OFFERED.includes(currentModeId) ? OFFERED : [...OFFERED, currentModeId];
  return { currentModeId, availableModes: ids.map(offer) };
}

function offer(id: PermissionMode): SessionMode {
  const { name, description } = MODES[id];
  return { id, name, description };
}

export function modeNamed(id: string): PermissionMode | undefined {
  return PermissionMode.safeParse(id).data;
}
