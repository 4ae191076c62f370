import { createRequire } from "node:module";
import type { Readable, Writable } from "node:stream";
import { Failure } from "../../protocol/index.ts";
import { installCommand, SDK_PACKAGE } from "../claude/find.ts";
import type { VendorDecision } from "../claude/transport.ts";
import type { VendorAgent } from "../claude/tools.ts";
import type { VendorFields } from "../vendor/fields.ts";

/** How the SDK wants a process to look. */
export interface SpawnedProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly killed: boolean;
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
  kill(signal: NodeJS.Signals): boolean;
  on(event: "exit", listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  on(event: "error", listener: (error: Error) => void): void;
  once(event: "exit", listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  once(event: "error", listener: (error: Error) => void): void;
  off(event: "exit", listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  off(event: "error", listener: (error: Error) => void): void;
}

export interface SpawnOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The part of the SDK's transport to an in-process MCP server that we use. */
export interface McpTransport {
  onmessage?: (message: unknown) => void;
  start(): Promise<void>;
  send(message: unknown): Promise<void>;
}

type CanUseTool = (
  tool: string,
  input: VendorFields,
  context: { readonly toolUseID: string; readonly agentID?: string; readonly signal: AbortSignal },
) => Promise<VendorDecision>;

/** The options of a query that we set: none of the SDK's own defaults may matter. */
export interface QueryOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly model: string;
  readonly pathToClaudeCodeExecutable: string;
  readonly spawnClaudeCodeProcess: (options: SpawnOptions) => SpawnedProcess;
  readonly permissionMode: "default";
  readonly settingSources: readonly never[];
  readonly strictMcpConfig: true;
  readonly includePartialMessages: true;
  readonly forwardSubagentText: true;
  readonly systemPrompt: { readonly type: "preset"; readonly preset: "claude_code"; readonly append?: string };
  readonly tools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly toolAliases: Readonly<Record<string, string>>;
  readonly maxTurns: number;
  readonly thinking?: { readonly type: "enabled"; readonly budgetTokens: number };
  readonly outputFormat?: { readonly type: "json_schema"; readonly schema: VendorFields };
  readonly agents?: Readonly<Record<string, VendorAgent>>;
  readonly mcpServers: Readonly<Record<string, object>>;
  readonly hooks: Readonly<Record<string, readonly object[]>>;
  readonly canUseTool: CanUseTool;
  readonly extraArgs: Readonly<Record<string, string | null>>;
  readonly sessionId?: string;
  readonly resume?: string;
  readonly forkSession?: boolean;
  readonly resumeSessionAt?: string;
}

export interface SdkQuery extends AsyncIterable<unknown> {
  /** Resolves when the process waits for the first message. */
  initializationResult(): Promise<unknown>;
  setMcpServers(servers: Readonly<Record<string, object>>): Promise<unknown>;
  interrupt(): Promise<unknown>;
  close(): void;
}

/** What we use of `@anthropic-ai/claude-agent-sdk`. */
export interface Sdk {
  query(request: { readonly prompt: AsyncIterable<object>; readonly options: QueryOptions }): SdkQuery;
}

/** Why the package cannot be used; undefined: it can. */
export function missingSdk(): string | undefined {
  try {
    createRequire(import.meta.url).resolve(SDK_PACKAGE);
    return undefined;
  } catch {
    return `The engine claude-sdk needs the package ${SDK_PACKAGE}: run ${installCommand(import.meta.url)}, or use the engine claude-cli.`;
  }
}

/** Loads the SDK, which is not one of our dependencies: the server starts without it. */
export async function loadSdk(): Promise<Sdk> {
  try {
    // By a name that the compiler does not follow: the build works without the package.
    const name: string = SDK_PACKAGE;
    return (await import(name)) as Sdk;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure(
      "unsupported",
      `${missingSdk() ?? `The package ${SDK_PACKAGE} cannot be loaded: install it again.`} (${reason})`,
    );
  }
}
