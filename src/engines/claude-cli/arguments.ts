import type { Launch, ConversationStart } from "../claude/transport.ts";
import { FORBIDDEN_TOOLS } from "../claude/tools.ts";
import { serverConfigs } from "../claude/control.ts";

/** How the program is started. Nothing secret and nothing long: others can read it. */
export function argumentsOf({
  executable,
  host,
  settings,
  offer,
  servers,
  start,
}: Launch): readonly [string, ...string[]] {
  const config = { mcpServers: serverConfigs(servers) };
  return [
    executable,
    "-p",
    "--output-format=stream-json",
    "--verbose",
    "--input-format=stream-json",
    "--include-partial-messages",
    "--permission-prompt-tool=stdio",
    "--permission-mode=default",
    "--setting-sources=",
    "--strict-mcp-config",
    "--disable-slash-commands",
    `--model=${host.model.name}`,
    `--max-turns=${settings.max_turns}`,
    ...(settings.thinking_tokens === undefined ? [] : [`--max-thinking-tokens=${settings.thinking_tokens}`]),
    `--tools=${offer.tools.join(",")}`,
    `--disallowedTools=${FORBIDDEN_TOOLS.join(",")}`,
    ...(servers.length === 0 ? [] : [`--mcp-config=${JSON.stringify(config)}`]),
    ...sessionArguments(start),
  ];
}

function sessionArguments(start: ConversationStart): readonly string[] {
  switch (start.type) {
    case "fresh":
      return [`--session-id=${start.session}`];
    case "resume":
      return [`--resume=${start.session}`];
    case "fork":
      return [
        `--resume=${start.from.session}`,
        "--fork-session",
        `--resume-session-at=${start.from.uuid}`,
        `--session-id=${start.session}`,
      ];
  }
}
