import type { SessionSettings } from "../../protocol/index.ts";
import type { Toolbox } from "../../tools/toolbox.ts";
import { withAgents } from "../loop/agents.ts";
import { structuredTool } from "../loop/structured.ts";
import { functionName } from "../loop/wires/openai.ts";
import type { VendorFields } from "../vendor/fields.ts";

/** The tools of a session as Codex is told of them. */
export interface CodexTools {
  /** In the program's format (`dynamicTools`). */
  readonly specs: readonly VendorFields[];
  /** The session's name of a tool. An unknown name stays as it is. */
  nameOf(written: string): string;
}

/** Names with this beginning belong to servers that Codex itself starts. */
const RESERVED = /^mcp__/;

/**
 * All tools are ours. Codex has tools of its own, but its shell runs what it takes for harmless without a question, and none of its
 * questions can be answered with another input. So each call passes `permit` and runs in our toolbox, as in our own loop.
 */
export function codexTools(toolbox: Pick<Toolbox, "definitions">, settings: SessionSettings): CodexTools {
  const { agents, output_schema } = settings;
  const definitions = [
    ...toolbox.definitions().map((tool) => withAgents(tool, agents)),
    ...(output_schema === undefined ? [] : [structuredTool(output_schema)]),
  ];
  const names = new Map(definitions.map(({ name }) => [functionName(name.replace(RESERVED, "")), name]));
  const specs = definitions.map(({ name, description, input_schema }) => ({
    type: "function",
    name: functionName(name.replace(RESERVED, "")),
    description,
    inputSchema: input_schema,
  }));
  return { specs, nameOf: (written) => names.get(written) ?? written };
}
