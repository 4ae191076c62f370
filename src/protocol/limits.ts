import { ACCESS_LIMITS } from "./limits/access.ts";
import { BROWSER_LIMITS } from "./limits/browser.ts";
import { CLIENT_LIMITS } from "./limits/client.ts";
import { ENGINE_LIMITS } from "./limits/engines.ts";
import { FULL_TEXT_LIMITS } from "./limits/full-text.ts";
import { WORKSPACE_LIMITS } from "./limits/workspaces.ts";
import { MCP_CLIENT_LIMITS } from "./limits/mcp-client.ts";
import { MODEL_LIMITS } from "./limits/models.ts";
import { OPERATION_LIMITS } from "./limits/operations.ts";
import { SANDBOX_LIMITS } from "./limits/sandbox.ts";
import { SEARCH_LIMITS } from "./limits/search.ts";
import { SESSION_LIMITS } from "./limits/sessions.ts";
import { STORE_LIMITS } from "./limits/store.ts";
import { SURFACE_LIMITS } from "./limits/surfaces.ts";
import { TOOL_LIMITS } from "./limits/tools.ts";

/**
 * Every bound of the product, by name, in one place (DESIGN §9, checklist X-008).
 * Times are milliseconds, sizes are bytes unless the name says otherwise.
 */
export const LIMITS = {
  ...ACCESS_LIMITS,
  ...BROWSER_LIMITS,
  ...CLIENT_LIMITS,
  ...ENGINE_LIMITS,
  ...FULL_TEXT_LIMITS,
  ...WORKSPACE_LIMITS,
  ...MCP_CLIENT_LIMITS,
  ...MODEL_LIMITS,
  ...OPERATION_LIMITS,
  ...SANDBOX_LIMITS,
  ...SEARCH_LIMITS,
  ...SESSION_LIMITS,
  ...STORE_LIMITS,
  ...SURFACE_LIMITS,
  ...TOOL_LIMITS,
} as const;
