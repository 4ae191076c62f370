import { narrow, toolListed } from "../../gate/index.ts";
import {
  ClaudeRequest,
  defined,
  Failure,
  globMatches,
  isTunnelProvider,
  LIMITS,
  type Autonomy,
  type ClaudeCreated,
  type CreateSession,
  type Profile,
  type SessionView,
  type ToolConfigs,
} from "../../protocol/index.ts";
import type { Caller, Gateway, OfferedProvider } from "../../sessions/index.ts";
import { profileOfMount, type MountContext } from "./context.ts";
import { json, parseWritten } from "./json.ts";
import { checkTunnel, requireTunnel, tunnelNamed, tunnelProvider } from "./tunnels.ts";
import { checkReserve, PARENT_NOTE } from "./reserve.ts";
import { pathsOf } from "./session-files.ts";
import { wantedWalls } from "./walls.ts";

/**
 * Creates a session from what was written to `new`: checked in document 003's order and refused in its words. The gateway decides who may
 * ask for what; here it is only reported sooner.
 */
export async function create(context: MountContext, caller: Caller, text: string): Promise<ClaudeCreated> {
  const request = parseWritten(ClaudeRequest, json(text));
  const { name, profile } = profileOfMount(context, caller);
  const { idempotency_key } = request;
  requireKey(profile, request);
  const max_cost_usd = maxCost(profile, request);
  checkModel(profile, request.model);
  await checkTunnel(context, caller, tunnelNamed(request));
  const tools = toolsOf(profile, request);
  const provider = await chooseProvider(context, caller, { request, profile });
  const wanted: CreateSession = defined({
    ...wallsOf(context, profile),
    model: request.model,
    provider,
    profile: name,
    engine: request.engine,
    workspace: request.workspace,
    system_prompt: promptOf(caller, request),
    prompt: request.initial_prompt === undefined ? undefined : { text: request.initial_prompt },
    tools,
    tool_config: configsOf(request),
    autonomy: request.autonomy ?? autonomyAtMost(profile, caller, request),
    max_cost_microusd: max_cost_usd,
    max_context_tokens: request.max_context_tokens,
    resume_session_id: request.resume_session_id,
    parent_session_id: request.parent_session_id,
    at_budget_end: request.at_budget_end,
    metadata: request.parent_session_id === undefined ? undefined : { [PARENT_NOTE]: request.parent_session_id },
  });
  const parent = request.parent_session_id ?? request.resume_session_id;
  const { gateway } = context;
  const made = inTurn(context, caller, () =>
    gateway.sessions.create(caller, wanted, keyOf(provider, idempotency_key), {
      admit: (settings) => checkReserve(gateway, caller, { settings, profile, parent, asked: max_cost_usd }),
    }),
  );
  const view = await inTime(gateway, caller, made, request.timeout_ms ?? LIMITS.mountCreateMs);
  return { session_id: view.id, status: "creating", ...pathsOf(context, view.id) };
}

/** Throws if the policy wants a key and there is none. */
export function requireKey(profile: Profile, { idempotency_key }: Pick<ClaudeRequest, "idempotency_key">): void {
  if (profile.require_idempotency === true && idempotency_key === undefined)
    throw new Failure("idempotency_required", "idempotency key required: add idempotency_key");
}

/** The default: a turn's limit, or a day's. */
export function maxCost(
  profile: Profile,
  { max_cost_usd, resume_session_id }: Pick<ClaudeRequest, "max_cost_usd"> & Partial<ClaudeRequest>,
): number | undefined {
  if (max_cost_usd !== undefined) return max_cost_usd;
  if (profile.require_max_cost === true)
    throw new Failure("max_cost_required", "max_cost_usd required: say how much the session may cost, in micro-USD");
  if (resume_session_id !== undefined) return undefined;
  const { default_max_cost_microusd, max_cost_microusd, max_cost_microusd_per_tick, max_cost_microusd_per_day } =
    profile;
  return default_max_cost_microusd ?? max_cost_microusd ?? max_cost_microusd_per_tick ?? max_cost_microusd_per_day;
}

export function checkModel({ allowed_models = [], blocked_models = [] }: Profile, model: string): void {
  if (allowed_models.length > 0 && !allowed_models.some((glob) => globMatches(glob, model)))
    throw new Failure(
      "model_not_allowed",
      `model not allowed: ${model}; the policy allows ${allowed_models.join(", ")}`,
    );
  const blocking = blocked_models.find((glob) => globMatches(glob, model));
  if (blocking !== undefined)
    throw new Failure("model_not_allowed", `model blocked: ${model} (${blocking}); choose another one`);
}

/** The requested tools, each of which the policy must allow. Absent: everything it allows. */
function toolsOf({ tools, deny = [] }: Profile, { tools: asked }: ClaudeRequest): string[] | undefined {
  for (const { name } of asked) {
    if (tools !== undefined && !toolListed(tools, name))
      throw new Failure("forbidden", `tool not allowed: ${name}; read policy for those that are`);
    if (
      toolListed(
        deny.filter((rule) => !rule.includes("(")),
        name,
      )
    )
      throw new Failure("forbidden", `tool blocked: ${name}; read policy for those that are not`);
  }
  return asked.length === 0 ? undefined : asked.map(({ name }) => name);
}

/** Absent: no tool has a configuration. */
function configsOf({ tools }: ClaudeRequest): ToolConfigs | undefined {
  const configured = tools.flatMap(({ name, config }) => (config === undefined ? [] : [[name, config] as const]));
  const twice = configured.find(([name], index) => configured.findIndex(([other]) => other === name) !== index);
  if (twice !== undefined) throw new Failure("invalid_request", `invalid request: ${twice[0]} has two configurations`);
  return configured.length === 0 ? undefined : Object.fromEntries(configured);
}

/** What the tools are for stands behind the instructions. A resumed session keeps its own, and so does a token that has some. */
function promptOf({ token }: Caller, { tools, system_prompt, resume_session_id }: ClaudeRequest): string | undefined {
  const described = tools.flatMap(({ name, description = "" }) =>
    description.trim() === "" ? [] : [`- ${name}: ${description.trim()}`],
  );
  const isFixed = token.bounds.system_prompt !== undefined;
  const isKept = resume_session_id !== undefined && system_prompt === undefined;
  if (described.length === 0 || isFixed || isKept) return system_prompt;
  return [system_prompt, `What your tools are for here:\n${described.join("\n")}`].filter(Boolean).join("\n\n");
}

export async function chooseProvider(
  context: MountContext,
  caller: Caller,
  {
    request,
    profile,
  }: { readonly request: Pick<ClaudeRequest, "model"> & Partial<ClaudeRequest>; readonly profile: Profile },
): Promise<string> {
  const { model, resume_session_id, provider } = request;
  const tunnel_endpoint = tunnelNamed(request);
  const { gateway } = context;
  const nowhere = (why: string): Failure =>
    new Failure("provider_not_allowed", `no provider available for model ${model}: ${why}`);
  if (tunnel_endpoint !== undefined)
    return tunnelProvider(context, caller, { tunnel: tunnel_endpoint, model, profile });
  if (resume_session_id !== undefined) return (await resumed(gateway, caller, resume_session_id)).settings.provider;
  requireTunnel(profile, provider);
  const { allowed_providers = [], provider_hosts = [] } = profile;
  const isListed = (globs: readonly string[], word: string): boolean =>
    globs.length === 0 || globs.some((glob) => globMatches(glob, word));
  const offered = (await gateway.providers.offered(caller, model)).filter(
    ({ id, available, hosts }) =>
      available &&
      !isTunnelProvider(id) &&
      isListed(allowed_providers, id) &&
      hosts.every((host) => isListed(provider_hosts, host)),
  );
  const chosen =
    provider === undefined
      ? await route(offered, model)
      : offered.find(({ id, priced }) => id === provider && priced !== undefined);
  if (chosen === undefined) throw nowhere("no provider matches policy filters");
  return chosen.id;
}

/**
 * The default provider, if it has a price for the model. A free one accepts any name, so another free provider that really has the
 * model (in its list or as its default) goes first. Then any provider with a price for it.
 */
async function route(offered: readonly OfferedProvider[], model: string): Promise<OfferedProvider | undefined> {
  const speaking = offered.filter(({ priced }) => priced !== undefined);
  const isFree = ({ priced }: OfferedProvider): boolean => priced?.from === "free";
  const byDefault = speaking.find(({ isDefault }) => isDefault);
  if (byDefault !== undefined && !isFree(byDefault)) return byDefault;
  const free = speaking.filter(isFree).toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault));
  const has = await Promise.all(
    free.map(
      async ({ defaultModel, health }) =>
        defaultModel === model || (await health?.())?.models?.includes(model) === true,
    ),
  );
  return free.find((_provider, index) => has[index]) ?? byDefault ?? speaking.find((one) => !isFree(one));
}

async function resumed(gateway: Gateway, caller: Caller, id: string): Promise<SessionView> {
  try {
    return await gateway.sessions.get(caller, id);
  } catch (error) {
    if (error instanceof Failure && error.code === "not_found")
      throw new Failure("not_found", `resume session not found: ${id}`);
    throw error;
  }
}

/** Narrowed where policy gives less, and not refused. */
function autonomyAtMost(
  profile: Profile,
  { role, token }: Caller,
  { autonomy_at_most }: ClaudeRequest,
): Autonomy | undefined {
  if (autonomy_at_most === undefined) return undefined;
  const { max_autonomy } = token.bounds;
  return narrow(profile, { inherited: autonomy_at_most }, { role, max_autonomy }).autonomy;
}

/** The walls that an admin set for the mount. Where one of them is not to be had, no session is made. */
function wallsOf(context: MountContext, profile: Profile): Partial<CreateSession> {
  const { isolation_mode, network_mode, repo_filter } = wantedWalls(context, profile);
  return defined({
    sandbox: isolation_mode,
    network: network_mode,
    ...(repo_filter === undefined || repo_filter === "none"
      ? {}
      : { workspace_mode: "snapshot" as const, repo_filter }),
  });
}

/** One after the other for each principal, so that two sessions are not promised the same money. */
export async function inTurn<Made>({ making }: MountContext, caller: Caller, make: () => Promise<Made>): Promise<Made> {
  const before = making.get(caller.id) ?? Promise.resolve();
  const made = before.then(make);
  const over = made.then(
    () => undefined,
    () => undefined,
  );
  making.set(caller.id, over);
  try {
    return await made;
  } finally {
    if (making.get(caller.id) === over) making.delete(caller.id);
  }
}

/** A session that comes too late is ended at once: nobody knows about it. */
async function inTime(
  gateway: Gateway,
  caller: Caller,
  made: Promise<SessionView>,
  timeout_ms: number,
): Promise<SessionView> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), timeout_ms);
  });
  const first = await Promise.race([made, late]).finally(() => clearTimeout(timer));
  if (first !== "late") return first;
  made.then(({ id }) => gateway.sessions.close(caller, id)).catch(() => undefined);
  throw new Failure("timed_out", `the session could not be made within ${timeout_ms} ms; try again`);
}

/** `{agent}:{provider}:{key}`: the agent is the principal that the gateway keeps receipts for. */
export function keyOf(provider: string, key: string | undefined): string | undefined {
  return key === undefined ? undefined : `${provider}:${key}`;
}
