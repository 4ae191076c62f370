import { defined, toolFacts, type SessionSettings } from "../../protocol/index.ts";
import type { Toolbox, ToolDefinition } from "../../tools/toolbox.ts";

/**
 * Ours in place of the program's own (`claude: "ours"` in TOOL_FACTS). Its WebFetch asks api.anthropic.com about each host before it
 * fetches, and knows neither the policy's hosts nor that a host of the own network is no page. Its searches would find what is in the
 * server's home, where that lies in the workspace. Its shell reads the user's startup files and hands on its own
 * environment, the session's key included; ours starts with a clean one. Its Write, Edit and NotebookEdit look at the file
 * anew when they run: only ours change nothing but what was shown, at the place that was ruled on.
 */
const OURS = "sallyport";

/** Never offered: they reach other sessions or the vendor, or start something that outlives the turn. */
export const FORBIDDEN_TOOLS = [
  "ListAgents",
  "SendMessage",
  "CronCreate",
  "CronDelete",
  "CronList",
  "ScheduleWakeup",
  "RemoteTrigger",
  "Workflow",
  "Monitor",
  "Skill",
  "ToolSearch",
  "WebSearch",
  "EnterWorktree",
  "ExitWorktree",
  "EnterPlanMode",
  "ExitPlanMode",
  "TaskOutput",
  "TaskStop",
  "ReportFindings",
] as const;

/** One of our tools, which the program reaches over MCP within this process. */
export interface OfferedTool {
  /** The name under which the session knows it. */
  readonly name: string;
  readonly server: string;
  /** Its name on that server. */
  readonly tool: string;
  readonly definition: ToolDefinition;
  /** Runs in parallel with other calls of the same message. */
  readonly concurrent: boolean;
}

/** What the program gets of a session's tools. */
export interface Offer {
  /** The program's own tools. */
  readonly tools: readonly string[];
  readonly offered: readonly OfferedTool[];
  /** Names that a model may use for a client tool, with their targets. */
  readonly aliases: Readonly<Record<string, string>>;
}

export function offerOf(toolbox: Pick<Toolbox, "definitions" | "traits">): Offer {
  const definitions = toolbox.definitions();
  const offered = definitions.flatMap((definition) =>
    offeredTool(definition, toolbox.traits(definition.name).concurrent),
  );
  return {
    tools: definitions.flatMap(({ name }) => ownTool(name) ?? []),
    offered,
    aliases: Object.fromEntries(
      offered.filter(({ name, tool }) => name === tool).map((tool) => [tool.name, vendorName(tool)]),
    ),
  };
}

/** A kind of sub-agent in the program's format. */
export interface VendorAgent {
  readonly description: string;
  readonly prompt: string;
  /** Absent: all of the program's tools. */
  readonly tools?: readonly string[];
  readonly model?: string;
}

/** Tools that the session does not have are left out: a kind of agent can only have fewer. */
export function vendorAgents(
  agents: NonNullable<SessionSettings["agents"]>,
  { tools, offered }: Offer,
): Readonly<Record<string, VendorAgent>> {
  const vendorTools = (name: string): readonly string[] => {
    const own = ownTool(name);
    if (own !== undefined && tools.includes(own)) return [own];
    return offered.filter((tool) => tool.name === name).map(vendorName);
  };
  return Object.fromEntries(
    Object.entries(agents).map(([name, { description, prompt, tools: named, model }]) => [
      name,
      defined({ description, prompt, tools: named?.flatMap(vendorTools), model }),
    ]),
  );
}

/** The session's name for one of the program's. */
export function toolName(vendor: string): string {
  const prefix = `mcp__${OURS}__`;
  return vendor.startsWith(prefix) ? vendor.slice(prefix.length) : vendor;
}

/** The program's own tool that stands for one of the session's. */
function ownTool(name: string): string | undefined {
  const claude = toolFacts(name)?.claude;
  return typeof claude === "object" ? claude.own : undefined;
}

function vendorName({ server, tool }: OfferedTool): string {
  return `mcp__${server}__${tool}`;
}

function offeredTool(definition: ToolDefinition, concurrent: boolean): readonly OfferedTool[] {
  const { name } = definition;
  if (toolFacts(name)?.claude === "ours") return [{ name, server: OURS, tool: name, definition, concurrent }];
  const parts = /^mcp__(.+?)__(.+)$/.exec(name);
  if (parts === null) return [];
  const [, server = "", tool = ""] = parts;
  return [{ name, server, tool, definition, concurrent }];
}
