import type { ModelBody } from "../../../protocol/index.ts";
import type { ToolDefinition } from "../../../tools/toolbox.ts";
import type { AnswerBlock, CallResultBlock, ModelMessage, SayableBlock } from "../blocks.ts";
import { answerTokens, bearer, callId, dataUrl, effortOf, functionName, resultPictures, resultText } from "./openai.ts";
import { ResponsesReader } from "./responses-reader.ts";
import type { ModelWire, WirePrompt } from "./wire.ts";

/** Models that do not think refuse to be asked for their thoughts. One that is not listed is taken to think. */
const NEVER_THINKS = /(?:^|[/:])(?:gpt-[34]|chatgpt|grok-[23])|-chat(?:-|$)|non-reasoning/;
/** They think, and refuse to be told how much. */
const THINKS_AS_IT_LIKES = /(?:^|\/)grok-/;

/** OpenAI's Responses. Nothing is stored there: each request has the whole conversation. */
export const RESPONSES: ModelWire = {
  path: "responses",
  headers: bearer,
  body,
  reader: (tools) => new ResponsesReader(tools),
};

function body(prompt: WirePrompt): ModelBody {
  const { model, system, messages, tools, cacheKey } = prompt;
  return {
    model,
    max_output_tokens: answerTokens(prompt),
    store: false,
    stream: true,
    ...thoughtFields(prompt),
    ...(cacheKey === undefined ? {} : { prompt_cache_key: cacheKey }),
    // Not as `instructions`: not every provider of this API takes them.
    input: [
      ...(system === "" ? [] : [{ type: "message", role: "system", content: system }]),
      ...messages.flatMap((message) => itemsOf(message, prompt.origin)),
    ],
    ...(tools.length === 0 ? {} : { tools: tools.map(sentTool) }),
  };
}

function thoughtFields({ model, settings: { thinking_tokens } }: WirePrompt): object {
  if (NEVER_THINKS.test(model)) return {};
  const include = { include: ["reasoning.encrypted_content"] };
  if (thinking_tokens === undefined || THINKS_AS_IT_LIKES.test(model)) return include;
  return { ...include, reasoning: { effort: effortOf(thinking_tokens), summary: "auto" } };
}

const sentTools = new WeakMap<ToolDefinition, object>();

function sentTool(tool: ToolDefinition): object {
  const known = sentTools.get(tool);
  if (known !== undefined) return known;
  const { description, input_schema } = tool;
  const name = functionName(tool.name);
  // `strict` would want every field to be required: another set of tools than the other APIs have.
  const sent = { type: "function", name, description, parameters: input_schema, strict: false };
  sentTools.set(tool, sent);
  return sent;
}

function itemsOf({ role, content }: ModelMessage, origin: string | undefined): readonly object[] {
  if (role === "assistant") return content.flatMap((block) => answerItem(block, origin));
  const items: object[] = [];
  let said: object[] = [];
  for (const block of content) {
    if (block.type !== "tool_result") {
      if (said.length === 0) items.push({ type: "message", role: "user", content: said });
      said.push(sayable(block));
    } else {
      said = [];
      items.push({ type: "function_call_output", call_id: callId(block.tool_use_id), output: outputOf(block) });
    }
  }
  return items;
}

function answerItem(block: AnswerBlock, origin: string | undefined): readonly object[] {
  switch (block.type) {
    case "text":
      return [{ type: "message", role: "assistant", content: [{ type: "output_text", text: block.text }] }];
    case "tool_use":
      return [
        {
          type: "function_call",
          call_id: callId(block.id),
          name: functionName(block.name),
          arguments: JSON.stringify(block.input),
        },
      ];
    case "thinking": {
      if (block.origin === undefined || block.origin !== origin) return [];
      const summary = block.thinking === "" ? [] : [{ type: "summary_text", text: block.thinking }];
      return [{ type: "reasoning", summary, encrypted_content: block.signature }];
    }
    case "redacted_thinking":
      return [];
  }
}

function sayable(block: SayableBlock): object {
  if (block.type === "text") return { type: "input_text", text: block.text };
  return { type: "input_image", image_url: dataUrl(block) };
}

function outputOf(block: CallResultBlock): string | readonly object[] {
  const pictures = resultPictures(block);
  const text = resultText(block);
  if (pictures.length === 0) return text;
  return [...(text === "" ? [] : [{ type: "input_text", text }]), ...pictures.map(sayable)];
}
