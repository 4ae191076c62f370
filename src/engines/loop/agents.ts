import { toolFacts, type AgentDefinition, type SessionSettings } from "../../protocol/index.ts";
import type { ToolDefinition } from "../../tools/toolbox.ts";

type Agents = SessionSettings["agents"];

/** The agent that a task names; undefined: a general one. */
export function agentOf(agents: Agents, subagent_type: string | undefined): AgentDefinition | undefined {
  if (agents === undefined || subagent_type === undefined) return undefined;
  return Object.hasOwn(agents, subagent_type) ? agents[subagent_type] : undefined;
}

/** Lists the available sub-agents in the description of the tool that starts them. */
export function withAgents(tool: ToolDefinition, agents: Agents): ToolDefinition {
  const named = Object.entries(agents ?? {});
  if (toolFacts(tool.name)?.item !== "subagent" || named.length === 0) return tool;
  const lines = named.map(([name, { description }]) => `- ${name}: ${description}`);
  return { ...tool, description: `${tool.description} Kinds (subagent_type):\n${lines.join("\n")}` };
}
