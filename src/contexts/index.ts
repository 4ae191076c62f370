/** Document 000's 19 tools for a page that shows tables. `hosts.ts` has what they need from the page. */
export {
  BrowserToolExecutor,
  type BrowserToolExecutorOptions,
  type ContextToolCall,
  type PageToolOutcome,
} from "./executor.ts";
export { pageToolsOf, type ContextTool } from "./page-tools.ts";
export { ScriptGenerationContext } from "./script.ts";
export { SQLGenerationContext, type TablesOfSchema } from "./sql.ts";
export { classifySql } from "./sql-classify.ts";
export { withoutLeadingComments } from "./sql-comments.ts";
export { TableViewContext } from "./table-view.ts";
export { toolWords } from "./tool-words.ts";
export type * from "./hosts.ts";
