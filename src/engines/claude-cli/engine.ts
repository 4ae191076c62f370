import { LIMITS } from "../../protocol/index.ts";
import { CLAUDE_CAPABILITIES } from "../claude/capabilities.ts";
import { ClaudeConversation } from "../claude/conversation.ts";
import { claudeFinder, findClaude, missingClaude, type ClaudeOptions } from "../claude/find.ts";
import { OutputAllowance } from "../vendor/output.ts";
import type { Engine } from "../engine.ts";
import { openCliTransport } from "./transport.ts";
import { writtenFolders } from "../claude/transcripts.ts";

/** Claude Code's command line: one process for each prompt, nothing else to install. */
export function createClaudeCliEngine(options: ClaudeOptions = {}): Engine {
  const find = claudeFinder(options);
  const allowance = new OutputAllowance();
  const { retries = LIMITS.modelRetries } = options;
  return {
    id: "claude-cli",
    capabilities: CLAUDE_CAPABILITIES,
    wires: ["anthropic"],
    login: "claude",
    missing: () => missingClaude(options),
    files: () => findClaude(options),
    folders: writtenFolders,
    async open(opening, host) {
      const executable = await find(host);
      return new ClaudeConversation(opening, host, {
        executable,
        retries,
        allowance,
        keep: false,
        open: openCliTransport,
      });
    },
  };
}
