export { createToolbox, type ToolboxOptions } from "./create.ts";
export { toolDefinitions, type FunctionDefinition } from "./definitions.ts";
export { resolvePath } from "./files/paths.ts";
export { sweepUnfinished } from "./files/save.ts";
export { openToolSession, type ToolSessionOptions } from "./session.ts";
export {
  errorResult,
  textResult,
  type AnyTool,
  type PathUse,
  type SubagentRequest,
  type Tool,
  type ToolContext,
  type ToolPreview,
  type ToolResult,
  type ToolSession,
} from "./tool.ts";
export type { CallFacts, RunOptions, Toolbox, ToolDefinition } from "./toolbox.ts";
