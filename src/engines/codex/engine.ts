import { Failure, LIMITS } from "../../protocol/index.ts";
import type { Capabilities, Engine } from "../engine.ts";
import { OutputAllowance } from "../vendor/output.ts";
import { CodexConversation } from "./conversation.ts";
import { writtenFolders } from "./folders.ts";
import { findCodex, missingCodex, type CodexOptions } from "./program.ts";

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
  steer: true,
  warm: true,
};

/** OpenAI's Codex through its app server: one process for each session, with our tools. */
export function createCodexEngine(options: CodexOptions = {}): Engine {
  const allowance = new OutputAllowance();
  const { retries = LIMITS.modelRetries } = options;
  return {
    id: "codex",
    capabilities: CAPABILITIES,
    wires: ["openai"],
    apis: ["responses"],
    login: "codex",
    missing: () => missingCodex(options),
    files: () => findCodex(options),
    folders: writtenFolders,
    async open(opening, host) {
      const [executable] = findCodex(options);
      if (executable === undefined) throw new Failure("unsupported", missingCodex(options) ?? "Codex was not found.");
      return new CodexConversation(opening, host, { executable, retries, allowance });
    },
  };
}
