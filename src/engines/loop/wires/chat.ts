import type { ModelBody } from "../../../protocol/index.ts";
import type { ToolDefinition } from "../../../tools/toolbox.ts";
import type { AnswerBlock, CallResultBlock, ModelMessage, SayableBlock } from "../blocks.ts";
import { ChatReader, readThought } from "./chat-reader.ts";
import { answerTokens, bearer, callId, dataUrl, effortOf, functionName, resultPictures, resultText } from "./openai.ts";
import type { ModelWire, WirePrompt } from "./wire.ts";

/** They refuse `max_tokens`; many servers of other models know nothing else. */
const COUNTS_COMPLETION = /(?:^|\/)(?:gpt-5|o\d|codex)/;

/** OpenAI's Chat Completions, as it and many servers of other models have it. */
export const CHAT: ModelWire = {
  path: "chat/completions",
  headers: bearer,
  body,
  reader: (tools) => new ChatReader(tools),
};

function body(prompt: WirePrompt): ModelBody {
  const { model, system, messages, tools, settings } = prompt;
  const { thinking_tokens } = settings;
  const limit = COUNTS_COMPLETION.test(model) ? "max_completion_tokens" : "max_tokens";
  return {
    model,
    [limit]: answerTokens(prompt),
    stream: true,
    stream_options: { include_usage: true },
    ...(thinking_tokens === undefined ? {} : { reasoning_effort: effortOf(thinking_tokens) }),
    messages: [
      ...(system === "" ? [] : [{ role: "system", content: system }]),
      ...chatMessages(messages, prompt.origin),
    ],
    ...(tools.length === 0 ? {} : { tools: tools.map(sentTool) }),
  };
}

const sentTools = new WeakMap<ToolDefinition, object>();

function sentTool(tool: ToolDefinition): object {
  const known = sentTools.get(tool);
  if (known !== undefined) return known;
  const { description, input_schema } = tool;
  const name = functionName(tool.name);
  const sent = { type: "function", function: { name, description, parameters: input_schema } };
  sentTools.set(tool, sent);
  return sent;
}

/** Neighbours of one role become one message: the templates of many models want them to take turns. */
function chatMessages(messages: readonly ModelMessage[], origin: string | undefined): readonly object[] {
  const prompt = messages.findLastIndex(({ role, content }) => role === "user" && content.some(isSaid));
  const sent: object[] = [];
  for (let index = 0; index < messages.length;) {
    const begin = index;
    const role = messages[begin]?.role;
    while (messages[index]?.role === role) index += 1;
    const run = messages.slice(begin, index);
    if (role === "user")
      sent.push(...fromUser(run.flatMap((message) => (message.role === "user" ? message.content : []))));
    else {
      const content = run.flatMap((message) => (message.role === "assistant" ? message.content : []));
      sent.push(fromModel(content, { origin, isRecent: begin > prompt }));
    }
  }
  return sent;
}

function isSaid({ type }: ModelMessage["content"][number]): boolean {
  return type !== "tool_result";
}

/** The results of calls come right after them. A result has text alone, so its pictures follow as the person's. */
function fromUser(content: readonly (SayableBlock | CallResultBlock)[]): readonly object[] {
  const results = content.filter((block) => block.type === "tool_result");
  const pictures = results.flatMap((block) => {
    const own = resultPictures(block);
    return own.length === 0 ? [] : [pictureNote(callId(block.tool_use_id)), ...own];
  });
  const said = [...pictures, ...content.filter((block) => block.type !== "tool_result")];
  return [
    ...results.map((block) => ({ role: "tool", tool_call_id: callId(block.tool_use_id), content: resultText(block) })),
    ...(said.length === 0 ? [] : [{ role: "user", content: plain(said) ?? said.map(sayable) }]),
  ];
}

function pictureNote(id: string): SayableBlock {
  return { type: "text", text: `<system-reminder>\nThe images in the result of the call ${id}:\n</system-reminder>` };
}

/** One text, in the form that every server takes. Undefined: it is more than that. */
function plain(said: readonly SayableBlock[]): string | undefined {
  const [only] = said;
  return said.length === 1 && only?.type === "text" ? only.text : undefined;
}

function sayable(block: SayableBlock): object {
  if (block.type === "text") return { type: "text", text: block.text };
  return { type: "image_url", image_url: { url: dataUrl(block) } };
}

interface ThoughtRules {
  readonly origin: string | undefined;
  /** The model has not answered the last prompt yet. */
  readonly isRecent: boolean;
}

function fromModel(content: readonly AnswerBlock[], rules: ThoughtRules): object {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const calls = content.flatMap((block) =>
    block.type === "tool_use"
      ? [
          {
            id: callId(block.id),
            type: "function",
            function: { name: functionName(block.name), arguments: JSON.stringify(block.input) },
          },
        ]
      : [],
  );
  return {
    role: "assistant",
    content: texts.length === 0 ? null : texts.join("\n\n"),
    ...thoughtsOf(content, rules),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** Details go back always, as a provider wants that has them. Plain thoughts only while the model works on the same prompt. */
function thoughtsOf(content: readonly AnswerBlock[], { origin, isRecent }: ThoughtRules): object {
  const details: unknown[] = [];
  const texts = new Map<string, string>();
  for (const block of content) {
    if (block.type !== "thinking" || block.origin === undefined || block.origin !== origin) continue;
    const thought = readThought(block.signature);
    if (thought === undefined) continue;
    if ("details" in thought) details.push(...thought.details);
    else if (isRecent) texts.set(thought.field, `${texts.get(thought.field) ?? ""}${block.thinking}`);
  }
  return { ...Object.fromEntries(texts), ...(details.length === 0 ? {} : { reasoning_details: details }) };
}
