import {
  Failure,
  type Autonomy,
  type PermissionMode,
  type Profile,
  type Role,
  type SessionSettings,
} from "../protocol/index.ts";
import { above } from "./policy.ts";
import { PLAN_TOOLS } from "./profiles.ts";
import { toolListed } from "./match.ts";

export interface NarrowRequest {
  readonly autonomy?: Autonomy | undefined;
  readonly permission_mode?: PermissionMode | undefined;
}

export interface Narrowed {
  readonly autonomy: Autonomy;
  readonly acceptEdits: boolean;
  readonly neverAsk: boolean;
}

/**
 * What each permission mode of document 001 and of the Agent SDK means here. `least`: the autonomy it cannot do without; a mode
 * that only promises to ask is content with less. `most`: the autonomy it never goes beyond.
 *
 * `plan` is not `read_only`, which refuses every tool: it keeps the tools that only read.
 */
const MODES: Readonly<Record<PermissionMode, { readonly most?: Autonomy; readonly least?: Autonomy }>> = {
  default: {},
  sdk: { most: "supervised" },
  toolApproval: { most: "supervised" },
  mcpApproval: { most: "supervised" },
  mcpProxy: { most: "supervised" },
  dontAsk: { most: "supervised" },
  plan: { most: "supervised" },
  // Edits without a question are more than `supervised` gives.
  acceptEdits: { most: "supervised", least: "full" },
  bypassPermissions: { most: "full", least: "full" },
};

/** What a mode changes beside the autonomy. */
export function modeEffects(mode: PermissionMode | undefined): Pick<Narrowed, "acceptEdits" | "neverAsk"> {
  return { acceptEdits: mode === "acceptEdits", neverAsk: mode === "dontAsk" };
}

/**
 * What a request gets under a profile: never more than the profile gives its caller. An agent may ask for no more than the
 * profile's own `autonomy`, others for no more than `max_autonomy`. Throws a Failure `forbidden` where a request asks for more.
 */
export function narrow(profile: Profile, request: NarrowRequest, role: Role): Narrowed {
  const usual = profile.autonomy ?? "supervised";
  const limit = role === "agent" ? lesser(usual, profile.max_autonomy ?? "full") : (profile.max_autonomy ?? "full");
  const { autonomy, permission_mode: mode } = request;
  const { most, least } = mode === undefined ? MODES.default : MODES[mode];
  const wanted = autonomy ?? least;
  for (const level of [autonomy, least]) {
    if (level !== undefined && above(level, limit)) {
      const what = level === autonomy ? `autonomy ${level}` : `permission mode ${mode ?? ""}`;
      throw new Failure(
        "forbidden",
        `${what} is more than the profile gives the role ${role} (${limit}); ask for ${limit} or less`,
      );
    }
  }
  const asked = wanted === undefined ? lesser(usual, limit) : lesser(wanted, limit);
  const level = most === undefined ? asked : lesser(asked, most);
  return { autonomy: level, ...modeEffects(mode) };
}

function lesser(left: Autonomy, right: Autonomy): Autonomy {
  return above(left, right) ? right : left;
}

/**
 * The tools of a session as its mode leaves them; absent: what the profile gives. Names that the profile does not give stay on the
 * list in vain: the pipeline asks both.
 */
export function narrowTools(
  profile: Profile,
  { permission_mode: mode, tools }: Pick<SessionSettings, "permission_mode" | "tools">,
): readonly string[] | undefined {
  if (mode !== "plan") return tools;
  if (tools === undefined)
    return PLAN_TOOLS.filter(
      (tool) => profile.tools === undefined || tool.includes("*") || toolListed(profile.tools, tool),
    );
  return tools.filter((tool) => toolListed(PLAN_TOOLS, tool));
}
