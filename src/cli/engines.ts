import {
  createAcpEngines,
  createClaudeCliEngine,
  createClaudeSdkEngine,
  createCodexEngine,
  createCommandEngine,
  createComputeEngine,
  createLoopEngine,
  createOpenCodeEngine,
  type ClaudeOptions,
  type Engine,
} from "../engines/index.ts";
import { agentsOf } from "./acp-settings.ts";
import { programPlaces, searchPathOf } from "./program-settings.ts";
import type { Environment, Settings } from "./settings.ts";

/** Where Claude Code is looked for. */
export function claudeOptions(settings: Settings, environment: Environment): ClaudeOptions {
  return { executable: settings.claude.value, searchPath: searchPathOf(environment) };
}

/** Every engine. One whose program is missing says so on use. */
export function openEngines(settings: Settings, environment: Environment): ReadonlyMap<string, Engine> {
  const claude = claudeOptions(settings, environment);
  const engines = [
    createLoopEngine(),
    createClaudeSdkEngine(claude),
    createClaudeCliEngine(claude),
    createCodexEngine(programPlaces("codex", settings, environment)),
    createCommandEngine(),
    createComputeEngine(),
    createOpenCodeEngine(programPlaces("opencode", settings, environment)),
    ...createAcpEngines({
      places: (name) => programPlaces(name, settings, environment),
      searchPath: searchPathOf(environment),
      agents: agentsOf(settings.acpAgents.value, environment),
    }),
  ];
  return new Map(engines.map((engine) => [engine.id, engine]));
}
