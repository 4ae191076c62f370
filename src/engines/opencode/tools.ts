import { createHash } from "node:crypto";
import { outputText, PROTOCOL_VERSION, type ContentBlock, type SessionSettings } from "../../protocol/index.ts";
import type { Toolbox, ToolDefinition } from "../../tools/toolbox.ts";
import { withAgents } from "../loop/agents.ts";
import { structuredTool } from "../loop/structured.ts";
import { record, text, type VendorFields } from "../vendor/fields.ts";

/**
 * The name of our tools' server in OpenCode. All tools of a session are ours: OpenCode's own would run outside of the session's limits,
 * look at a file anew when they run, and have no room for an input that a person changed or for a person's own words.
 */
export const TOOL_SERVER = "sallyport";
const PREFIX = `${TOOL_SERVER}_`;
/** Some providers refuse longer names. */
const NAME_CHARS = 64;
const HASH_CHARS = 8;
const PROTOCOL = "2025-06-18";
const UNKNOWN_METHOD = -32_601;

/** One of the session's tools as OpenCode knows it. */
export interface McpTool {
  /** The name under which the session knows it. */
  readonly name: string;
  /** Its name on the server; the model reads it with the server's name before it. */
  readonly served: string;
  readonly definition: ToolDefinition;
}

/** What OpenCode gets of a session's tools. */
export function servedTools(
  toolbox: Pick<Toolbox, "definitions">,
  { agents, output_schema }: Pick<SessionSettings, "agents" | "output_schema">,
): readonly McpTool[] {
  const answer = output_schema === undefined ? [] : [structuredTool(output_schema)];
  return [...toolbox.definitions(), ...answer].map((definition) => ({
    name: definition.name,
    served: servedName(definition.name),
    definition: withAgents(definition, agents),
  }));
}

function servedName(name: string): string {
  if (PREFIX.length + name.length <= NAME_CHARS) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_CHARS);
  return `${name.slice(0, NAME_CHARS - PREFIX.length - HASH_CHARS - 1)}_${hash}`;
}

/** The session's name for a tool that the model called. */
export function calledTool(called: string, tools: readonly McpTool[]): string {
  if (!called.startsWith(PREFIX)) return called;
  const served = called.slice(PREFIX.length);
  return tools.find((tool) => tool.served === served)?.name ?? served;
}

/** Runs a tool: a call by OpenCode, which does not say which one of the model's calls it is. */
export type CallTool = (
  tool: McpTool,
  input: VendorFields,
) => Promise<{ readonly content: readonly ContentBlock[]; readonly is_error: boolean }>;

/** Answers a message of the Model Context Protocol; undefined: it gets no answer. */
export async function answerMcp(
  raw: unknown,
  { tools, call }: { readonly tools: readonly McpTool[]; readonly call: CallTool },
): Promise<VendorFields | undefined> {
  const message = record(raw);
  const { id, method } = message;
  const params = record(message["params"]);
  if (id === undefined || method === undefined) return undefined;
  const reply = (result: VendorFields): VendorFields => ({ jsonrpc: "2.0", id, result });
  switch (method) {
    case "initialize":
      return reply({
        protocolVersion: text(params["protocolVersion"]) ?? PROTOCOL,
        capabilities: { tools: {} },
        serverInfo: { name: TOOL_SERVER, version: PROTOCOL_VERSION },
      });
    case "ping":
      return reply({});
    case "tools/list":
      return reply({ tools: tools.map(described) });
    case "tools/call": {
      const tool = tools.find(({ served }) => served === params["name"]);
      if (tool === undefined) return reply(toolAnswer([{ type: "text", text: "Unknown tool." }], true));
      const { content, is_error } = await call(tool, record(params["arguments"]));
      return reply(toolAnswer(content, is_error));
    }
    default:
      return {
        jsonrpc: "2.0",
        id,
        error: { code: UNKNOWN_METHOD, message: `unknown method ${JSON.stringify(method)}` },
      };
  }
}

function described({ served, definition }: McpTool): VendorFields {
  return { name: served, description: definition.description, inputSchema: definition.input_schema };
}

function toolAnswer(content: readonly ContentBlock[], isError: boolean): VendorFields {
  // OpenCode shows only text for an error.
  const blocks = isError ? [{ type: "text" as const, text: outputText(content) }] : content;
  return {
    content: blocks.map((block) =>
      block.type === "text" ? block : { type: "image", data: block.data, mimeType: block.media_type },
    ),
    isError,
  };
}
