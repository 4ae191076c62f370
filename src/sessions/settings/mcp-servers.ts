import { Failure, type McpServers, type Profile, type SessionSettings } from "../../protocol/index.ts";
import type { Caller } from "../access/access.ts";
import type { Dependencies } from "../dependencies.ts";
import { refusedServer } from "../mcp/narrow.ts";
import { withoutValues } from "../mcp/values.ts";

interface McpRequest {
  readonly caller: Caller;
  readonly profile: Profile;
  /** Absolute. */
  readonly workspace: string;
  /** Absent: as the session that this one continues. */
  readonly asked: McpServers | undefined;
  readonly base: SessionSettings | undefined;
}

/** The MCP servers of a new session, without the values of variables and headers. Throws if the caller may not have one of them. */
export function chooseMcpServers(
  { mcpServers }: Pick<Dependencies, "mcpServers">,
  { caller, profile, workspace, asked, base }: McpRequest,
): Pick<SessionSettings, "mcp_servers"> {
  // What is inherited is looked at when it starts: the policy may have changed.
  if (asked === undefined) return base?.mcp_servers === undefined ? {} : { mcp_servers: base.mcp_servers };
  const rights = { role: caller.role, profile, settings: mcpServers.servers, workspace };
  for (const [name, server] of Object.entries(asked)) {
    const refused = refusedServer(name, server, rights);
    if (refused !== undefined) throw new Failure("forbidden", `mcp_servers.${name}: ${refused}`, { mcp_server: name });
  }
  return Object.keys(asked).length === 0 ? {} : { mcp_servers: withoutValues(asked) };
}
