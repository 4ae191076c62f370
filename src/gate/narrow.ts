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
  /** The autonomy of the session that this one continues: narrowed if it is too much, never refused. */
  readonly inherited?: Autonomy | undefined;
}

export interface Narrowed {
  readonly autonomy: Autonomy;
  readonly acceptEdits: boolean;
  readonly neverAsk: boolean;
}

/**
 * What each permission mode of document 001 and of the Agent SDK means here. `least`: the autonomy it cannot do without; a mode
 * that only promises to ask works with less. `most`: the autonomy it never goes beyond.
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
  // Edits without a question exceed what `supervised` gives.
  acceptEdits: { most: "supervised", least: "full" },
  bypassPermissions: { most: "full", least: "full" },
};

/** Whether a mode asks for no more than the caller may have. */
export function modeFits(profile: Profile, mode: PermissionMode, { role, max_autonomy }: NarrowCaller): boolean {
  const limit = lesser(roleLimit(profile, role), max_autonomy ?? "full");
  return !above(MODES[mode].least ?? "read_only", limit);
}

/** What a mode changes besides the autonomy. */
export function modeEffects(mode: PermissionMode | undefined): Pick<Narrowed, "acceptEdits" | "neverAsk"> {
  return { acceptEdits: mode === "acceptEdits", neverAsk: mode === "dontAsk" };
}

const REVIEWS: ReadonlySet<PermissionMode> = new Set(["sdk", "toolApproval", "mcpApproval", "mcpProxy"]);

/** Whether a mode promises that a person sees each change before it happens. */
export function isReview(mode: PermissionMode | undefined): boolean {
  return mode !== undefined && REVIEWS.has(mode);
}

/** The caller, and the most that its token gives. */
interface NarrowCaller {
  readonly role: Role;
  readonly max_autonomy?: Autonomy | undefined;
}

/** The most that a profile gives a role. */
function roleLimit({ autonomy: usual = "supervised", max_autonomy }: Profile, role: Role): Autonomy {
  if (role === "admin") return max_autonomy ?? "full";
  return role === "operator" ? (max_autonomy ?? usual) : lesser(usual, max_autonomy ?? "full");
}

/**
 * What a request gets under a profile: never more than profile and token give its caller. An admin may ask for anything
 * that `max_autonomy` does not forbid, an operator for what it names. All others get at most the profile's own `autonomy`.
 * Throws a Failure `forbidden` if a request asks for more.
 */
export function narrow(profile: Profile, request: NarrowRequest, { role, max_autonomy }: NarrowCaller): Narrowed {
  const usual = profile.autonomy ?? "supervised";
  const limit = lesser(roleLimit(profile, role), max_autonomy ?? "full");
  const { autonomy, permission_mode: mode, inherited } = request;
  const { most, least } = mode === undefined ? MODES.default : MODES[mode];
  const wanted = autonomy ?? inherited ?? least;
  for (const level of [autonomy, least]) {
    if (level !== undefined && above(level, limit)) {
      const what = level === autonomy ? `autonomy ${level}` : `permission mode ${mode ?? ""}`;
      throw new Failure(
        "forbidden",
        `${what} is more than profile and token give the role ${role} (${limit}); ask for ${limit} or less${role === "operator" ? ", or an admin for max_autonomy in the profile" : ""}`,
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
 * The session's tools after its mode is applied; absent: what the profile gives. Names that the profile does not give may stay on
 * the list: the pipeline checks both.
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
