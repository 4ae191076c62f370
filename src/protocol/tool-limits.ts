import { BROWSER_LIMITS } from "./browser-limits.ts";
import { MCP_CLIENT_LIMITS } from "./mcp-client-limits.ts";
import { SEARCH_LIMITS } from "./search-limits.ts";

/** The bounds of tools that reach beyond the workspace's files and commands; a part of `LIMITS`. */
export const TOOL_LIMITS = { ...MCP_CLIENT_LIMITS, ...BROWSER_LIMITS, ...SEARCH_LIMITS } as const;
