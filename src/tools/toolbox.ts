import type { ProvenReading } from "../gate/index.ts";
import type { Tier } from "../protocol/index.ts";
import type { ClientTool, Unregister } from "./client-tools.ts";
import type { PathUse, RunToolOptions, ToolPreview, ToolResult } from "./tool.ts";

/** A tool's definition for models. `input_schema` is JSON Schema. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/** What is known of a tool whatever it is called with. */
export interface ToolTraits {
  /** The tool's own name if the model used an alias: rules are checked against this name. */
  readonly name: string;
  readonly known: boolean;
  readonly tier: Tier;
  readonly alwaysAsks: boolean;
  /** May run in parallel with other calls of the same message. */
  readonly concurrent: boolean;
  /** Of an MCP server's tool: identifies what the server says of it. Absent: it is no such tool. */
  readonly definition?: string;
}

/** What the gate must know about one call before it can rule. `input` has the schema's defaults filled in. */
export interface CallFacts extends Omit<ToolTraits, "concurrent"> {
  /** Set when the input does not fit the schema: what is wrong, for the model. */
  readonly schemaError?: string;
  readonly paths: readonly PathUse[];
  readonly hosts: readonly string[];
}

/** The tools of one session, bound to its workspace and shells. */
export interface Toolbox {
  definitions(): readonly ToolDefinition[];
  /** Pure: looks at no input. An unknown name gets the traits of a tool that could do anything. */
  traits(tool: string): ToolTraits;
  /** Pure: looks at the call only. Parses the input: use `traits` where that is not needed. */
  facts(tool: string, input: Readonly<Record<string, unknown>>): CallFacts;
  preview(tool: string, input: Readonly<Record<string, unknown>>): Promise<ToolPreview>;
  /** Never rejects: `Unknown tool: X`, `Error: …` and everything else the model must read are results with `is_error`. */
  run(tool: string, input: Readonly<Record<string, unknown>>, options: RunToolOptions): Promise<ToolResult>;
  /** Ends all shells of the session and forgets what was read. */
  close(): Promise<void>;
}

/** A toolbox to which others can add tools for a while. Engines do not get this view of it. */
export interface ExtensibleToolbox extends Toolbox {
  /**
   * Adds tools, all or, with a Failure, none; models see them from their next turn on. Call the result to unregister them; twice is no
   * error. With `instead` earlier ones are replaced in the same step, and their running calls may finish.
   */
  register(tools: readonly ClientTool[], instead?: Unregister): Unregister;
  /** What a call of a tool that could do more only reads; undefined: it may do more. Never rejects. */
  onlyReads(tool: string, input: Readonly<Record<string, unknown>>): Promise<ProvenReading | undefined>;
  /** Whether a client tool has this name now. */
  isClientTool(name: string): boolean;
  /** Resolves when a client tool has this name, or the signal is aborted. */
  whenRegistered(name: string, signal: AbortSignal): Promise<void>;
  /** How many client tools there are. */
  readonly clientToolCount: number;
}
