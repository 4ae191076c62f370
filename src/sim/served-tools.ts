import type { ModelReply, SimMessage, SimRequest } from "./wire.ts";

/**
 * Programs put the name of a tool's server before the tool's own: our Bash is `sallyport_Bash` to OpenCode's model, and
 * `mcp__sallyport__Bash` to Claude's and to those of most ACP agents.
 */
const SERVERS = ["sallyport_", "mcp__sallyport__"] as const;

/** Scripts mean Claude's own tools by the plain names, and test what its program makes of them. */
const SERVERS_OF_SCRIPTS = ["sallyport_"] as const;

function plain(name: string): string {
  const server = SERVERS.find((prefix) => name.startsWith(prefix)) ?? "";
  return name.slice(server.length);
}

/** A request with the names that scripts and the demo use for tools. */
export function withPlainTools(request: SimRequest): SimRequest {
  if ([...request.tools].every((name) => plain(name) === name)) return request;
  return { ...request, tools: new Set([...request.tools].map(plain)), messages: request.messages.map(plainMessage) };
}

/** A reply of the demo that calls tools by the names that they were offered under. */
export function withServedTools(
  reply: ModelReply,
  { tools }: SimRequest,
  servers: readonly string[] = SERVERS,
): ModelReply {
  const acts = reply.acts.map((act) => {
    if (act.do !== "tool" || tools.has(act.name)) return act;
    const server = servers.find((prefix) => tools.has(prefix + act.name)) ?? "";
    return { ...act, name: server + act.name };
  });
  return { ...reply, acts };
}

/** The same of a script. */
export function withScriptedTools(reply: ModelReply, request: SimRequest): ModelReply {
  return withServedTools(reply, request, SERVERS_OF_SCRIPTS);
}

function plainMessage({ role, content }: SimMessage): SimMessage {
  return {
    role,
    content: content.map((block) => (block.type === "tool_use" ? { ...block, name: plain(block.name) } : block)),
  };
}
