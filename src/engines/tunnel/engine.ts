import { Failure, isTunnelProvider, TUNNEL_ENGINE } from "../../protocol/index.ts";
import type { Capabilities, Engine } from "../engine.ts";
import { HomeConversation } from "./conversation.ts";
import type { HomeDoor } from "./door.ts";
import { homeTool } from "./home-tool.ts";

export type { HomeDoor } from "./door.ts";

const CAPABILITIES: Capabilities = {
  streaming: true,
  // Document 003's chunks have no thoughts, pictures, sub-agents or values.
  thinking: false,
  images: false,
  subagents: false,
  structured_output: false,
  parallel_tools: true,
  edited_input: false,
  agents: false,
  fork: false,
  resume_turn: true,
  steer: false,
  warm: false,
};

const NO_TUNNEL = "There is no tunnel to another machine. Add one: sallyport tunnel add.";

/** The session runs at home: at the other end of the tunnel that is its provider. */
export function createTunnelEngine(door: HomeDoor): Engine {
  return {
    id: TUNNEL_ENGINE,
    capabilities: CAPABILITIES,
    wires: ["anthropic", "openai"],
    // Home's own workspace says what its agents read.
    instructions: "none",
    missing: () => (door.hasTunnels() ? undefined : NO_TUNNEL),
    ownTools: () => [homeTool],
    refusesProvider: (provider) => {
      if (isTunnelProvider(provider)) return door.refusal(provider);
      return new Failure(
        "invalid_request",
        `tunnel required: the engine ${TUNNEL_ENGINE} runs sessions behind tunnels, and ${provider} is none; name a provider tunnel:<id>`,
        { error: "TunnelRequired" },
      );
    },
    open: async (opening, host) => {
      if (opening.ancestry.length > 0)
        throw new Failure("unsupported", "a session at home cannot be forked here; start another one");
      return new HomeConversation(opening, host, door);
    },
  };
}
