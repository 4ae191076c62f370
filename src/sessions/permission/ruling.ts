import {
  evaluate,
  isReview,
  modeEffects,
  narrowTools,
  parseRule,
  withDisk,
  type CallInQuestion,
  type ResolvedPath,
  type PolicyContext,
} from "../../gate/index.ts";
import {
  AUTONOMY_ORDER,
  HOME_TOOL,
  type Autonomy,
  type Policy,
  type Profile,
  type Ruling,
  type SessionSettings,
} from "../../protocol/index.ts";
import type { RepositorySettings } from "../../instructions/index.ts";
import type { CallFacts } from "../../tools/index.ts";
import { effectiveProfile, type ProfiledSession } from "./effective-profile.ts";
import { isReviewedAtEnd } from "../settings/review.ts";
import type { Sandbox } from "../../sandbox/index.ts";
import type { SessionEnvironment } from "../dependencies.ts";

export interface RulingRequest extends ProfiledSession {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly settings: SessionSettings;
  readonly grants: readonly string[];
  /** An engine's program runs it. Absent: our tools do. */
  readonly foreign?: true | undefined;
  /** Rules of the workspace, which only take away. Absent: there are none. */
  readonly repository?: Pick<RepositorySettings, "deny" | "ask"> | undefined;
}

export interface Ruled {
  readonly ruling: Ruling;
  readonly facts: CallFacts;
  readonly call: CallInQuestion;
  readonly context: PolicyContext;
}

/** The real pipeline on one call: looks up what it names on the disk, then applies the gate's pure function. */
export async function ruleOn(request: RulingRequest, policy: Policy, environment: SessionEnvironment): Promise<Ruled> {
  const facts = environment.toolbox.facts(request.tool, request.input);
  const paths: ResolvedPath[] = [];
  for (const use of facts.paths)
    paths.push({ given: use.path, real: await environment.resolve(use.path), access: use.access });
  const call: CallInQuestion = {
    // To every rule, a tool's aliases are the same tool.
    tool: facts.name,
    input: request.input,
    known: facts.known,
    tier: facts.tier,
    alwaysAsks: facts.alwaysAsks,
    listedAs: facts.name === HOME_TOOL ? String(request.input["tool"]) : undefined,
    definition: facts.definition,
    schemaError: facts.schemaError,
    paths,
    hosts: facts.hosts,
  };
  const profile = narrowedProfile(effectiveProfile(policy, request), request.repository);
  const context = contextOf(request, profile, environment);
  const reading =
    context.autonomy === "supervised" && request.foreign !== true
      ? await environment.toolbox.onlyReads(request.tool, request.input)
      : undefined;
  const own = paths.find(({ real }) => environment.isHidden(real));
  const { call: looked, ruling: judged } = await withDisk(
    (path) => environment.look(path),
    (disk) => {
      const seen: CallInQuestion = { ...call, disk, reading };
      return { call: seen, ruling: evaluate(seen, context) };
    },
  );
  const ruling: Ruling =
    own === undefined
      ? judged
      : {
          effect: "deny",
          step: "paths",
          rule: "the server's own folder",
          why: `${own.given} belongs to Sallyport itself.`,
        };
  return { ruling, facts, call: looked, context };
}

/** The profile with the rules of a repository that take something away. One that cannot be read has no effect. */
function narrowedProfile(profile: Profile, repository: RulingRequest["repository"]): Profile {
  const deny = (repository?.deny ?? []).filter(isRule);
  const ask = (repository?.ask ?? []).filter(isRule);
  if (deny.length === 0 && ask.length === 0) return profile;
  // Without a list of its own the profile asks about everything: a repository's list must not shorten that.
  const { ask_only_listed, ...rest } = profile;
  return {
    ...rest,
    ...(ask_only_listed === undefined || profile.ask === undefined ? {} : { ask_only_listed }),
    deny: [...(profile.deny ?? []), ...deny],
    ...(ask.length === 0 ? {} : { ask: [...(profile.ask ?? []), ...ask] }),
  };
}

function isRule(text: string): boolean {
  return !("error" in parseRule(text));
}

export function contextOf(
  request: Pick<RulingRequest, "settings" | "token" | "grants">,
  profile: Profile,
  { extraRead, sandbox }: { readonly extraRead: readonly string[]; readonly sandbox: Pick<Sandbox, "kind"> },
): PolicyContext {
  const { settings, token } = request;
  const mode = modeEffects(settings.permission_mode);
  // The policy may have become stricter since the session began. The token's limit holds whoever changed the settings.
  const most = lesser(profile.max_autonomy ?? "full", token.bounds.max_autonomy ?? "full");
  return {
    profile,
    profileName: settings.profile,
    autonomy: lesser(settings.autonomy, most),
    acceptEdits: mode.acceptEdits && most === "full",
    neverAsk: mode.neverAsk,
    reviews: isReview(settings.permission_mode),
    plans: settings.permission_mode === "plan",
    tools: narrowTools(profile, settings),
    toolConfig: settings.tool_config,
    grants: request.grants,
    workspace: settings.workspace,
    extraRead,
    askReads: settings.ask_reads === true,
    // Both what the session asked for and what it runs in: a sandbox that is not there must not silence questions.
    walled:
      settings.sandbox !== "local" &&
      sandbox.kind !== "local" &&
      settings.network === "none" &&
      (settings.workspace_mode === "snapshot" || settings.workspace_mode === "empty"),
    reviewedAtEnd: sandbox.kind !== "local" && isReviewedAtEnd(profile, settings),
  };
}

function lesser(left: Autonomy, right: Autonomy): Autonomy {
  return AUTONOMY_ORDER.indexOf(left) <= AUTONOMY_ORDER.indexOf(right) ? left : right;
}
