import { createHash } from "node:crypto";
import type { Usage } from "../../../protocol/index.ts";
import type { ToolDefinition } from "../../../tools/toolbox.ts";
import type { CallResultBlock, SayableBlock } from "../blocks.ts";
import { count, fields } from "./fields.ts";
import type { WirePrompt } from "./wire.ts";

// What Responses and Chat Completions share.

export function bearer(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}

/** The names that the two APIs have for the same figures. */
const USAGE_NAMES = {
  responses: { input: "input_tokens", output: "output_tokens" },
  chat: { input: "prompt_tokens", output: "completion_tokens" },
} as const;

/** Cached tokens are part of the input there, and reasoning is part of the output. */
export function usageOf(value: unknown, api: keyof typeof USAGE_NAMES): Usage {
  const names = USAGE_NAMES[api];
  const usage = fields(value);
  const input = count(usage[names.input]);
  const details = fields(usage[`${names.input}_details`]);
  const read = Math.min(input, count(details["cached_tokens"]));
  const written = Math.min(input - read, count(details["cache_write_tokens"]));
  return {
    input_tokens: input - read - written,
    // Some providers count reasoning outside the output; then only the total includes it.
    output_tokens: Math.max(count(usage[names.output]), count(usage["total_tokens"]) - input),
    cache_read_tokens: read,
    cache_write_tokens: written,
    reasoning_tokens: count(fields(usage[`${names.output}_details`])["reasoning_tokens"]),
    model_calls: 1,
  };
}

/** Thoughts count as output there. */
export function answerTokens({ settings, outputTokens = Infinity }: WirePrompt): number {
  return Math.min(settings.max_tokens + (settings.thinking_tokens ?? 0), outputTokens);
}

/** Tokens of thoughts up to which an effort is meant. More is `high`. */
const EFFORTS = [
  { effort: "low", tokens: 4_096 },
  { effort: "medium", tokens: 16_384 },
] as const;

/** How hard a model shall think, which these APIs name in words. */
export function effortOf(thinkingTokens: number): "low" | "medium" | "high" {
  return EFFORTS.find(({ tokens }) => thinkingTokens <= tokens)?.effort ?? "high";
}

/** The longest id of a call, and the longest name of a tool, that both APIs take. */
const CALL_ID_CHARS = 40;
const NAME_CHARS = 64;
const HASH_CHARS = 32;

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, HASH_CHARS);
}

/** An id of a call, from whichever API it came. */
export function callId(id: string): string {
  return id.length <= CALL_ID_CHARS ? id : `call_${hashOf(id)}`;
}

/** A tool's name as these APIs take it. */
export function functionName(tool: string): string {
  return tool.length <= NAME_CHARS ? tool : `${tool.slice(0, NAME_CHARS - HASH_CHARS - 1)}_${hashOf(tool)}`;
}

/** What models add to a name: their own name space before it, marks of their own format after it. Neither can be part of one. */
const ADDED = /^functions\.|<\|[\s\S]*$/g;

/** The tool that a model means by a name. */
export function calledTool(written: string, tools: readonly ToolDefinition[]): string {
  const name = written.replaceAll(ADDED, "");
  return tools.find((tool) => functionName(tool.name) === name)?.name ?? name;
}

export function dataUrl({ source }: Extract<SayableBlock, { type: "image" }>): string {
  return `data:${source.media_type};base64,${source.data}`;
}

const SAYS_SO = /^(?:error|user rejected)\b/i;

/** The text of a result. These APIs have no mark for a failed call, so its text says it. */
export function resultText({ content, is_error }: CallResultBlock): string {
  const text =
    typeof content === "string"
      ? content
      : content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  return is_error === true && !SAYS_SO.test(text) ? `Error: ${text}` : text;
}

export function resultPictures({ content }: CallResultBlock): readonly Extract<SayableBlock, { type: "image" }>[] {
  return typeof content === "string" ? [] : content.filter((block) => block.type === "image");
}
