import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type CallToolResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { Failure, type JournalEvent } from "../../protocol/index.ts";
import type { ClaudeTree } from "./claude-tree.ts";
import { listResources, readResource, templates } from "./resources.ts";
import type { Subscriptions } from "./subscriptions.ts";
import { JOB_TOOLS } from "./job-tools.ts";
import { CLAUDE_TOOLS, type ClaudeTool } from "./tools.ts";

const TOOLS: readonly ClaudeTool[] = [...CLAUDE_TOOLS, ...JOB_TOOLS];

const INSTRUCTIONS =
  "Starts and drives sessions of other agents, under policy and budget. claude_new starts one, claude_wait waits for it, claude_read reads its files, claude_prompt sends it more. containers_new runs commands in a sandbox, compute_new asks a model once. " +
  "When a session is pending_approval a person is asked: you cannot approve, only wait, unless the policy lets agents answer (claude_approve). Money is in micro-USD.";

export interface McpServerOptions {
  readonly tree: ClaudeTree;
  readonly version: string;
  readonly onError: (error: unknown) => void;
  /** For clients that subscribe file by file; absent: this client listens in another way. */
  readonly subscriptions: () => Subscriptions | undefined;
}

/** One client's MCP server: the tools, and every readable file as a resource. */
export function mcpServer(options: McpServerOptions): Server {
  const { tree } = options;
  const server = new Server(
    { name: "sallyport", title: "Sallyport", version: options.version },
    { capabilities: { tools: {}, resources: { subscribe: true } }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler("tools/list", () => ({ tools: TOOLS.map(describeTool) }));
  server.setRequestHandler("tools/call", ({ params }, context) => callTool(options, params, context));
  server.setRequestHandler("resources/list", ({ params }) =>
    refused(options, undefined, () => listResources(tree, params?.cursor)),
  );
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: templates() }));
  server.setRequestHandler("resources/read", ({ params }) =>
    refused(options, params.uri, () => readResource(tree, params.uri)),
  );
  server.setRequestHandler("resources/subscribe", ({ params }) =>
    refused(options, params.uri, async () => {
      const subscriptions = options.subscriptions();
      if (subscriptions === undefined) throw new Failure("unsupported", "subscribe with subscriptions/listen here");
      await subscriptions.add(params.uri);
      return {};
    }),
  );
  server.setRequestHandler("resources/unsubscribe", ({ params }) =>
    refused(options, params.uri, async () => {
      options.subscriptions()?.remove(params.uri);
      return {};
    }),
  );
  return server;
}

function describeTool({ name, title, description, readOnly, input, output }: ClaudeTool) {
  return {
    name,
    title,
    description,
    inputSchema: z.toJSONSchema(input, { io: "input" }) as { type: "object" },
    outputSchema: z.toJSONSchema(output) as { type: "object" },
    annotations: { readOnlyHint: readOnly, destructiveHint: name === "claude_stop", openWorldHint: true },
  };
}

async function callTool(
  { tree, onError }: McpServerOptions,
  params: { readonly name: string; readonly arguments?: unknown },
  context: ServerContext,
): Promise<CallToolResult> {
  const tool = TOOLS.find(({ name }) => name === params.name);
  if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool ${params.name}`);
  try {
    const waiting = { signal: context.mcpReq.signal, onEvent: progressTo(context, onError) };
    const { text, data } = await tool.run(tree, params.arguments ?? {}, waiting);
    return { content: [{ type: "text", text }], ...(data === undefined ? {} : { structuredContent: { ...data } }) };
  } catch (error) {
    const failure = failureOf(error, onError);
    return {
      isError: true,
      content: [{ type: "text", text: `${failure.code}: ${failure.message}` }],
      structuredContent: { ...failure.toBody() },
    };
  }
}

/** A client that asks for progress gets everything that begins meanwhile; that also prevents its timeout. */
function progressTo(context: ServerContext, onError: (error: unknown) => void): (event: JournalEvent) => void {
  const token = context.mcpReq._meta?.progressToken;
  if (token === undefined) return () => undefined;
  let progress = 0;
  return (event) => {
    progress += 1;
    const message = event.type === "item.started" && "tool" in event.item ? event.item.tool : event.type;
    context.mcpReq
      .notify({ method: "notifications/progress", params: { progressToken: token, progress, message } })
      .catch(onError);
  };
}

/** Turns a refusal outside of tools into the protocol's error, with our code beside its own. */
async function refused<Answer>(
  { onError }: McpServerOptions,
  uri: string | undefined,
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const failure = failureOf(error, onError);
    throw protocolError(failure, uri);
  }
}

export function protocolError(failure: Failure, uri?: string): ProtocolError {
  if (failure.code === "not_found" && uri !== undefined) return new ResourceNotFoundError(uri, failure.message);
  const code = failure.code === "internal" ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
  return new ProtocolError(code, failure.message, { code: failure.code, ...(uri === undefined ? {} : { uri }) });
}

export function failureOf(error: unknown, onError: (error: unknown) => void): Failure {
  if (error instanceof Failure) return error;
  onError(error);
  return new Failure("internal", "something went wrong here; the log says what");
}
