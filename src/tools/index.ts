export { createToolbox, type ToolboxOptions } from "./create.ts";
export { toolDefinitions } from "./definitions.ts";
export { isInside, resolvePath } from "./files/paths.ts";
export { sweepUnfinished } from "./files/save.ts";
export type { LentTool } from "./lent.ts";
export { openToolSession } from "./session.ts";
export { textResult, type Tool, type ToolSession } from "./tool.ts";
export type { AnyTool } from "./tool.ts";
export type { CallFacts, LendableToolbox, RunOptions, Toolbox } from "./toolbox.ts";
