/** Of agents that speak the Agent Client Protocol. */
export const AGENT_LIMITS = {
  /** How long an ACP agent that was told to stop may take until it is ended; the turn is over for people long before. */
  agentStopMs: 10_000,
  /** Requests of an ACP agent that are answered at the same time. */
  agentRequests: 64,
  /** Terminals that an ACP agent has at once, and the output that is kept of each. */
  agentTerminals: 16,
  agentTerminalChars: 1_048_576,
  /** Connections of an ACP agent's tool servers to us. */
  agentToolChannels: 8,
  /** Tool calls that an ACP agent has open at once. */
  agentOpenCalls: 256,
  /** ACP agents that the settings name, and words of the command of one. */
  agentsNamed: 50,
  agentWords: 100,
} as const;
