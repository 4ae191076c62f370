import { openToOperators, parseRule } from "../../gate/index.ts";
import {
  ClientChoice,
  Failure,
  globMatches,
  toolConfigOf,
  toolConfigRules,
  type CreateSession,
  type Policy,
  type Profile,
  type SessionSettings,
  type ToolConfigs,
} from "../../protocol/index.ts";
import type { Caller } from "../access/access.ts";
import { profileOf } from "../permission/profile.ts";

/** The session that a new one continues from. */
export interface Base {
  readonly settings: SessionSettings;
  /** The principal's id. */
  readonly owner: string;
}

/** The profile of a new session: the token's, the requested one, the base's, or the default. Throws if the caller may not have it. */
export function chooseProfile(
  caller: Caller,
  policy: Policy,
  { asked, base }: { readonly asked: string | undefined; readonly base: Base | undefined },
): string {
  const fixed = caller.token.bounds.profile;
  const wanted = asked ?? base?.settings.profile ?? fixed ?? policy.default_profile;
  if (fixed !== undefined) {
    if (wanted === fixed) return fixed;
    throw new Failure("forbidden", `this token is for the profile ${fixed} alone; leave profile out`);
  }
  // Keeping the profile of one's own session needs no permission.
  const isKept = base?.owner === caller.id && base.settings.profile === wanted;
  if (isKept || mayHave(caller, policy, wanted)) return wanted;
  const permit = caller.role === "operator" ? "for_operators" : "for_agents";
  throw new Failure(
    "forbidden",
    `${caller.role}s may not choose the profile ${wanted}; an admin can permit it with ${permit} in the policy`,
  );
}

/** Whether a caller may have a profile: the token's, else the default one, or one that is open to its role. */
export function mayHave({ role, token }: Caller, policy: Policy, name: string): boolean {
  if (token.bounds.profile !== undefined) return name === token.bounds.profile;
  if (role === "admin" || name === policy.default_profile) return true;
  // Choosing one's own rules would widen them, so agents need `for_agents`.
  const isForAgents = profileOf(policy, name).for_agents === true;
  if (role === "operator") return isForAgents || openToOperators(policy, name);
  return role === "agent" && isForAgents;
}

/** The request, and which fields of it the surface chose itself. */
interface ClientRequest {
  readonly asked: Partial<CreateSession>;
  readonly given?: readonly ClientChoice[] | undefined;
}

/** Fields that only the server sets for visitors, unless the profile lets them choose. */
export function checkClientChoices(caller: Caller, profile: Profile, request: ClientRequest): void {
  if (caller.role !== "visitor") return;
  for (const field of ClientChoice.options) {
    // The profile is the token's own: another one is refused where it is chosen.
    if (field === "profile" || request.asked[field] === undefined || request.given?.includes(field) === true) continue;
    if (field === "system_prompt" && request.asked.system_prompt === caller.token.bounds.system_prompt) continue;
    refuseChoice(profile, field);
  }
}

/** Throws unless the profile lets clients choose this. */
export function refuseChoice({ client_may_choose = [] }: Profile, field: ClientChoice): void {
  if (client_may_choose.includes(field)) return;
  throw new Failure(
    "forbidden",
    `the server chooses ${field} here; leave it out, or an admin names it in client_may_choose of the profile`,
  );
}

/** The system prompt of a new session: the token's, if it has one. */
export function choosePrompt(caller: Caller, asked: string | undefined): string | undefined {
  const fixed = caller.token.bounds.system_prompt;
  if (fixed === undefined || asked === undefined || asked === fixed) return fixed ?? asked;
  throw new Failure("forbidden", "this token has a system prompt of its own; leave system_prompt out");
}

/** The same; throws if a rule in it is none, or a tool is in it under two names. */
export function checkedConfigs(configs: ToolConfigs | undefined): ToolConfigs | undefined {
  for (const [tool, config] of Object.entries(configs ?? {})) {
    if (toolConfigOf(configs, tool) !== config)
      throw new Failure("invalid_request", `${tool} is configured twice, under two names`);
    for (const text of toolConfigRules(tool, config)) {
      const rule = parseRule(text);
      if ("error" in rule) throw new Failure("invalid_request", `the configuration of ${tool}: ${text}: ${rule.error}`);
    }
  }
  return configs;
}

/** The tools of a new session: the requested ones that the token gives; absent: what the profile gives. */
export function chooseTools(caller: Caller, asked: readonly string[] | undefined): string[] | undefined {
  const most = caller.token.bounds.tools;
  if (most === undefined || asked === undefined) return (most ?? asked)?.slice();
  const kept = asked.filter((tool) => most.some((glob) => globMatches(glob, tool)));
  const narrower = most.filter((tool) => asked.some((glob) => globMatches(glob, tool)));
  return [...new Set([...kept, ...narrower])];
}
