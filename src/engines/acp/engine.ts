import { existsSync, realpathSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { Failure } from "../../protocol/index.ts";
import type { Capabilities, Engine } from "../engine.ts";
import { LAUNCHER_FILES } from "../vendor/launch.ts";
import { OutputAllowance } from "../vendor/output.ts";
import {
  findProgram,
  isProgram,
  missingProgram,
  type ProgramPlaces,
  type VendorProgramName,
} from "../vendor/programs.ts";
import { agentHome } from "./agent-process.ts";
import { KNOWN_AGENTS, type AgentProgram } from "./agents.ts";
import { AcpConversation } from "./conversation.ts";
import { ownTool } from "./own-tool.ts";

export interface AcpEngineOptions {
  /** Where a vendor's program is looked for. */
  readonly places: (name: VendorProgramName) => ProgramPlaces;
  /** Absolute folders, for a command that is no vendor's of ours. */
  readonly searchPath?: readonly string[] | undefined;
  /** Agents of the settings; one with the name of a known agent replaces it. Absent: none. */
  readonly agents?: readonly AgentProgram[] | undefined;
}

/** With our tools we run each call; an agent's own tools are what it reports and asks about. */
const CAPABILITIES: Readonly<Record<AgentProgram["tools"], Capabilities>> = {
  sallyport: capabilities({ edited_input: true, parallel_tools: true }),
  own: capabilities({ edited_input: false, parallel_tools: false }),
};

function capabilities(own: Pick<Capabilities, "edited_input" | "parallel_tools">): Capabilities {
  return {
    streaming: true,
    thinking: true,
    images: true,
    subagents: false,
    structured_output: false,
    agents: false,
    fork: true,
    resume_turn: true,
    steer: false,
    warm: true,
    ...own,
  };
}

/** An engine for each agent that is known or named. */
export function createAcpEngines(options: AcpEngineOptions): readonly Engine[] {
  const named = options.agents ?? [];
  const known = KNOWN_AGENTS.filter(({ name }) => !named.some((agent) => agent.name === name));
  return [...known, ...named].map((agent) => createAcpEngine(agent, options));
}

function createAcpEngine(agent: AgentProgram, options: AcpEngineOptions): Engine {
  const allowance = new OutputAllowance();
  return {
    id: `acp:${agent.name}`,
    capabilities: { ...CAPABILITIES[agent.tools], ...agent.lacks },
    wires: agent.wire === undefined ? [] : [agent.wire],
    ...(agent.wire === undefined ? { unmetered: true as const } : {}),
    missing: () => (programOf(agent, options) === undefined ? missingWords(agent, options) : undefined),
    files: () => {
      const program = programOf(agent, options);
      if (program === undefined) return [];
      // An agent may be a script that another program runs.
      const scripts = agent.command.filter((word) => isAbsolute(word) && existsSync(word));
      return [...LAUNCHER_FILES, packageOf(program), ...scripts];
    },
    folders: (folder) => [agentHome(folder)],
    ownTools: () => [ownTool(agent.name, agent.title)],
    async open(opening, host) {
      const program = programOf(agent, options);
      if (program === undefined) throw new Failure("unsupported", missingWords(agent, options));
      const words = agent.program === undefined ? agent.command.slice(1) : agent.command;
      return new AcpConversation(opening, host, { agent, argv: [program, ...words], allowance });
    },
  };
}

/** Where its program is; undefined: nowhere. */
function programOf(
  { program, command: [first = ""] }: AgentProgram,
  { places, searchPath = [] }: AcpEngineOptions,
): string | undefined {
  if (program !== undefined) return findProgram(program, places(program)).map(nativeOf).find(isProgram);
  if (isAbsolute(first)) return isProgram(first) ? first : undefined;
  const found = searchPath.map((folder) => join(folder, first)).find(isProgram);
  return found === undefined ? undefined : realpathSync(found);
}

function missingWords({ title, program, command: [first = ""] }: AgentProgram, { places }: AcpEngineOptions): string {
  if (program !== undefined) return missingProgram(program, places(program)) ?? `${title} does not run here`;
  return `${title} was not found: there is no program ${first}. Install it, or name its path in acp_agents.`;
}

/** OpenCode's package has its program in another one for each platform; a script would put it in place. */
function nativeOf(path: string): string {
  const [, packages] = /^(.*)[/\\]opencode-ai[/\\]bin[/\\][^/\\]+$/.exec(path) ?? [];
  if (packages === undefined) return path;
  const native = join(packages, `opencode-${process.platform}-${process.arch}`, "bin", "opencode");
  return isProgram(native) ? native : path;
}

/** What a program needs to run: the packages that it is installed with. */
function packageOf(program: string): string {
  const at = program.lastIndexOf("/node_modules/");
  return at < 0 ? program : program.slice(0, at + "/node_modules".length);
}
