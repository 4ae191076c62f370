import type { z } from "zod";
import type {
  CommandPart,
  ContentBlock,
  FileChange,
  ModelApi,
  NewId,
  PlannedChange,
  Preview,
  Redactor,
  Tier,
  Warning,
} from "../protocol/index.ts";
import type { ProvenReading } from "../gate/index.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { FileLedger } from "./files/ledger.ts";
import type { Shells } from "./shell/shells.ts";

/** A path that a tool call names, and how it is used. */
export interface PathUse {
  readonly path: string;
  readonly access: "read" | "write";
}

export interface SubagentRequest {
  readonly description: string;
  readonly prompt: string;
  readonly subagent_type?: string | undefined;
  readonly model?: string | undefined;
}

/** What lives as long as its session: its workspace, its shells, the files it has read. */
export interface ToolSession {
  /** Absolute, symlinks resolved. */
  readonly workspace: string;
  readonly sandbox: Sandbox;
  readonly files: FileLedger;
  readonly shells: Shells;
  /** A folder outside the workspace where output that is too long is kept. */
  readonly outputFolder: string;
  /** Folders beyond the workspace that may be read; `outputFolder` is always one of them. */
  readonly extraRead: readonly string[];
  /** Folders that are hidden from tools: the server's own. Real; `outputFolder` is exempt. */
  readonly hidden: readonly string[];
  /** Hosts that WebFetch may reach; globs. A host of the local network only if it is named exactly. */
  readonly webHosts: readonly string[];
  /** Applied to output before it is stored in a file; absent: stored unchanged. */
  readonly redact?: Redactor | undefined;
  readonly newId: NewId;
  readonly now: () => number;
}

/** What a person saw of a call before approving it. */
export interface ApprovedRun {
  readonly planned: PlannedChange | undefined;
  /** Of a command: its parts, with the programs and paths that they use. Absent: none were shown, or a person wrote another one. */
  readonly parts?: readonly CommandPart[] | undefined;
}

/** What a call was permitted to do. */
export interface Permission {
  /** What a foreign server said of the tool when it was ruled on. Absent: it is no such tool. */
  readonly definition?: string | undefined;
  /** The paths that the gate ruled on, as the call gives them, and where they led. */
  readonly judged: ReadonlyMap<string, string>;
  /** What a person approved. Absent: nobody was asked. */
  readonly approved?: ApprovedRun | undefined;
  /** Nobody was asked because it only reads. It must still be so when it runs, and it runs in an environment where it holds. */
  readonly onlyReads?: true | undefined;
}

/** The session's model, for a tool that asks it: by the session's own key, so that it is reserved, metered and limited like any request. */
export interface ToolModel {
  readonly name: string;
  readonly api: ModelApi;
  /** Asks once, without streaming. The answer as text, cut to a bound. Rejects when there is none. */
  post(body: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ModelAnswer>;
}

interface ModelAnswer {
  readonly status: number;
  readonly text: string;
}

export interface RunToolOptions {
  /** Absent: the call is bound only to its input. */
  readonly permission?: Permission | undefined;
  readonly signal: AbortSignal;
  /** Output while the tool runs; live only. */
  readonly onOutput: (text: string) => void;
  /** The model's own id of the call; absent if an engine does not pass it on. */
  readonly tool_use_id?: string | undefined;
  /** Absent: no model can be asked. */
  readonly model?: (() => ToolModel) | undefined;
  /** Runs a sub-agent to its end; absent if the engine has none. */
  readonly subagent?: ((request: SubagentRequest) => Promise<ToolResult>) | undefined;
}

/** What one call may use. */
export type ToolContext = ToolSession & RunToolOptions;

export interface ToolResult {
  readonly content: readonly ContentBlock[];
  readonly is_error: boolean;
  readonly exit_code?: number | undefined;
  readonly changes?: readonly FileChange[] | undefined;
  /** Unified diff of what was changed. */
  readonly diff?: string | undefined;
  /** Nothing was done: what the call was permitted for has changed. */
  readonly changed?: true | undefined;
  /** It was asked about again, and refused. */
  readonly refusal?: RunRefusal | undefined;
}

interface RunRefusal {
  readonly status: "declined" | "timed_out" | "failed" | "interrupted";
  /** The person also ended the turn. */
  readonly interrupt: boolean;
}

export interface ToolPreview {
  readonly preview: Preview;
  readonly warnings: readonly Warning[];
  /** Of a tool that changes a file: what it will do. Absent: it cannot, or the tool changes no files. */
  readonly planned?: PlannedChange | undefined;
}

/** One tool: what it is, what it needs, what a person sees before it runs, and how it runs. */
export interface Tool<Input = never> {
  readonly name: string;
  /** Other names under which a model may call it; never shown. */
  readonly aliases?: readonly string[];
  readonly description: string;
  readonly tier: Tier;
  /** Runs in parallel with other calls of the same message. Only if it changes nothing. Absent: it does not. */
  readonly concurrent?: boolean;
  /**
   * Arguments of a vendor's own tool of this name that mean nothing to ours: they are accepted and ignored, and not shown to models that
   * call ours. Absent: none.
   */
  readonly ignored?: Readonly<Record<string, z.ZodType>>;
  /** It can be called, but models are not told of it. Absent: they are. */
  readonly hidden?: true;
  /** An MCP server's tool of the same name takes its place. Absent: the name is taken. */
  readonly yields?: true;
  /** Strict: an unknown argument is an error that names it. */
  readonly input: z.ZodType<Input>;
  /** The input's JSON Schema for models. Absent: made from `input`. */
  readonly input_schema?: Readonly<Record<string, unknown>>;
  /** Of an MCP server's tool: identifies what the server says of it. Absent: it is no such tool. */
  readonly definition?: string | undefined;
  /** Always a question to a person, whatever the policy's autonomy (AskUserQuestion). */
  readonly alwaysAsks?: boolean;
  paths(input: Input): readonly PathUse[];
  /** Hosts that the call will reach. Absent: none. */
  hosts?(input: Input): readonly string[];
  /** Whether the call only reads, by what is on the disk now. Absent: its tier says all. */
  onlyReads?(input: Input, session: ToolSession): Promise<ProvenReading | undefined>;
  /** Changes nothing. */
  preview(input: Input, session: ToolSession): Promise<ToolPreview>;
  /** Never throws for failures of the outside world: those are results with `is_error`. */
  execute(input: Input, context: ToolContext): Promise<ToolResult>;
}

/** A tool whose input type is unknown here. Only the output of its own schema may be passed to its methods. */
export type AnyTool = Tool<unknown>;

export function textResult(text: string, more: Partial<ToolResult> = {}): ToolResult {
  return { content: [{ type: "text", text }], is_error: false, ...more };
}

export function errorResult(text: string, more: Partial<ToolResult> = {}): ToolResult {
  return { content: [{ type: "text", text }], is_error: true, ...more };
}
