import type { Tier } from "../protocol/index.ts";
import type { ClientTool, Unregister } from "./client-tools.ts";
import type { PathUse, Permission, SubagentRequest, ToolPreview, ToolResult } from "./tool.ts";

/** How a model is told of a tool. `input_schema` is JSON Schema. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/** What the gate must know of one call before it can rule. `input` has the schema's defaults filled in. */
export interface CallFacts {
  /** The tool's own name where the model used another one for it: rules must be asked about this name. */
  readonly name: string;
  readonly known: boolean;
  readonly tier: Tier;
  readonly alwaysAsks: boolean;
  /** Set when the input does not fit the schema: what is wrong, for the model. */
  readonly schemaError?: string;
  readonly paths: readonly PathUse[];
  readonly hosts: readonly string[];
}

export interface RunToolOptions {
  readonly signal: AbortSignal;
  readonly onOutput: (text: string) => void;
  /** The model's own id of the call; absent where an engine does not tell. */
  readonly tool_use_id?: string | undefined;
  readonly subagent?: ((request: SubagentRequest) => Promise<ToolResult>) | undefined;
  /** Absent: the call is bound to nothing but its input. */
  readonly permission?: Permission | undefined;
}

/** The tools of one session, bound to its workspace and shells. */
export interface Toolbox {
  definitions(): readonly ToolDefinition[];
  /** Pure: looks at the call only. */
  facts(tool: string, input: Readonly<Record<string, unknown>>): CallFacts;
  /** May run beside other calls of the same message. */
  concurrent(tool: string): boolean;
  preview(tool: string, input: Readonly<Record<string, unknown>>): Promise<ToolPreview>;
  /** Never rejects: `Unknown tool: X`, `Error: …` and everything else the model must read are results with `is_error`. */
  run(tool: string, input: Readonly<Record<string, unknown>>, options: RunToolOptions): Promise<ToolResult>;
  /** Ends all shells of the session and forgets what was read. */
  close(): Promise<void>;
}

/** A toolbox at which others can register tools for a while. Engines do not get this view of it. */
export interface ExtensibleToolbox extends Toolbox {
  /**
   * Adds tools, all or, with a Failure, none; models are told of them from their next turn on. The answer unregisters them; twice is no
   * error. With `instead` earlier ones go in the same moment, and calls of them that run may end by themselves.
   */
  register(tools: readonly ClientTool[], instead?: Unregister): Unregister;
  /** Whether a client tool has this name now. */
  isClientTool(name: string): boolean;
  /** How many client tools there are. */
  readonly clientToolCount: number;
}
