import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { narrow } from "../gate/index.ts";
import { Failure, LIMITS, type CreateSession, type SessionSettings } from "../protocol/index.ts";
import { isInside } from "../tools/index.ts";
import type { Caller } from "./access.ts";
import { profileOf } from "./ruling.ts";
import type { Services } from "./services.ts";

/** Where sessions work unless they say otherwise, and where agents may work at all. Absolute, real. */
export interface Places {
  readonly defaultWorkspace: string;
  readonly roots: readonly string[];
}

/** What a request asks for, narrowed by policy, with everything filled in. `base`: a parent's settings, for what is absent. */
export async function settingsFor(
  { services, places }: { readonly services: Services; readonly places: Places },
  caller: Caller,
  request: CreateSession,
  base?: SessionSettings,
): Promise<SessionSettings> {
  const policy = services.policy();
  const profileName = request.profile ?? base?.profile ?? policy.default_profile;
  const profile = profileOf(policy, profileName);
  const asked = {
    autonomy: request.autonomy ?? base?.autonomy,
    permission_mode: request.permission_mode ?? (request.autonomy === undefined ? base?.permission_mode : undefined),
    tools: request.tools ?? base?.tools,
  };
  const narrowed = narrow(profile, asked, caller.role);
  const engine = request.engine ?? base?.engine ?? "loop";
  if (!services.engines.has(engine)) {
    throw new Failure(
      "unsupported",
      `there is no engine ${engine}; there are: ${[...services.engines.keys()].join(", ")}`,
    );
  }
  const sandbox = request.sandbox ?? base?.sandbox ?? "local";
  if (sandbox !== "local") throw new Failure("unsupported", `there is no sandbox ${sandbox}; there are: local`);
  const provider = request.provider ?? base?.provider ?? services.models.defaultProvider;
  const model =
    request.model ?? (base?.provider === provider ? base.model : undefined) ?? services.models.defaultModel(provider);
  services.models.endpoint(provider, model);
  const permission_mode = asked.permission_mode;
  const ask_reads = request.ask_reads ?? base?.ask_reads;
  const system_prompt = request.system_prompt ?? base?.system_prompt;
  const thinking_tokens = request.thinking_tokens ?? base?.thinking_tokens;
  const max_cost_usd = request.max_cost_usd ?? base?.max_cost_usd;
  const metadata = request.metadata ?? base?.metadata;
  const settings: SessionSettings = {
    engine,
    provider,
    model,
    workspace: await workspaceFor(caller, places, request.workspace ?? base?.workspace),
    sandbox,
    profile: profileName,
    autonomy: narrowed.autonomy,
    ...(permission_mode === undefined ? {} : { permission_mode }),
    ...(narrowed.tools === undefined ? {} : { tools: [...narrowed.tools] }),
    ...(ask_reads === undefined ? {} : { ask_reads }),
    ...(system_prompt === undefined ? {} : { system_prompt }),
    max_turns: Math.min(
      request.max_turns ?? base?.max_turns ?? profile.max_turns ?? LIMITS.maxTurns,
      profile.max_turns ?? Infinity,
    ),
    max_tokens: request.max_tokens ?? base?.max_tokens ?? LIMITS.maxTokens,
    ...(thinking_tokens === undefined ? {} : { thinking_tokens }),
    ...(max_cost_usd === undefined ? {} : { max_cost_usd }),
    unattended:
      profile.unattended === "deny" ? "deny" : (request.unattended ?? base?.unattended ?? profile.unattended ?? "deny"),
    approval_timeout_ms: profile.approval_timeout_ms ?? LIMITS.approvalTimeoutMs,
    ...(metadata === undefined ? {} : { metadata }),
  };
  return JSON.parse(services.redact(JSON.stringify(settings))) as SessionSettings;
}

async function workspaceFor(caller: Caller, places: Places, asked: string | undefined): Promise<string> {
  if (asked?.includes("\0") === true)
    throw new Failure("workspace_missing", "a workspace path cannot hold a NUL character");
  const path = resolve(places.defaultWorkspace, asked ?? ".");
  let real: string;
  try {
    const [resolved, found] = await Promise.all([realpath(path), stat(path)]);
    real = resolved;
    if (!found.isDirectory()) throw new Failure("workspace_missing", `the workspace ${path} is not a folder`);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure("workspace_missing", `the workspace ${path} does not exist or cannot be read`);
  }
  if (caller.role === "agent" && !places.roots.some((root) => isInside(root, real))) {
    throw new Failure("forbidden", "an agent may work only below the server's workspace roots");
  }
  return real;
}
