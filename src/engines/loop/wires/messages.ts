import { modelToolText, type ModelBody } from "../../../protocol/index.ts";
import type { ToolDefinition } from "../../../tools/toolbox.ts";
import type { AnswerBlock, ModelMessage } from "../blocks.ts";
import { MessageReader } from "./messages-reader.ts";
import type { ModelPrompt, ModelWire, WirePrompt } from "./wire.ts";

interface ModelRule {
  readonly models: RegExp;
  readonly maxTokens: number;
  /** It refuses a number of tokens for its thoughts, and decides itself how much it thinks. */
  readonly isAdaptive?: true;
}

/** What models refuse that others take; the first that fits counts. One that is not listed gets what the settings say. */
const MODEL_RULES: readonly ModelRule[] = [
  { models: /claude-(?:(?:sonnet|opus|haiku)-5-5|fable-5)/, maxTokens: 128_000, isAdaptive: true },
  { models: /claude-(?:(?:opus|sonnet)-5|opus-4-[678]|sonnet-4-6)/, maxTokens: 128_000 },
  { models: /claude-(?:(?:opus|haiku)-4-5|sonnet-4-)/, maxTokens: 64_000 },
  { models: /claude-opus-4-/, maxTokens: 32_000 },
  { models: /claude-3-haiku/, maxTokens: 4_096 },
];

/** Ends a prefix that the provider keeps for the next call. The API allows four: tools and system have one each. */
const CACHED = { cache_control: { type: "ephemeral" } };
const MESSAGE_MARKS = 2;

/** Anthropic's Messages. */
export const MESSAGES: ModelWire = {
  path: "messages",
  headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  body,
  reader: () => new MessageReader(),
};

function body({ model, system, messages, tools, settings }: WirePrompt): ModelBody {
  return {
    model,
    ...tokenFields(model, settings),
    // A provider refuses an empty text.
    ...(system === "" ? {} : { system: [{ type: "text", text: system, ...CACHED }] }),
    messages: joined(marked(messages.map(ownThoughts))),
    stream: true,
    ...(tools.length === 0 ? {} : { tools: sentTools(tools) }),
  };
}

interface SentTool {
  readonly plain: Pick<ToolDefinition, "name" | "description" | "input_schema">;
  /** As the last one: it ends the cached prefix. */
  readonly marked: object;
}

/** A definition stays the same object from call to call: so does what is sent of it. */
const knownTools = new WeakMap<ToolDefinition, SentTool>();

function sentTool(tool: ToolDefinition): SentTool {
  const known = knownTools.get(tool);
  if (known !== undefined) return known;
  const { name, description, input_schema } = tool;
  const plain = { name, description, input_schema };
  const sent = { plain, marked: { ...plain, ...CACHED } };
  knownTools.set(tool, sent);
  return sent;
}

function sentTools(tools: readonly ToolDefinition[]): readonly object[] {
  return tools.map((tool, index) => (index === tools.length - 1 ? sentTool(tool).marked : sentTool(tool).plain));
}

/** A tool's characters as the model is told of it. */
export function charsOfTool(tool: ToolDefinition): number {
  return modelToolText(sentTool(tool).plain).length;
}

function tokenFields(model: string, { max_tokens, thinking_tokens }: ModelPrompt["settings"]): object {
  const rule = MODEL_RULES.find(({ models }) => models.test(model));
  const most = rule?.maxTokens ?? Infinity;
  if (thinking_tokens === undefined) return { max_tokens: Math.min(max_tokens, most) };
  if (rule?.isAdaptive === true) return { max_tokens: Math.min(max_tokens, most), thinking: { type: "adaptive" } };
  return {
    max_tokens: Math.min(max_tokens + thinking_tokens, most),
    thinking: { type: "enabled", budget_tokens: thinking_tokens },
  };
}

/** What another API made of its thoughts is nothing to this one. A message is never thoughts alone. */
function ownThoughts(message: ModelMessage): ModelMessage {
  if (message.role === "user" || !message.content.some(isForeign)) return message;
  return { role: "assistant", content: message.content.filter((block) => !isForeign(block)) };
}

function isForeign(block: AnswerBlock): boolean {
  return "origin" in block && block.origin !== undefined;
}

/** The newest messages to the model end a cached prefix: this call writes the last one, and reads the one before. */
function marked(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const result = [...messages];
  let left = MESSAGE_MARKS;
  for (let index = result.length - 1; index >= 0 && left > 0; index -= 1) {
    const message = result[index];
    if (message?.role !== "user") continue;
    const [last] = message.content.slice(-1);
    if (last === undefined) continue;
    result[index] = { role: "user", content: [...message.content.slice(0, -1), { ...last, ...CACHED }] };
    left -= 1;
  }
  return result;
}

/** Neighbours of one role become one message. The API wants calls last, and no space at the end of what the model shall go on with. */
function joined(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const result: ModelMessage[] = [];
  for (const message of messages) {
    const before = result.at(-1);
    if (before?.role !== message.role) result.push(message);
    else result[result.length - 1] = { ...before, content: [...before.content, ...message.content] } as ModelMessage;
  }
  return result.map((message, index) =>
    message.role === "user"
      ? message
      : {
          role: "assistant",
          content: callsLast(index === result.length - 1 ? trimmed(message.content) : message.content),
        },
  );
}

function callsLast(content: readonly AnswerBlock[]): readonly AnswerBlock[] {
  return [...content.filter(({ type }) => type !== "tool_use"), ...content.filter(({ type }) => type === "tool_use")];
}

function trimmed(content: readonly AnswerBlock[]): readonly AnswerBlock[] {
  const last = content.at(-1);
  return last?.type === "text" ? [...content.slice(0, -1), { type: "text", text: last.text.trim() }] : content;
}
