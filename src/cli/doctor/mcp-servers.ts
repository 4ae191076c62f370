import { isLoginNeeded, openConnection, reasonOf, type ServerWay } from "../../mcp-client/index.ts";
import { LIMITS, makeRedactor } from "../../protocol/index.ts";
import { openLocalSandbox } from "../../sandbox/index.ts";
import { settingWay } from "../../sessions/index.ts";
import { openMcpServers } from "../wiring/mcp-servers.ts";
import type { Environment, Settings } from "../settings/settings.ts";
import { ok, warn, type DoctorCheck } from "./checks.ts";

const NAME = "mcp";

/** Each MCP server of the settings is started or reached, asked for its tools, and ended. Programs run here without walls. */
export async function checkMcpServers(settings: Settings, environment: Environment): Promise<readonly DoctorCheck[]> {
  const servers = Object.entries(settings.mcpServers?.value ?? {});
  if (servers.length === 0) return [];
  const signal = AbortSignal.timeout(LIMITS.mcpStartMs);
  const book = openMcpServers(settings, {
    environment,
    home: settings.home.value,
    redact: makeRedactor([]),
    now: () => Date.now(),
    signal,
    log: { warn: () => undefined },
  });
  const home = environment["HOME"] ?? settings.workspace.value;
  const sandbox = openLocalSandbox({ sessionId: "doctor", home, marker: "doctor", environment });
  try {
    return await Promise.all(
      servers.map(async ([name, setting]) => {
        try {
          const way = await settingWay(setting, {
            workspace: settings.workspace.value,
            secret: (source) => book.secret(name, source),
            login: book.login(name),
          });
          return ok(NAME, `${name}: ${await look(way, { sandbox, now: () => Date.now() }, signal)}`);
        } catch (error) {
          const login = isLoginNeeded(error) ? `sallyport mcp login ${name}` : undefined;
          return warn(NAME, `${name}: ${reasonOf(error)}`, login ?? `look at mcp_servers.${name} in sallyport.yaml`);
        }
      }),
    );
  } finally {
    await sandbox.close();
  }
}

async function look(way: ServerWay, means: Parameters<typeof openConnection>[1], signal: AbortSignal): Promise<string> {
  const options = { signal, timeoutMs: LIMITS.mcpStartMs };
  const connection = await openConnection(way, means, { ...options, toolsChanged: () => undefined });
  try {
    const tools = await connection.tools(options);
    return `answers, ${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
  } finally {
    await connection.close();
  }
}
