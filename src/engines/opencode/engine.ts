import { LIMITS } from "../../protocol/index.ts";
import type { Capabilities, Engine } from "../engine.ts";
import { OutputAllowance } from "../vendor/output.ts";
import type { ProgramPlaces } from "../vendor/programs.ts";
import { recordFolder } from "./config.ts";
import { OpenCodeConversation } from "./conversation.ts";
import { missingOpenCode, openCodeProgram, openCodePrograms } from "./find.ts";
import { RELAY_FILES } from "./server.ts";

const CAPABILITIES: Capabilities = {
  streaming: true,
  thinking: true,
  parallel_tools: true,
  edited_input: true,
  images: true,
  subagents: true,
  structured_output: true,
  agents: true,
  fork: true,
  resume_turn: true,
  steer: false,
  warm: true,
};

/** OpenCode's server, one process for each session, with our tools in the place of its own. */
export function createOpenCodeEngine(places: ProgramPlaces = {}): Engine {
  const allowance = new OutputAllowance();
  return {
    id: "opencode",
    capabilities: CAPABILITIES,
    wires: ["anthropic", "openai"],
    missing: () => missingOpenCode(places),
    files: () => {
      const programs = openCodePrograms(places);
      return programs.length === 0 ? [] : [...programs, ...RELAY_FILES];
    },
    folders: (folder) => [recordFolder(folder)],
    async open(opening, host) {
      const executable = openCodeProgram(places);
      return new OpenCodeConversation(opening, host, { executable, retries: LIMITS.modelRetries, allowance });
    },
  };
}
