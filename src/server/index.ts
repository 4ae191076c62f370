/** `sallyport/server`: a gateway inside a Node program. */
export { openSallyport } from "./open.ts";
export type {
  EmbeddedApprovals,
  EmbeddedPrincipal,
  EmbeddedSessions,
  FrameOptions,
  RetryOptions,
  Sallyport,
  SallyportOptions,
} from "./types.ts";
export type { ModuleTool, ToolModule } from "../tools/module-tools.ts";
export {
  Failure,
  type Approval,
  type FeedFrame,
  type HookedCall,
  type HookRuling,
  type JournalEvent,
  type SessionView,
  type StreamFrame,
  type ToolHook,
} from "../protocol/index.ts";
