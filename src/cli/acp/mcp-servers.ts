import type { McpServer as EditorServer } from "@agentclientprotocol/sdk";
import { Failure, type McpServer, type McpServers } from "../../protocol/index.ts";

/** An editor's MCP servers as a session request names them. The policy narrows them like any other. */
export function serversOf(servers: readonly EditorServer[]): McpServers {
  const named: Record<string, McpServer> = {};
  for (const server of servers) {
    const name = nameOf(server.name);
    if (Object.hasOwn(named, name)) throw new Failure("invalid_request", `mcpServers: two servers are named ${name}`);
    named[name] = serverOf(server);
  }
  return named;
}

/** An editor may call a server anything; models see letters, digits, `-` and single `_`. */
function nameOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9-]+/g, "_").replaceAll(/^_+|_+$/g, "");
}

function serverOf(server: EditorServer): McpServer {
  if ("command" in server) {
    const { command, args, env } = server;
    return { command, args: [...args], ...(env.length === 0 ? {} : { env: textsOf(env) }) };
  }
  const { type, url, headers } = server;
  return { type, url, ...(headers.length === 0 ? {} : { headers: textsOf(headers) }) };
}

/** The server that a session may not have, if that is why it was refused. */
export function refusedServer(error: unknown): string | undefined {
  if (!(error instanceof Failure) || error.code !== "forbidden") return undefined;
  const { details } = error;
  if (typeof details !== "object" || details === null || !("mcp_server" in details)) return undefined;
  return typeof details.mcp_server === "string" ? details.mcp_server : undefined;
}

function textsOf(texts: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
  return Object.fromEntries(texts.map(({ name, value }) => [name, value]));
}
