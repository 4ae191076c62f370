/** `sallyport/server`: a gateway inside a Node program. */
export { openSallyport, type SallyportOptions, type Sallyport, type SallyportSettings } from "./open.ts";
export type {
  EmbeddedApprovals,
  EmbeddedPrincipal,
  EmbeddedSessions,
  RetryOptions,
  FrameOptions,
} from "./principal.ts";
export type { HookedCall, HookRuling, ToolHook } from "../sessions/index.ts";
export type { ModuleTool, ToolModule } from "../tools/index.ts";
export {
  Failure,
  type Approval,
  type FeedFrame,
  type JournalEvent,
  type SessionView,
  type StreamFrame,
} from "../protocol/index.ts";
