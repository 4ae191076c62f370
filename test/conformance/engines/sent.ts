import type { ModelApi } from "../../../src/protocol/index.ts";
import type { SentBlock, SentRequest } from "./model.ts";

type Fields = Readonly<Record<string, unknown>>;
type SentMessage = SentRequest["messages"][number];

/** The parts of requests that the bench looks at, by the path they came to. */
export const ASKED_AT: ReadonlyMap<string, ModelApi> = new Map([
  ["/v1/messages", "messages"],
  ["/v1/responses", "responses"],
  ["/v1/chat/completions", "chat"],
]);

/** A request of any API, in the form of the first one. */
export function sentRequest(api: ModelApi, body: unknown): SentRequest {
  switch (api) {
    case "messages":
      return body as SentRequest;
    case "responses":
      return fromResponses(body as Fields);
    case "chat":
      return fromChat(body as Fields);
  }
}

function fromResponses({ model, input, tools }: Fields): SentRequest {
  const items = input as readonly Fields[];
  const messages = items.map((item): SentMessage => {
    switch (item["type"]) {
      case "function_call_output":
        return result(item["output"]);
      case "message":
        return { role: String(item["role"]), content: contentOf(item["content"]) };
      default:
        return { role: "assistant", content: [{ type: String(item["type"]), text: JSON.stringify(item) }] };
    }
  });
  return sorted(String(model), messages, tools);
}

function fromChat({ model, messages, tools }: Fields): SentRequest {
  const list = messages as readonly Fields[];
  const functions = (tools as readonly { readonly function: unknown }[] | undefined)?.map((tool) => tool.function);
  return sorted(
    String(model),
    list.map((message): SentMessage => {
      const { role, content, tool_calls } = message;
      if (role === "tool") return result(content);
      const calls = tool_calls === undefined ? [] : [{ type: "tool_use", text: JSON.stringify(tool_calls) }];
      return { role: String(role), content: [...contentOf(content ?? []), ...calls] };
    }),
    functions,
  );
}

function sorted(model: string, messages: readonly SentMessage[], tools: unknown): SentRequest {
  const system = messages.filter(({ role }) => role === "system").map(({ content }) => content);
  const others = messages.filter(({ role }) => role !== "system");
  const offered = tools === undefined ? {} : { tools: tools as NonNullable<SentRequest["tools"]> };
  return { model, system, messages: others, ...offered };
}

function result(output: unknown): SentMessage {
  return { role: "user", content: [{ type: "tool_result", content: contentOf(output) }] };
}

function contentOf(content: unknown): readonly SentBlock[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return (content as readonly Fields[]).map((part): SentBlock => {
    const { image_url } = part;
    if (image_url === undefined) return { type: "text", text: String(part["text"]) };
    const url = String(typeof image_url === "string" ? image_url : (image_url as Fields)["url"]);
    const [, media_type = "", data = ""] = /^data:([^;]*);base64,(.*)$/.exec(url) ?? [];
    return { type: "image", source: { media_type, data } };
  });
}
