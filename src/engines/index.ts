export type {
  Ancestor,
  Capabilities,
  Conversation,
  Engine,
  EngineEvent,
  Host,
  Opening,
  ToolCall,
  Verdict,
} from "./engine.ts";
export { createLoopEngine, type LoopOptions } from "./loop/engine.ts";
