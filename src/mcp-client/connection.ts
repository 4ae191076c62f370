import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type CallToolRequest,
  type CallToolResult,
  type jsonSchemaValidator,
  type Prompt as McpPrompt,
  type RequestOptions,
  specTypeSchemas,
  type Tool,
  type Transport,
} from "@modelcontextprotocol/client";
import { pathToFileURL } from "node:url";
import { LIMITS, PROTOCOL_VERSION } from "../protocol/index.ts";
import type { publicAddress } from "../network/index.ts";
import type { Sandbox } from "../sandbox/index.ts";
import { textResult, type ToolResult } from "../tools/index.ts";
import type { ServerWay } from "./definition.ts";
import { isLoginNeeded, reasonOf } from "./failures.ts";
import { ProgramTransport } from "./program-transport.ts";
import { openRemoteFetch } from "./remote-fetch.ts";
import { answerRequests, type ServerRequests } from "./server-requests.ts";
import { callResult, promptResult, resourceResult } from "./results.ts";

/** What a connection needs of its session and its server. */
export interface ConnectionMeans {
  readonly sandbox: Sandbox;
  readonly now: () => number;
  /** Where names lead. Absent: as DNS says. */
  readonly addressOf?: typeof publicAddress | undefined;
  /** What the server may ask for. Absent: nothing. */
  readonly requests?: ServerRequests | undefined;
}

interface CallOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** The server says that it goes on with it. */
  readonly progressed?: (() => void) | undefined;
}

/** What else a server has besides tools. */
export interface ServerOffers {
  readonly resources: boolean;
  readonly prompts: boolean;
}

/** What is asked of a server. */
export type ServerCall =
  | { readonly kind: "tool"; readonly name: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly kind: "ping" | "list_resources" | "list_prompts" }
  | { readonly kind: "read_resource"; readonly uri: string }
  | { readonly kind: "get_prompt"; readonly name: string; readonly input: Readonly<Record<string, string>> };

/** A server that answers. */
export interface McpConnection {
  /** What it calls itself. */
  readonly title: string | undefined;
  readonly offers: ServerOffers;
  tools(options: CallOptions): Promise<readonly Tool[]>;
  /** None where the server has no prompts. */
  prompts(options: CallOptions): Promise<readonly McpPrompt[]>;
  call(call: ServerCall, options: CallOptions): Promise<ToolResult>;
  /**
   * What a failed call says of its server. `answered`: the server refused it. `unknown`: it may have run. `lost`: it may have run, and the
   * server cannot be reached any more.
   */
  failureKind(this: void, error: unknown): "answered" | "unknown" | "lost";
  /** Resolves with the reason when it ended by itself; never after `close`. */
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

/** Its schemas for results are not compiled: a hostile one costs too much, and the model reads any result. */
const ANY_RESULT: jsonSchemaValidator = {
  getValidator: () => (value: unknown) => ({ valid: true, data: value as never, errorMessage: undefined }),
};

interface OpenedTransport {
  readonly transport: Transport;
  /** Why it ended by itself; undefined: nothing is known. */
  readonly end: () => string | undefined;
  readonly close: () => Promise<void>;
}

interface ConnectionOptions extends CallOptions {
  readonly toolsChanged: () => void;
  /** Absent: nobody wants to know. */
  readonly promptsChanged?: (() => void) | undefined;
  /** How many requests of the server wait for an answer. Absent: nobody wants to know. */
  readonly waiting?: ((open: number) => void) | undefined;
}

/** Starts or reaches a server, and greets it. Rejects when that fails; nothing is left then. */
export async function openConnection(
  way: ServerWay,
  means: ConnectionMeans,
  { signal, timeoutMs, toolsChanged, promptsChanged, waiting }: ConnectionOptions,
): Promise<McpConnection> {
  const opened = await openTransport(way, means);
  const client = new Client(
    { name: "sallyport", version: PROTOCOL_VERSION },
    {
      capabilities: {
        ...(way.kind === "stdio" ? { roots: {} } : {}),
        ...(means.requests?.sample === undefined ? {} : { sampling: {} }),
        ...(means.requests?.elicit === undefined ? {} : { elicitation: { form: {}, url: {} } }),
      },
      jsonSchemaValidator: ANY_RESULT,
      listMaxPages: LIMITS.mcpListPages,
      inputRequired: { autoFulfill: means.requests !== undefined },
      ...(way.kind === "http" ? { versionNegotiation: { mode: "auto" as const } } : {}),
      listChanged: {
        tools: { autoRefresh: false, debounceMs: LIMITS.mcpListChangeMs, onChanged: () => toolsChanged() },
        prompts: { autoRefresh: false, debounceMs: LIMITS.mcpListChangeMs, onChanged: () => promptsChanged?.() },
      },
    },
  );
  if (way.kind === "stdio")
    client.setRequestHandler("roots/list", () => ({
      roots: [{ uri: pathToFileURL(way.workspace).href, name: "workspace" }],
    }));
  answerRequests(client, means.requests ?? {}, waiting ?? (() => undefined));
  let isClosed = false;
  const close = async (): Promise<void> => {
    isClosed = true;
    await client.close().catch(() => undefined);
    await opened.close();
  };
  const ended = new Promise<string>((resolve) => {
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
    client.onclose = () => {
      if (!isClosed) resolve(opened.end() ?? "its connection was closed");
    };
  });
  let problem: unknown;
  try {
    // What ends at once says why only when it has ended.
    const failed = ended.then((why) => {
      throw new Error(why);
    });
    await Promise.race([client.connect(opened.transport, { signal, timeout: timeoutMs }), failed]);
    return { ...verbs(client), failureKind, ended, close };
  } catch (error) {
    problem = error;
  }
  await close();
  throw new Error(opened.end() ?? reasonOf(problem), { cause: problem });
}

function verbs(client: Client): Omit<McpConnection, "failureKind" | "ended" | "close"> {
  const { resources, prompts, tools } = client.getServerCapabilities() ?? {};
  const { title, name } = client.getServerVersion() ?? {};
  return {
    title: title ?? name,
    offers: { resources: resources !== undefined, prompts: prompts !== undefined },
    tools: async ({ signal, timeoutMs: timeout }) =>
      tools === undefined ? [] : (await client.listTools(undefined, { signal, timeout, cacheMode: "refresh" })).tools,
    prompts: async ({ signal, timeoutMs: timeout }) =>
      prompts === undefined
        ? []
        : (await client.listPrompts(undefined, { signal, timeout, cacheMode: "refresh" })).prompts,
    call: (call, { signal, timeoutMs: timeout, progressed }) =>
      ask(client, call, progressed === undefined ? { signal, timeout } : { signal, timeout, onprogress: progressed }),
  };
}

async function ask(client: Client, call: ServerCall, options: RequestOptions): Promise<ToolResult> {
  switch (call.kind) {
    case "tool":
      return callResult(await callTool(client, { name: call.name, arguments: { ...call.input } }, options));
    case "ping":
      await client.ping(options);
      return textResult("");
    case "list_resources": {
      const { resources } = await client.listResources(undefined, options);
      const templates = await client.listResourceTemplates(undefined, options).catch(() => undefined);
      return textResult(JSON.stringify({ resources, templates: templates?.resourceTemplates ?? [] }));
    }
    case "read_resource":
      return resourceResult(await client.readResource({ uri: call.uri }, options));
    case "list_prompts":
      return textResult(JSON.stringify((await client.listPrompts(undefined, options)).prompts));
    case "get_prompt":
      return promptResult(await client.getPrompt({ name: call.name, arguments: { ...call.input } }, options));
  }
}

/**
 * The client's own `callTool` looks for a schema of the result in its cache, and for headers that only the newest protocol has. Without
 * that protocol both are for nothing (see ANY_RESULT), and cost as much as the rest of a short call.
 */
async function callTool(
  client: Client,
  params: CallToolRequest["params"],
  options: RequestOptions,
): Promise<CallToolResult> {
  if (client.getProtocolEra() === "modern") return client.callTool(params, options);
  return client.request({ method: "tools/call", params }, specTypeSchemas.CallToolResult, options);
}

async function openTransport(way: ServerWay, { sandbox, now, addressOf }: ConnectionMeans): Promise<OpenedTransport> {
  if (way.kind === "stdio") {
    const transport = new ProgramTransport(await sandbox.open({ argv: way.argv, cwd: way.cwd, env: way.env }), now);
    return { transport, end: () => transport.end, close: () => transport.close() };
  }
  const { login } = way;
  const look = async (response: Response): Promise<void> => {
    const needed = await login?.refused(response);
    if (needed !== undefined) throw needed;
  };
  const remote = openRemoteFetch(way, { addressOf, look });
  const options = {
    fetch: remote.fetch,
    requestInit: { headers: { ...way.headers } },
    ...(login === undefined ? {} : { authProvider: login.connection() }),
  };
  // The older way is asked for by name only, for servers that know no other.
  const transport =
    // oxlint-disable-next-line typescript/no-deprecated
    way.kind === "http"
      ? new StreamableHTTPClientTransport(way.url, options)
      : new SSEClientTransport(way.url, options);
  return { transport, end: () => undefined, close: () => remote.close() };
}

const LOST: ReadonlySet<string> = new Set([
  SdkErrorCode.ConnectionClosed,
  SdkErrorCode.NotConnected,
  SdkErrorCode.SendFailed,
]);

function failureKind(error: unknown): ReturnType<McpConnection["failureKind"]> {
  if (error instanceof ProtocolError || isLoginNeeded(error)) return "answered";
  if (error instanceof SdkError && !(error instanceof SdkHttpError)) return LOST.has(error.code) ? "lost" : "unknown";
  return "lost";
}
