import type { Capabilities } from "../engine.ts";

export const CLAUDE_CAPABILITIES: Capabilities = {
  streaming: true,
  thinking: true,
  parallel_tools: true,
  edited_input: true,
  images: true,
  subagents: true,
  structured_output: true,
  agents: true,
  fork: true,
  resume_turn: true,
  steer: true,
  warm: true,
};
