/** Document 000's wire at `/ws`: messages in both directions, the page's tools, and how a turn is reported. Pure. */
export { runtimeContext, type RuntimeContext } from "./runtime/context.ts";
export {
  INVALID_FORMAT,
  readRuntimeRequest,
  runtimeAnswer,
  runtimeError,
  runtimeModel,
  runtimePrompt,
  type RuntimeError,
  type RuntimeFinal,
  type RuntimeInputResponse,
  type RuntimeMessage,
  type RuntimeRequest,
  type RuntimeUserMessage,
} from "./runtime/messages.ts";
export { runtimeInstructions, runtimeNote } from "./runtime/prompt.ts";
export { RUNTIME_PAGE, RUNTIME_TOOLS, runtimeTools, type RuntimeTool } from "./runtime/tools.ts";
export { followRuntimeTurn, newRuntimeTurn, type RuntimeTurn } from "./runtime/turn.ts";
