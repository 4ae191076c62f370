export { createToolbox, type ToolboxOptions } from "./create.ts";
export { toolDefinitions } from "./definitions.ts";
export { diffHunks, unifiedDiff, withHunks, type UnifiedDiff } from "./files/diff.ts";
export { addedLines, genericPreview } from "./preview.ts";
export { isSamePlan } from "./files/change.ts";
export { leadsWhereShown } from "./shell/same-command.ts";
export { openRegularFile } from "./files/content.ts";
export { holdFolderOf } from "./files/folder.ts";
export { ripgrepFile } from "./files/grep.ts";
export { resolveInside, resolvePath } from "./files/paths.ts";
export { isRefusal } from "./refusal.ts";
export { problemsOf, schemaFault } from "./json-schema.ts";
export { sweepUnfinished } from "./files/save.ts";
export { clientToolFault, type ClientToolEnd, type ClientTool, type Unregister } from "./client-tools.ts";
export { toolsOfModule, type ToolModule } from "./module-tools.ts";
export { lookUp } from "./shell/look-up.ts";
export { searchCodeTool } from "./search/search-code.ts";
export { WorkspaceIndexes, type CodePart, type FoundParts, type PartSearch } from "./search/workspace-index.ts";
export { modelSearchTool, webSearchTool } from "./web/web-search.ts";
export { openToolSession } from "./session.ts";
export {
  errorResult,
  textResult,
  type AnyTool,
  type ApprovedRun,
  type Permission,
  type RunToolOptions,
  type Tool,
  type ToolContext,
  type ToolPreview,
  type ToolResult,
  type ToolSession,
} from "./tool.ts";
export type { CallFacts, ExtensibleToolbox, Toolbox } from "./toolbox.ts";
