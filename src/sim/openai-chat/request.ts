import { createHash } from "node:crypto";
import { countTokens, parseInput, textOf, toolResult, type CountedPart } from "../openai/conversation.ts";
import {
  given,
  notOneOf,
  readFlag,
  readList,
  readMaxTokens,
  readName,
  readObject,
  readText,
  readToolName,
  readTools,
  refuse,
} from "../openai/fields.ts";
import { countChars } from "../tokens.ts";
import type { PromptBlock, Fields, SimMessage, SimRequest } from "../wire.ts";

const ROLES = ["system", "developer", "user", "assistant", "tool"] as const;
const USER_PARTS = ["text", "image_url", "input_audio", "file"];
const ASSISTANT_PARTS = ["text", "refusal"];
const CALL_TYPES = ["function", "custom"];

export interface ChatRequest extends SimRequest {
  /** The last chunk of a stream has the usage. */
  readonly includeUsage: boolean;
}

/** A request as the real API would accept it, or the error it would return. */
export function readRequest(body: unknown): ChatRequest {
  const fields = readObject(body, "body");
  const model = readName(fields["model"], "model");
  const stream = readFlag(fields["stream"], "stream");
  const raw = readList(fields["messages"], "messages");
  if (raw.length === 0)
    refuse("Invalid 'messages': empty array. Send at least one message.", "messages", "empty_array");
  if (given(fields["n"]) && fields["n"] !== 1)
    refuse("Invalid 'n': the scripted model gives one answer. Leave 'n' out.", "n", "invalid_value");
  const tools = readTools(fields["tools"], toolName);
  const conversation = new ChatConversation();
  for (const [index, message] of raw.entries()) conversation.add(message, `messages[${index}]`);
  conversation.end();
  return {
    model,
    stream,
    system: conversation.system.join("\n"),
    tools: tools.names,
    freeform: tools.freeform,
    messages: conversation.messages,
    digest: createHash("sha256")
      .update(`chat ${JSON.stringify(raw)}`)
      .digest("hex"),
    tokens: countTokens([{ chars: countChars(fields["tools"]), ours: false }, ...conversation.counted]),
    maxTokens: readLimit(fields),
    includeUsage: readIncludeUsage(fields, stream),
  };
}

function readLimit(fields: Fields): number | undefined {
  const [older, newer] = ["max_tokens", "max_completion_tokens"].map((name) => readMaxTokens(fields[name], name));
  if (older !== undefined && newer !== undefined)
    refuse(
      "'max_tokens' and 'max_completion_tokens' exclude each other. Send the second only.",
      "max_tokens",
      "invalid_parameter_combination",
    );
  return newer ?? older;
}

function readIncludeUsage(fields: Fields, stream: boolean): boolean {
  if (!given(fields["stream_options"])) return false;
  if (!stream)
    refuse(
      "'stream_options' needs 'stream': true. Send both or none.",
      "stream_options",
      "invalid_parameter_combination",
    );
  const options = readObject(fields["stream_options"], "stream_options");
  return readFlag(options["include_usage"], "stream_options.include_usage");
}

function toolName(tool: Fields, type: string, param: string): string {
  if (!CALL_TYPES.includes(type)) return notOneOf(`${param}.type`, type, CALL_TYPES);
  const inner = readObject(tool[type], `${param}.${type}`);
  return readToolName(inner["name"], `${param}.${type}.name`);
}

/** Reads messages in order; each tool call is answered right after its message. */
class ChatConversation {
  readonly messages: SimMessage[] = [];
  readonly system: string[] = [];
  readonly counted: CountedPart[] = [];
  #open: Set<string> = new Set();

  add(value: unknown, param: string): void {
    const fields = readObject(value, param);
    const role = readName(fields["role"], `${param}.role`);
    const { content, tool_calls } = fields;
    const chars = countChars(content) + countChars(tool_calls);
    this.counted.push({ chars, ours: role === "assistant" });
    if (role !== "tool") this.#answered(param);
    switch (role) {
      case "system":
      case "developer":
        this.system.push(textOf(readContent(content, ["text"], `${param}.content`)));
        return;
      case "user":
        return this.#fromUser(readContent(content, USER_PARTS, `${param}.content`));
      case "assistant":
        return this.#fromModel(fields, param);
      case "tool":
        return this.#result(fields, param);
      default:
        return notOneOf(`${param}.role`, role, ROLES);
    }
  }

  end(): void {
    this.#answered("messages");
  }

  #answered(param: string): void {
    if (this.#open.size === 0) return;
    const ids = [...this.#open].join(", ");
    refuse(
      `Each of 'tool_calls' needs a message with role 'tool' right after it. These tool_call_ids have none: ${ids}`,
      param,
      "invalid_value",
    );
  }

  #fromUser(blocks: readonly PromptBlock[]): void {
    const last = this.messages.at(-1);
    if (last?.role === "user")
      this.messages[this.messages.length - 1] = { role: "user", content: [...last.content, ...blocks] };
    else this.messages.push({ role: "user", content: blocks });
  }

  #fromModel({ content, tool_calls }: Fields, param: string): void {
    const calls = given(tool_calls) ? readList(tool_calls, `${param}.tool_calls`) : [];
    if (!given(content) && calls.length === 0)
      refuse(`An assistant message needs 'content' or 'tool_calls'.`, `${param}.content`, "invalid_value");
    const words = given(content) ? readContent(content, ASSISTANT_PARTS, `${param}.content`) : [];
    const blocks = calls.map((call, index) => readCall(call, `${param}.tool_calls[${index}]`));
    for (const block of blocks) if (block.type === "tool_use") this.#open.add(block.id);
    this.messages.push({ role: "assistant", content: [...words, ...blocks] });
  }

  #result(fields: Fields, param: string): void {
    const id = readName(fields["tool_call_id"], `${param}.tool_call_id`);
    if (!this.#open.delete(id))
      refuse(
        `A message with role 'tool' answers one of the 'tool_calls' right before it, and ${id} is none of them.`,
        `${param}.tool_call_id`,
        "invalid_value",
      );
    this.#fromUser([toolResult(id, textOf(readContent(fields["content"], ["text"], `${param}.content`)))]);
  }
}

/** Empty texts leave no block. */
function readContent(content: unknown, types: readonly string[], param: string): readonly PromptBlock[] {
  if (!Array.isArray(content)) {
    const text = readText(content, param);
    return text === "" ? [] : [{ type: "text", text }];
  }
  if (content.length === 0) refuse(`Invalid '${param}': empty array.`, param, "empty_array");
  return content.map((value, index): PromptBlock => {
    const place = `${param}[${index}]`;
    const part = readObject(value, place);
    const type = readName(part["type"], `${place}.type`);
    if (!types.includes(type)) return notOneOf(`${place}.type`, type, types);
    if (type === "text") return { type: "text", text: readText(part["text"], `${place}.text`) };
    if (type === "image_url")
      readName(readObject(part["image_url"], `${place}.image_url`)["url"], `${place}.image_url.url`);
    return { type: "other", of: type };
  });
}

function readCall(value: unknown, param: string): PromptBlock {
  const call = readObject(value, param);
  const id = readName(call["id"], `${param}.id`);
  const type = readName(call["type"], `${param}.type`);
  if (!CALL_TYPES.includes(type)) return notOneOf(`${param}.type`, type, CALL_TYPES);
  const place = `${param}.${type}`;
  const inner = readObject(call[type], place);
  const name = readName(inner["name"], `${place}.name`);
  if (type === "custom")
    return { type: "tool_use", id, name, input: { input: readText(inner["input"], `${place}.input`) } };
  return { type: "tool_use", id, name, input: parseInput(readText(inner["arguments"], `${place}.arguments`)) };
}
