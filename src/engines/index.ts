export { SERVER_STOPS } from "./engine.ts";
export type {
  Ancestor,
  Capabilities,
  Conversation,
  Engine,
  EngineEvent,
  Host,
  MeteredRequest,
  ModelFacts,
  ConversationOptions,
  SteeredPrompt,
  ToolCall,
  TurnChannel,
  Verdict,
} from "./engine.ts";
export { createAcpEngines } from "./acp/engine.ts";
export { createLoopEngine, type LoopOptions } from "./loop/engine.ts";
export { createCommandEngine } from "./command/engine.ts";
export { createComputeEngine } from "./compute/engine.ts";
export type { ClaudeOptions } from "./claude/find.ts";
export { createClaudeCliEngine } from "./claude-cli/engine.ts";
export { createClaudeSdkEngine } from "./claude-sdk/engine.ts";
export { createCodexEngine } from "./codex/engine.ts";
export { createOpenCodeEngine } from "./opencode/engine.ts";
export { createTunnelEngine, type HomeDoor } from "./tunnel/engine.ts";
