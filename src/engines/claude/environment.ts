import { LIMITS } from "../../protocol/index.ts";
import type { Launch } from "./transport.ts";
import { configFolder } from "./transcripts.ts";

const DAY_MS = 86_400_000;

/**
 * The vendor program's additions to the sandbox's clean environment: the proxy's address, the session's own key to it,
 * and settings that keep it quiet. Never a credential.
 */
export function environmentOf({ host, settings, retries, temporary }: Launch): Readonly<Record<string, string>> {
  const { baseUrl, key, name } = host.model;
  const socket = /^unix:(.*)$/.exec(baseUrl)?.[1];
  return {
    // Over a socket the address is only a name; it must be plain http.
    ANTHROPIC_BASE_URL: socket === undefined ? baseUrl : "http://sallyport",
    ...(socket === undefined ? {} : { ANTHROPIC_UNIX_SOCKET: socket }),
    ANTHROPIC_AUTH_TOKEN: key,
    // One model for everything: another one may have no price, or not be allowed.
    ANTHROPIC_DEFAULT_HAIKU_MODEL: name,
    ANTHROPIC_DEFAULT_SONNET_MODEL: name,
    ANTHROPIC_DEFAULT_OPUS_MODEL: name,
    ANTHROPIC_SMALL_FAST_MODEL: name,
    CLAUDE_CODE_SUBAGENT_MODEL: name,
    CLAUDE_CONFIG_DIR: configFolder(host.folder),
    CLAUDE_CODE_TMPDIR: temporary,
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(settings.max_tokens),
    CLAUDE_CODE_MAX_RETRIES: String(retries),
    CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH: String(LIMITS.subagentDepth),
    ...(settings.max_context_tokens === undefined
      ? {}
      : { CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(settings.max_context_tokens) }),
    // The todo list as one tool that always takes the whole list.
    CLAUDE_CODE_ENABLE_TASKS: "0",
    // Paths are judged from the workspace, so a `cd` must not outlive its command.
    CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: "1",
    // Nothing may continue after a turn.
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
    // A second request without streaming would be paid twice; a retry after a refusal would hide it.
    CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: "1",
    CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK: "1",
    CLAUDE_CODE_DISABLE_REFUSAL_RETRY: "1",
    // It learns about the workspace with tools, which are journaled.
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
    CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS: "1",
    CLAUDE_CODE_DISABLE_TERMINAL_TITLE: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_TELEMETRY: "1",
    // A client tool has its own time limit.
    MCP_TOOL_TIMEOUT: String(DAY_MS),
  };
}
