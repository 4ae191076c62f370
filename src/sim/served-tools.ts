import type { ModelReply, SimMessage, SimRequest } from "./wire.ts";

/** OpenCode puts the name of a tool's server before the tool's own: our tools are `sallyport_Bash` and so on to its model. */
const SERVER = "sallyport_";

const plain = (name: string): string => (name.startsWith(SERVER) ? name.slice(SERVER.length) : name);

/** A request with the names that scripts and the demo use for tools. */
export function withPlainTools(request: SimRequest): SimRequest {
  if (![...request.tools].some((name) => name.startsWith(SERVER))) return request;
  return { ...request, tools: new Set([...request.tools].map(plain)), messages: request.messages.map(plainMessage) };
}

/** A reply that calls tools by the names that they were offered under. */
export function withServedTools(reply: ModelReply, { tools }: SimRequest): ModelReply {
  const acts = reply.acts.map((act) =>
    act.do === "tool" && !tools.has(act.name) && tools.has(SERVER + act.name)
      ? { ...act, name: SERVER + act.name }
      : act,
  );
  return { ...reply, acts };
}

function plainMessage({ role, content }: SimMessage): SimMessage {
  return {
    role,
    content: content.map((block) => (block.type === "tool_use" ? { ...block, name: plain(block.name) } : block)),
  };
}
