import {
  createAcpEngines,
  createClaudeCliEngine,
  createClaudeSdkEngine,
  createCodexEngine,
  createCommandEngine,
  createComputeEngine,
  createLoopEngine,
  createOpenCodeEngine,
  createTunnelEngine,
  type ClaudeOptions,
  type Engine,
  type HomeDoor,
} from "../../engines/index.ts";
import { Failure, TUNNEL_PREFIX } from "../../protocol/index.ts";
import type { EndpointBook } from "../../tunnels/index.ts";
import { agentsOf } from "../settings/acp.ts";
import { programPlaces, searchPathOf } from "../settings/programs.ts";
import type { Environment, Settings } from "../settings/settings.ts";

/** Where Claude Code is looked for. */
export function claudeOptions(settings: Settings, environment: Environment): ClaudeOptions {
  return { executable: settings.claude.value, searchPath: searchPathOf(environment) };
}

/** Of a command that starts no session. */
const NO_HOME: HomeDoor = {
  open: () => Promise.reject(new Failure("unsupported", "there are no tunnels here")),
  hasTunnels: () => false,
  refusal: () => undefined,
};

/** The tunnels of this gateway, as the engine of sessions at home uses them. */
export function homeDoor(endpoints: EndpointBook): HomeDoor {
  const idOf = (provider: string): string => provider.slice(TUNNEL_PREFIX.length);
  return {
    open: (provider, session_id, ears) => endpoints.openSession(idOf(provider), session_id, ears),
    hasTunnels: () => endpoints.settings.length > 0,
    refusal: (provider) => {
      if (endpoints.hasSessions(idOf(provider)) !== false) return undefined;
      return new Failure(
        "forbidden",
        `the tunnel ${idOf(provider)} is for models only: its owner can allow sessions with --sessions`,
      );
    },
  };
}

/** Every engine. One whose program is missing says so on use. */
export function openEngines(
  settings: Settings,
  environment: Environment,
  home: HomeDoor = NO_HOME,
): ReadonlyMap<string, Engine> {
  const claude = claudeOptions(settings, environment);
  const engines = [
    createLoopEngine(),
    createClaudeSdkEngine(claude),
    createClaudeCliEngine(claude),
    createCodexEngine(programPlaces("codex", settings, environment)),
    createCommandEngine(),
    createComputeEngine(),
    createTunnelEngine(home),
    createOpenCodeEngine(programPlaces("opencode", settings, environment)),
    ...createAcpEngines({
      places: (name) => programPlaces(name, settings, environment),
      searchPath: searchPathOf(environment),
      agents: agentsOf(settings.acpAgents.value, environment),
    }),
  ];
  return new Map(engines.map((engine) => [engine.id, engine]));
}
