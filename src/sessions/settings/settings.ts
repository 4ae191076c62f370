import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { isInside, modeFits, narrow, refusedModel } from "../../gate/index.ts";
import {
  defined,
  Failure,
  LIMITS,
  TUNNEL_ENGINE,
  type ConfigureSession,
  type CreateSession,
  type Autonomy,
  type ClientChoice,
  type PermissionMode,
  type Profile,
  type SessionSettings,
} from "../../protocol/index.ts";
import type { Provider } from "../../proxy/index.ts";
import { schemaFault } from "../../tools/index.ts";
import type { Caller } from "../access/access.ts";
import { checkClientChoices, checkedConfigs, choosePrompt, chooseProfile, chooseTools, type Base } from "./choices.ts";
import { routeNew, type Routed } from "../routing/router.ts";
import type { SettingsChange } from "../core/commands.ts";
import { effectiveProfile } from "../permission/effective-profile.ts";
import { least } from "../budget/limits.ts";
import { profileOf } from "../permission/profile.ts";
import type { Models, Dependencies } from "../dependencies.ts";
import { checkEngine } from "./engine-view.ts";
import { chooseJob } from "./job.ts";
import { checkMetered } from "./metered.ts";
import { chooseReview } from "./review.ts";
import { chooseMcpServers } from "./mcp-servers.ts";
import { chooseWalls } from "./walls.ts";
import { chooseWorkspaceMode } from "./workspace-mode.ts";

/** The model of sessions whose engine asks none. */
const NO_MODEL = "none";

/** Where sessions work by default, and where agents may work at all. Absolute, real. */
export interface WorkspacePlaces {
  readonly defaultWorkspace: string;
  readonly roots: readonly string[];
  /** The server's own folders, which are shown to nobody. */
  readonly hidden: readonly string[];
}

interface SettingsParts {
  readonly dependencies: Dependencies;
  readonly places: WorkspacePlaces;
  /** Fields of the request that the surface chose itself, for a client that may not choose them. */
  readonly given?: readonly ClientChoice[] | undefined;
}

/** The request narrowed by policy and token, with everything filled in. `from`: a parent, for absent fields. */
export async function settingsFor(
  { dependencies, places, given }: SettingsParts,
  caller: Caller,
  request: CreateSession,
  from?: Base,
): Promise<SessionSettings> {
  const policy = dependencies.policy();
  const base = from?.settings;
  const profileName = chooseProfile(caller, policy, { asked: request.profile, base: from });
  const judged = { settings: { profile: profileName }, created_by: caller, token: caller.token };
  const profile = effectiveProfile(policy, judged);
  checkClientChoices(caller, profile, { asked: request, given });
  const permission_mode = request.permission_mode ?? inheritedMode(caller, profile, request, base);
  const wanted = { autonomy: request.autonomy, permission_mode, inherited: base?.autonomy };
  const narrowed = narrow(profile, wanted, asking(caller));
  const tools = chooseTools(caller, request.tools ?? base?.tools);
  const tool_config = checkedConfigs(request.tool_config ?? base?.tool_config);
  const engine = chooseEngine(dependencies, request, base);
  const extras = extrasOf(dependencies, engine, request, base);
  const walls = await chooseWalls(dependencies, { caller, profile, request, base });
  const place = await chooseModel(dependencies, { caller, profile, engine }, request, base);
  const { provider } = place;
  for (const agent of Object.values(extras.agents ?? {}))
    if (agent.model !== undefined) await checkModel(dependencies, { profile, engine, provider, model: agent.model });
  const system_prompt = choosePrompt(caller, request.system_prompt ?? base?.system_prompt);
  const files = chooseWorkspaceMode(caller, profile, { request, base });
  const { autonomy } = narrowed;
  const review = chooseReview(
    { caller, profile, request, base },
    { ...walls, ...files, ...defined({ permission_mode }), profile: profileName, autonomy },
  );
  const job = chooseJob(profile, engine, request);
  const workspace = await workspaceFor(caller, places, request.workspace ?? folderOf(base));
  const settings: SessionSettings = {
    engine,
    ...place,
    ...ownLogin(dependencies, provider),
    workspace,
    ...files,
    ...walls,
    ...chooseWorker(dependencies, caller, request),
    ...review,
    profile: profileName,
    autonomy,
    ...defined({ permission_mode, tools, tool_config, ask_reads: request.ask_reads ?? base?.ask_reads, system_prompt }),
    ...boundsOf(profile, request, base),
    ...extras,
    ...chooseMcpServers(dependencies, { caller, profile, workspace, asked: request.mcp_servers, base }),
    unattended:
      profile.unattended === "deny" ? "deny" : (request.unattended ?? base?.unattended ?? profile.unattended ?? "deny"),
    approval_timeout_ms: profile.approval_timeout_ms ?? LIMITS.approvalTimeoutMs,
    ...defined({
      job,
      instructions: chooseInstructions(profile, request, base),
      at_budget_end: request.at_budget_end ?? base?.at_budget_end,
      metadata: request.metadata ?? base?.metadata,
    }),
  };
  return JSON.parse(dependencies.redact(JSON.stringify(settings))) as SessionSettings;
}

/** `off` wins, whoever says it. Absent: `auto`. */
function chooseInstructions(
  profile: Profile,
  request: CreateSession,
  base: SessionSettings | undefined,
): "off" | undefined {
  const wanted = request.instructions ?? base?.instructions;
  return wanted === "off" || profile.instructions === "off" ? "off" : undefined;
}

function ownLogin({ models }: Dependencies, id: string): Pick<SessionSettings, "own_login"> {
  const { login } = models.providers.get(id);
  return login === undefined ? {} : { own_login: login };
}

/** Agents run where the pool pins them. */
function chooseWorker(
  { workers }: Dependencies,
  caller: Caller,
  { worker }: CreateSession,
): Pick<SessionSettings, "worker"> {
  if (worker === undefined) return {};
  if (caller.role !== "admin" && caller.role !== "operator" && workers.pinOfPrincipal(caller) !== worker)
    throw new Failure("forbidden", `the role ${caller.role} cannot choose a worker; an admin can pin it to one`);
  workers.checkPin(worker, caller);
  return { worker };
}

/** How far a turn, an answer and a conversation may go, and what all may cost. */
function boundsOf(
  profile: Profile,
  request: CreateSession,
  base: SessionSettings | undefined,
): Pick<SessionSettings, "max_turns" | "max_tokens" | "thinking_tokens" | "max_cost_microusd" | "max_context_tokens"> {
  return {
    max_turns: Math.min(
      request.max_turns ?? base?.max_turns ?? profile.max_turns ?? LIMITS.maxTurns,
      profile.max_turns ?? Infinity,
    ),
    max_tokens: request.max_tokens ?? base?.max_tokens ?? LIMITS.maxTokens,
    ...defined({
      thinking_tokens: request.thinking_tokens ?? base?.thinking_tokens,
      max_cost_microusd: costLimit(profile, request, base),
      max_context_tokens: least(request.max_context_tokens ?? base?.max_context_tokens, profile.max_context_tokens),
    }),
  };
}

/** An empty folder of another session is no workspace for a new one. */
function folderOf(base: SessionSettings | undefined): string | undefined {
  return base?.workspace_mode === "empty" ? undefined : (base?.source ?? base?.workspace);
}

/** The mode of the session that this one continues, unless another autonomy is requested or the mode exceeds what the caller may have. */
function inheritedMode(
  caller: Caller,
  profile: Profile,
  { autonomy }: CreateSession,
  base: SessionSettings | undefined,
): PermissionMode | undefined {
  const mode = autonomy === undefined ? base?.permission_mode : undefined;
  return mode !== undefined && modeFits(profile, mode, asking(caller)) ? mode : undefined;
}

function asking({ role, token }: Caller): { role: Caller["role"]; max_autonomy: Autonomy | undefined } {
  return { role, max_autonomy: token.bounds.max_autonomy };
}

/** The result of changing a session's settings under the current policy. */
export async function settingsChange(
  dependencies: Dependencies,
  caller: Caller,
  settings: SessionSettings,
  { model, autonomy, permission_mode, ask_reads }: ConfigureSession,
): Promise<SettingsChange> {
  const { engine, provider } = settings;
  if (engine === TUNNEL_ENGINE)
    throw new Failure("unsupported", "home keeps to what it was told when the session began; start another one");
  const profile = profileOf(dependencies.policy(), settings.profile);
  checkClientChoices(caller, profile, { asked: model === undefined ? {} : { model } });
  if (model !== undefined) await checkModel(dependencies, { profile, engine, provider, model });
  const others = defined({ model, ask_reads });
  if (autonomy === undefined && permission_mode === undefined) return others;
  const narrowed = narrow(profile, { autonomy, permission_mode }, asking(caller));
  return {
    ...others,
    autonomy: narrowed.autonomy,
    ...(permission_mode === undefined ? {} : { permission_mode }),
  };
}

function defaultModel({ defaultProvider, defaultModel: configured, providers }: Models, provider: string): string {
  const named = provider === defaultProvider ? configured : undefined;
  const model = named ?? providers.get(provider).defaultModel;
  if (model === "")
    throw new Failure("invalid_request", `the provider ${provider} has no default_model: name a model, or set one`);
  return model;
}

function chooseEngine({ engines }: Dependencies, request: CreateSession, base: SessionSettings | undefined): string {
  const id = request.engine ?? base?.engine ?? "loop";
  checkEngine(engines, id);
  return id;
}

/** Settings that not every engine supports. */
function extrasOf(
  { engines }: Dependencies,
  engine: string,
  request: CreateSession,
  base: SessionSettings | undefined,
): Pick<SessionSettings, "output_schema" | "agents"> {
  const output_schema = request.output_schema ?? base?.output_schema;
  const agents = request.agents ?? base?.agents;
  const can = engines.get(engine)?.capabilities;
  const others = (ability: "structured_output" | "agents"): string =>
    [...engines.values()].flatMap(({ id, capabilities }) => (capabilities[ability] ? [id] : [])).join(", ");
  if (base !== undefined && can?.fork === false)
    throw new Failure("unsupported", `sessions of the engine ${engine} cannot be forked or resumed; start another one`);
  if (output_schema !== undefined && can?.structured_output !== true)
    throw new Failure(
      "unsupported",
      `the engine ${engine} has no output_schema; those that have: ${others("structured_output")}`,
    );
  if (agents !== undefined && can?.agents !== true)
    throw new Failure("unsupported", `the engine ${engine} takes no agents; those that do: ${others("agents")}`);
  const fault = output_schema === undefined ? undefined : schemaFault(output_schema);
  if (fault !== undefined) throw new Failure("invalid_request", `output_schema is not a schema: ${fault}`);
  return defined({ output_schema, agents });
}

async function chooseModel(
  dependencies: Dependencies,
  { caller, profile, engine }: { readonly caller: Caller; readonly profile: Profile; readonly engine: string },
  request: CreateSession,
  base: SessionSettings | undefined,
): Promise<Routed> {
  const provider = request.provider ?? base?.provider ?? dependencies.models.defaultProvider;
  const { wires = [] } = dependencies.engines.get(engine) ?? {};
  checkMetered(dependencies, { profile, engine });
  if (wires.length === 0) return withoutModel(engine, request, provider);
  const model =
    request.model ??
    (base?.provider === provider ? base.model : undefined) ??
    defaultModel(dependencies.models, provider);
  const refused = dependencies.engines.get(engine)?.refusesProvider?.(provider);
  if (refused !== undefined) throw refused;
  const isInherited = base?.provider === provider && base.model === model;
  const place: Routed = isInherited
    ? // A session that continues another one stays where that one is.
      defined({ provider, model, routed_from: base.routed_from })
    : await routeNew(
        dependencies,
        { profile, engine, unproved: (other) => dependencies.unproved(caller, other) },
        { wanted: { provider, model }, isNamed: request.provider !== undefined },
      );
  await checkModel(dependencies, { profile, engine, provider: place.provider, model: place.model });
  return place;
}

/** An engine that asks no model has a name in its place. */
function withoutModel(
  engine: string,
  { model, provider: asked }: CreateSession,
  provider: string,
): { readonly provider: string; readonly model: string } {
  if (model !== undefined || asked !== undefined)
    throw new Failure("unsupported", `the engine ${engine} asks no model; leave model and provider out`);
  return { provider, model: NO_MODEL };
}

/** Whoever logged in did so for the vendor's own program. */
function checkLogin(engines: Dependencies["engines"], engine: string, { id, login }: Provider): void {
  if (login === undefined || engines.get(engine)?.login === login) return;
  const fit = [...engines.values()].filter((one) => one.login === login).map((one) => one.id);
  const choice =
    fit.length === 0 ? "choose another provider" : `choose the engine ${fit.join(" or ")}, or another provider`;
  throw new Failure("unsupported", `the provider ${id} uses a person's login, which is for ${login} alone; ${choice}`);
}

/** Refuses here what the proxy would refuse at the first request. */
async function checkModel(
  { models, engines }: Dependencies,
  wanted: { readonly profile: Profile; readonly engine: string; readonly provider: string; readonly model: string },
): Promise<void> {
  const { profile, model } = wanted;
  const provider = models.providers.get(wanted.provider);
  const refused = refusedModel(profile, { provider: provider.id, model });
  if (refused !== undefined) throw refused;
  checkLogin(engines, wanted.engine, provider);
  const speaks = engines.get(wanted.engine)?.wires ?? [];
  if (!speaks.some((wire) => provider.baseUrl[wire] !== undefined)) {
    throw new Failure(
      "wire_unsupported",
      `the engine ${wanted.engine} asks models in the format of ${speaks.join(" or ")}, which the provider ${provider.id} ` +
        `does not speak (it speaks ${Object.keys(provider.baseUrl).join(" and ")}); choose another engine or provider`,
    );
  }
  const { apis } = engines.get(wanted.engine) ?? {};
  if (apis !== undefined && !apis.includes(provider.openaiApi)) {
    throw new Failure(
      "wire_unsupported",
      `the engine ${wanted.engine} asks models for ${apis.join(" or ")}, and the provider ${provider.id} is set to ` +
        `openai_api: ${provider.openaiApi}; change that if it has the other, or choose another engine or provider`,
    );
  }
  if (models.prices.priceOf(provider, model) === undefined) {
    throw new Failure(
      "model_unpriced",
      `the model ${model} has no price, so its cost cannot be limited; an admin can set one: sallyport price set`,
    );
  }
  await provider.credentials();
}

function costLimit(profile: Profile, request: CreateSession, base: SessionSettings | undefined): number | undefined {
  const asked = request.max_cost_microusd ?? base?.max_cost_microusd;
  if (asked === undefined && profile.require_max_cost === true) {
    throw new Failure("max_cost_required", "this policy wants max_cost_microusd (micro-USD) with each session; add it");
  }
  return least(asked ?? profile.default_max_cost_microusd, profile.max_cost_microusd);
}

async function workspaceFor(caller: Caller, places: WorkspacePlaces, asked: string | undefined): Promise<string> {
  if (asked?.includes("\0") === true)
    throw new Failure("workspace_missing", "a workspace path cannot hold a NUL character");
  const limits = caller.token.bounds.workspace_roots;
  const isDefaultFine = limits === undefined || limits.some((root) => isInside(root, places.defaultWorkspace));
  const start = isDefaultFine ? places.defaultWorkspace : (limits[0] ?? places.defaultWorkspace);
  const path = resolve(start, asked ?? ".");
  let real: string;
  try {
    const [resolved, found] = await Promise.all([realpath(path), stat(path)]);
    real = resolved;
    if (!found.isDirectory()) throw new Failure("workspace_missing", `the workspace ${path} is not a folder`);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure("workspace_missing", `the workspace ${path} does not exist or cannot be read`);
  }
  if (places.hidden.some((folder) => isInside(folder, real)))
    throw new Failure("forbidden", `${path} belongs to Sallyport itself; choose another workspace`);
  const isFree = caller.role === "admin" || caller.role === "operator";
  if (!isFree && !places.roots.some((root) => isInside(root, real))) {
    throw new Failure("forbidden", `the role ${caller.role} may work only below the server's workspace roots`);
  }
  if (limits !== undefined && !limits.some((root) => isInside(root, real)))
    throw new Failure("forbidden", `this token works only below ${limits.join(", ")}; choose a workspace there`);
  return real;
}
