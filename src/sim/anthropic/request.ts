import { createHash } from "node:crypto";
import { isSignature } from "../signature.ts";
import { countChars, tokensOf } from "../tokens.ts";
import {
  ApiError,
  type PromptBlock,
  type Fields,
  type InputTokens,
  type SimMessage,
  type SimRequest,
} from "../wire.ts";

const MAX_CACHE_MARKS = 4;
const MIN_THINKING_TOKENS = 1_024;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/** A request as the real API would accept it, or the error it would return. */
export function readRequest(body: unknown): SimRequest {
  const fields = record(body) ?? bad("the body must be a JSON object");
  const model = text(fields["model"]) ?? bad("model: Field required");
  const maxTokens = readMaxTokens(fields["max_tokens"]);
  const raw = fields["messages"];
  if (!Array.isArray(raw)) return bad("messages: Field required");
  if (raw.length === 0) return bad("messages: at least one message is required");
  const tools = readTools(fields["tools"]);
  checkThinking(fields, maxTokens);
  const messages = merge(
    raw.map((message, index) => readMessage(message, index, raw.length)).filter((message) => message !== undefined),
  );
  if (messages[0]?.role !== "user") bad('messages: first message must use the "user" role');
  checkPairs(messages);
  checkEnd(messages);
  return {
    model,
    stream: fields["stream"] === true,
    system: readSystem(fields["system"]),
    tools,
    freeform: new Set(),
    messages,
    digest: createHash("sha256").update(JSON.stringify(raw)).digest("hex"),
    tokens: countTokens(fields, raw),
    maxTokens,
  };
}

/** Only what counting needs. */
export function countRequest(body: unknown): number {
  const fields = record(body) ?? bad("the body must be a JSON object");
  if (text(fields["model"]) === undefined) bad("model: Field required");
  const messages = fields["messages"];
  if (!Array.isArray(messages) || messages.length === 0) return bad("messages: Field required");
  const { input, cacheWrite, cacheRead } = countTokens(fields, messages);
  return input + cacheWrite + cacheRead;
}

function bad(message: string): never {
  throw new ApiError(400, message);
}

function record(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function readMaxTokens(value: unknown): number {
  if (value === undefined) return bad("max_tokens: Field required");
  if (typeof value !== "number" || !Number.isInteger(value)) return bad("max_tokens: Input should be a valid integer");
  return value < 1 ? bad("max_tokens: Input should be greater than or equal to 1") : value;
}

function readSystem(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return bad("system: Input should be a valid string or list");
  return value
    .map((block, index) => {
      const content = record(block)?.["text"];
      if (typeof content !== "string") return bad(`system.${index}.text: Field required`);
      return content === "" ? bad("system: text content blocks must be non-empty") : content;
    })
    .join("\n");
}

function readTools(value: unknown): ReadonlySet<string> {
  if (value === undefined) return new Set();
  if (!Array.isArray(value)) return bad("tools: Input should be a valid list");
  const names = new Set<string>();
  for (const [index, tool] of value.entries()) {
    const fields = record(tool) ?? bad(`tools.${index}: Input should be an object`);
    const name = text(fields["name"]) ?? bad(`tools.${index}.name: Field required`);
    if (!TOOL_NAME.test(name)) bad(`tools.${index}.name: String should match pattern '${TOOL_NAME.source}'`);
    if (names.has(name)) bad("tools: Tool names must be unique.");
    const custom = fields["type"] === undefined || fields["type"] === "custom";
    if (custom && record(fields["input_schema"])?.["type"] !== "object") {
      bad(`tools.${index}.input_schema.type: Field required`);
    }
    names.add(name);
  }
  return names;
}

function checkThinking(fields: Fields, maxTokens: number): void {
  const thinking = record(fields["thinking"]);
  if (thinking?.["type"] !== "enabled") return;
  const budget = thinking["budget_tokens"];
  if (typeof budget !== "number") return bad("thinking.enabled.budget_tokens: Field required");
  if (budget < MIN_THINKING_TOKENS)
    bad(`thinking.enabled.budget_tokens: Input should be greater than or equal to ${MIN_THINKING_TOKENS}`);
  if (budget >= maxTokens) bad("`max_tokens` must be greater than `thinking.budget_tokens`");
  const choice = record(fields["tool_choice"])?.["type"];
  if (choice === "any" || choice === "tool") bad("Thinking may not be enabled when tool_choice forces tool use.");
}

function readMessage(value: unknown, index: number, length: number): SimMessage | undefined {
  const place = `messages.${index}`;
  const fields = record(value) ?? bad(`${place}: Input should be an object`);
  const { role, content } = fields;
  // Instructions in the middle of a conversation belong to newer versions of the API; they are ignored here.
  if (role === "system" && index > 0) return undefined;
  if (role !== "user" && role !== "assistant") return bad(`${place}.role: Input should be 'user' or 'assistant'`);
  if (typeof content === "string") {
    if (content === "" && !(role === "assistant" && index === length - 1)) return emptyMessage(place);
    return { role, content: content === "" ? [] : [readText(content)] };
  }
  if (!Array.isArray(content)) return bad(`${place}.content: Field required`);
  if (content.length === 0 && !(role === "assistant" && index === length - 1)) return emptyMessage(place);
  return { role, content: content.map((block, at) => readBlock(block, role, `${place}.content.${at}`)) };
}

function emptyMessage(place: string): never {
  return bad(`${place}: all messages must have non-empty content except for the optional final assistant message`);
}

function readText(value: string): PromptBlock {
  if (value === "") return bad("messages: text content blocks must be non-empty");
  if (value.trim() === "") return bad("messages: text content blocks must contain non-whitespace text");
  return { type: "text", text: value };
}

function readBlock(value: unknown, role: SimMessage["role"], place: string): PromptBlock {
  const fields = record(value) ?? bad(`${place}: Input should be an object`);
  const type = text(fields["type"]) ?? bad(`${place}.type: Field required`);
  const belongs = (to: SimMessage["role"]): void => {
    if (role !== to) bad(`${place}: \`${type}\` blocks can only be in \`${to}\` messages`);
  };
  switch (type) {
    case "text":
      return typeof fields["text"] === "string" ? readText(fields["text"]) : bad(`${place}.text.text: Field required`);
    case "thinking":
      belongs("assistant");
      return readThinking(fields, place);
    case "tool_use":
      belongs("assistant");
      return readToolUse(fields, place);
    case "tool_result":
      belongs("user");
      return readToolResult(fields, place);
    case "image":
      checkImage(fields, place);
      return { type: "other", of: type };
    default:
      return { type: "other", of: type };
  }
}

function readThinking(fields: Fields, place: string): PromptBlock {
  const { thinking, signature } = fields;
  if (typeof thinking !== "string") return bad(`${place}.thinking.thinking: Field required`);
  if (typeof signature !== "string" || signature === "") return bad(`${place}.thinking.signature: Field required`);
  if (!isSignature(signature, thinking)) return bad(`${place}: Invalid \`signature\` in \`thinking\` block`);
  return { type: "thinking", thinking, signature };
}

function readToolUse(fields: Fields, place: string): PromptBlock {
  const id = text(fields["id"]) ?? bad(`${place}.tool_use.id: Field required`);
  const name = text(fields["name"]) ?? bad(`${place}.tool_use.name: Field required`);
  const input = record(fields["input"]) ?? bad(`${place}.tool_use.input: Input should be an object`);
  if (!TOOL_NAME.test(id)) bad(`${place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  return { type: "tool_use", id, name, input };
}

function readToolResult(fields: Fields, place: string): PromptBlock {
  const id = text(fields["tool_use_id"]) ?? bad(`${place}.tool_result.tool_use_id: Field required`);
  const { content } = fields;
  const is_error = fields["is_error"] === true;
  if (content === undefined) return { type: "tool_result", tool_use_id: id, text: "", is_error };
  if (typeof content === "string") return { type: "tool_result", tool_use_id: id, text: content, is_error };
  if (!Array.isArray(content)) return bad(`${place}.tool_result.content: Input should be a valid string or list`);
  const texts: string[] = [];
  for (const [at, part] of content.entries()) {
    const block = readBlock(part, "user", `${place}.tool_result.content.${at}`);
    if (block.type === "text") texts.push(block.text);
    else if (block.type !== "other")
      bad(`${place}.tool_result.content.${at}: \`${block.type}\` cannot be in a tool result`);
    else if (is_error) bad(`${place}.tool_result: all content must be type \`text\` if \`is_error\` is true`);
  }
  return { type: "tool_result", tool_use_id: id, text: texts.join("\n"), is_error };
}

function checkImage(fields: Fields, place: string): void {
  const source = record(fields["source"]) ?? bad(`${place}.image.source: Field required`);
  if (source["type"] === "base64" && text(source["data"]) === undefined)
    bad(`${place}.image.source.base64.data: image cannot be empty`);
}

/** Neighbours of the same role are one message. */
function merge(messages: readonly SimMessage[]): readonly SimMessage[] {
  const merged: SimMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role === message.role)
      merged[merged.length - 1] = { role: last.role, content: [...last.content, ...message.content] };
    else merged.push(message);
  }
  return merged;
}

/** Each tool call is answered in the very next message, and nothing else is. */
function checkPairs(messages: readonly SimMessage[]): void {
  const seen = new Set<string>();
  let open: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    const answered = new Set<string>();
    let textSeen = false;
    for (const [at, block] of message.content.entries()) {
      if (block.type !== "tool_result") textSeen = true;
      else {
        if (!open.includes(block.tool_use_id)) {
          bad(
            `messages.${index}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
          );
        }
        if (answered.has(block.tool_use_id))
          bad(
            `messages.${index}.content.${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${block.tool_use_id}`,
          );
        if (textSeen) bad(`messages.${index}.content.${at}: \`tool_result\` blocks must come before other content`);
        answered.add(block.tool_use_id);
      }
    }
    unanswered(
      index - 1,
      open.filter((id) => !answered.has(id)),
    );
    open = message.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    for (const id of open) {
      if (seen.has(id)) bad(`messages.${index}: \`tool_use\` ids must be unique`);
      seen.add(id);
    }
  }
  unanswered(messages.length - 1, open);
}

function unanswered(index: number, ids: readonly string[]): void {
  if (ids.length === 0) return;
  bad(
    `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function checkEnd(messages: readonly SimMessage[]): void {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return;
  const block = last.content.at(-1);
  if (block?.type === "text" && block.text !== block.text.trimEnd()) {
    bad("messages: final assistant content cannot end with trailing whitespace");
  }
  if (block?.type === "thinking")
    bad(`messages.${messages.length - 1}: The final block in an assistant message cannot be \`thinking\`.`);
}

/**
 * What the request costs. With cache marks: the part up to the last mark before the model's last message counts as read
 * from the cache, the rest up to the last mark as written. Nothing is remembered between requests.
 */
function countTokens(fields: Fields, messages: readonly unknown[]): InputTokens {
  let chars = 0;
  let marks = 0;
  let marked = 0;
  let read = 0;
  const count = (value: unknown): void => {
    chars += countChars(value);
    if (record(record(value)?.["cache_control"]) === undefined) return;
    marked = chars;
    marks += 1;
  };
  for (const part of [fields["tools"], fields["system"]]) {
    if (Array.isArray(part)) for (const value of part) count(value);
    else chars += countChars(part);
  }
  for (const message of messages) {
    const { role, content } = record(message) ?? {};
    if (role === "assistant") read = marked;
    if (Array.isArray(content)) for (const block of content) count(block);
    else chars += countChars(content);
  }
  if (marks > MAX_CACHE_MARKS)
    bad(`A maximum of ${MAX_CACHE_MARKS} blocks with cache_control may be provided. Found ${marks}.`);
  return {
    input: tokensOf(chars) - tokensOf(marked),
    cacheWrite: tokensOf(marked) - tokensOf(read),
    cacheRead: tokensOf(read),
  };
}
