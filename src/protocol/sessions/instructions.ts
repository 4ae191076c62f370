import { z } from "zod";

/** Whether what the workspace says to agents is loaded. `auto`: yes. */
export const InstructionMode = z.enum(["auto", "off"]);
export type InstructionMode = z.infer<typeof InstructionMode>;

/**
 * `import`: a file of instructions that another one names with `@`. `user`: the file that the server's settings name. `nested`: instructions
 * of a folder below the workspace, which the agent was told when it worked there.
 */
export const InstructionKind = z.enum(["user", "instructions", "import", "nested", "skill", "command", "agent"]);
export type InstructionKind = z.infer<typeof InstructionKind>;

/** A file of the workspace that is loaded for its sessions. */
export const LoadedFile = z.object({
  kind: InstructionKind,
  /** From the workspace; absolute if it is not in it. */
  path: z.string(),
  /** Of a skill, a command or an agent; absent: of instructions. */
  name: z.string().optional(),
  /** What it is for, as it says itself; absent: of instructions. */
  description: z.string().optional(),
  bytes: z.number().int().nonnegative(),
  sha256: z.string(),
  /** What it adds to each request to the model, estimated: the body of a skill or an agent is read only when it is used. */
  tokens: z.number().int().nonnegative(),
});
export type LoadedFile = z.infer<typeof LoadedFile>;

/** A file that was not loaded, with the reason. */
export const SkippedFile = z.object({ path: z.string(), why: z.string() });
export type SkippedFile = z.infer<typeof SkippedFile>;

/** Lines of a file that were put beside a message of `/ws`, because they fit it. */
export const ContextPart = z.object({
  /** From the workspace. */
  path: z.string(),
  /** Counted from 1. */
  from: z.number().int().positive(),
  to: z.number().int().positive(),
  /** Estimated. */
  tokens: z.number().int().nonnegative(),
});
export type ContextPart = z.infer<typeof ContextPart>;

/** What a session's next turn begins with. */
export const SessionContext = z.object({
  instructions: InstructionMode,
  files: z.array(LoadedFile),
  left_out: z.array(SkippedFile),
  /** What was put beside messages of `/ws` since the server has the session, or since its conversation was shortened. */
  repository_parts: z.array(ContextPart),
  /** The session's own `system_prompt`, estimated. */
  system_prompt_tokens: z.number().int().nonnegative(),
  /** The definitions of its tools, estimated. */
  tool_tokens: z.number().int().nonnegative(),
  /** All files together, estimated. */
  file_tokens: z.number().int().nonnegative(),
  /** The model's window; absent: unknown. */
  window_tokens: z.number().int().positive().optional(),
});
export type SessionContext = z.infer<typeof SessionContext>;

/** A command, a skill, or a prompt of an MCP server that a prompt can begin with: `/name`. */
export const WorkspaceCommand = z.object({
  name: z.string(),
  kind: z.enum(["command", "skill", "prompt"]),
  description: z.string(),
  /** What may stand after the name; absent: it does not say. */
  argument_hint: z.string().optional(),
  /** Of a prompt: `mcp:` and the name of its server. */
  path: z.string(),
});
export type WorkspaceCommand = z.infer<typeof WorkspaceCommand>;

export const WorkspaceCommandList = z.object({ commands: z.array(WorkspaceCommand) });
export type WorkspaceCommandList = z.infer<typeof WorkspaceCommandList>;
