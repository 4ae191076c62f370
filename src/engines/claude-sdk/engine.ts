import { LIMITS } from "../../protocol/index.ts";
import { CLAUDE_CAPABILITIES } from "../claude/capabilities.ts";
import { ClaudeConversation } from "../claude/conversation.ts";
import { claudeFinder, findClaude, missingClaude, type ClaudeOptions } from "../claude/find.ts";
import { OutputAllowance } from "../vendor/output.ts";
import type { Engine } from "../engine.ts";
import { openSdkTransport } from "./transport.ts";
import { loadSdk, missingSdk } from "./sdk.ts";
import { writtenFolders } from "../claude/transcripts.ts";

/** Claude Code through Anthropic's Agent SDK: one process for each conversation that is in use. */
export function createClaudeSdkEngine(options: ClaudeOptions = {}): Engine {
  const find = claudeFinder(options);
  const allowance = new OutputAllowance();
  const { retries = LIMITS.modelRetries } = options;
  return {
    id: "claude-sdk",
    capabilities: CLAUDE_CAPABILITIES,
    wires: ["anthropic"],
    login: "claude",
    missing: () => missingSdk() ?? missingClaude(options),
    files: () => findClaude(options),
    folders: writtenFolders,
    async open(opening, host) {
      const [sdk, executable] = await Promise.all([loadSdk(), find(host)]);
      return new ClaudeConversation(opening, host, {
        executable,
        retries,
        allowance,
        keep: true,
        open: async (launch, listener) => openSdkTransport(sdk, launch, listener),
      });
    },
  };
}
