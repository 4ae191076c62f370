import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import type { SessionSettings } from "../../protocol/index.ts";
import type { ToolDefinition } from "../../tools/toolbox.ts";

const CACHED: SharedV3ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };
/** The API allows four cache marks; tools and system have one each. */
const MESSAGE_MARKS = 2;

export interface ModelPrompt {
  readonly system: string;
  readonly messages: readonly LanguageModelV3Message[];
  readonly tools: readonly ToolDefinition[];
  readonly settings: Pick<SessionSettings, "max_tokens" | "thinking_tokens">;
}

/** A model call in the AI SDK's terms, with marks for the prompt cache. */
export function callOptions({ system, messages, tools, settings }: ModelPrompt): LanguageModelV3CallOptions {
  const { max_tokens, thinking_tokens } = settings;
  return {
    prompt: [{ role: "system", content: system, providerOptions: CACHED }, ...marked(messages)],
    maxOutputTokens: max_tokens,
    ...(tools.length === 0
      ? {}
      : { tools: tools.map((tool, index) => functionTool(tool, index === tools.length - 1)) }),
    providerOptions: {
      anthropic: {
        // Inputs come whole: half an input is useless.
        toolStreaming: false,
        ...(thinking_tokens === undefined ? {} : { thinking: { type: "enabled", budgetTokens: thinking_tokens } }),
      },
    },
  };
}

function functionTool(tool: ToolDefinition, last: boolean): LanguageModelV3FunctionTool {
  return {
    type: "function",
    name: tool.name,
    description: tool.description,
    inputSchema: tool.input_schema,
    ...(last ? { providerOptions: CACHED } : {}),
  };
}

/** The newest user messages end a cached prefix: this call writes the last one, and reads the one before. */
function marked(messages: readonly LanguageModelV3Message[]): LanguageModelV3Message[] {
  const result = [...messages];
  let left = MESSAGE_MARKS;
  for (let index = result.length - 1; index >= 0 && left > 0; index -= 1) {
    const message = result[index];
    if (message === undefined || message.role === "assistant") continue;
    result[index] = { ...message, providerOptions: CACHED };
    left -= 1;
  }
  return result;
}
