import { resolve } from "node:path";
import { isInside } from "../../gate/index.ts";
import { hostAndPort, hostName, targetRule } from "../../network/index.ts";
import type { McpServer, McpServerSettings, Profile } from "../../protocol/index.ts";

/** Who wants an MCP server, and what is known of those that exist. */
export interface McpRights {
  readonly role: string;
  readonly profile: Pick<Profile, "mcp_servers" | "mcp_commands" | "mcp_hosts">;
  /** Of `sallyport.yaml`. */
  readonly settings: McpServerSettings;
  /** Absolute. */
  readonly workspace: string;
}

/** Why a session may not have a server that its request names; undefined: it may. Pure. */
export function refusedServer(name: string, server: McpServer, rights: McpRights): string | undefined {
  if (server.type === "settings") return refusedSetting(name, rights);
  if (Object.hasOwn(rights.settings, name))
    return `the settings of this server have an MCP server ${name}; ask for {"type": "settings"}, or choose another name`;
  return "command" in server ? refusedProgram(server, rights) : refusedHost(server, rights);
}

function refusedSetting(name: string, { role, profile, settings }: McpRights): string | undefined {
  const known = Object.hasOwn(settings, name) ? settings[name] : undefined;
  if (known === undefined) {
    const names = Object.keys(settings);
    return `sallyport.yaml has no MCP server ${name}${names.length === 0 ? "" : `; it has: ${names.join(", ")}`}`;
  }
  if (role === "admin" || known.sessions === "all" || profile.mcp_servers?.includes(name) === true) return undefined;
  return `the profile does not give the MCP server ${name}; an admin can name it in mcp_servers of the profile`;
}

function refusedProgram(
  { command, args = [], env, cwd = "." }: Extract<McpServer, { command: string }>,
  { role, profile, workspace }: McpRights,
): string | undefined {
  if (!isInside(workspace, resolve(workspace, cwd))) return `cwd ${cwd} is not inside of the workspace`;
  if (role === "admin") return undefined;
  const words = [command, ...args];
  const isAllowed = (profile.mcp_commands ?? []).some((rule) => {
    const wanted = rule.split(/\s+/).filter((word) => word !== "");
    return wanted.length > 0 && wanted.every((word, index) => word === words[index]);
  });
  if (!isAllowed)
    return `the profile does not let sessions start ${command} as an MCP server; an admin can allow it with mcp_commands`;
  // A variable can make any program run something else.
  return env === undefined || Object.keys(env).length === 0
    ? undefined
    : "only an admin sets variables of an MCP server; an admin can name the server in sallyport.yaml";
}

function refusedHost({ url }: { readonly url: string }, { role, profile }: McpRights): string | undefined {
  const rule = ruleOnUrl(new URL(url), profile);
  const place = hostAndPort(targetOf(new URL(url)));
  if (rule === "none" && role !== "admin")
    return `the profile does not let sessions use an MCP server at ${place}; an admin can allow it with mcp_hosts`;
  return new URL(url).protocol === "http:" && rule !== "named"
    ? `an MCP server without TLS must be named in mcp_hosts of the profile: ${place}`
    : undefined;
}

/** Whether the profile has a rule for an address. */
export function ruleOnUrl(url: URL, { mcp_hosts = [] }: Pick<Profile, "mcp_hosts">): ReturnType<typeof targetRule> {
  return targetRule(targetOf(url), mcp_hosts);
}

function targetOf(url: URL): { readonly host: string; readonly port: number } {
  return { host: hostName(url), port: url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port) };
}
