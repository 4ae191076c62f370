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
import { isSignature } from "../signature.ts";
import { countChars } from "../tokens.ts";
import type { PromptBlock, Fields, SimMessage, SimRequest } from "../wire.ts";

const ROLES = ["user", "assistant", "system", "developer"] as const;
const INPUT_PARTS = ["input_text", "input_image", "input_file", "input_audio"];
const OUTPUT_PARTS = ["output_text", "refusal"];

export interface ResponsesRequest extends SimRequest {
  /** Fields that the answer repeats. */
  readonly echo: Fields;
  /** Reasoning includes data that proves it when it is sent back. */
  readonly includeEncrypted: boolean;
}

/** A request as the real API would accept it, or the error it would return. */
export function readRequest(body: unknown): ResponsesRequest {
  const fields = readObject(body, "body");
  const model = readName(fields["model"], "model");
  const stream = readFlag(fields["stream"], "stream");
  const instructions = given(fields["instructions"]) ? readText(fields["instructions"], "instructions") : "";
  const maxTokens = readMaxTokens(fields["max_output_tokens"], "max_output_tokens");
  const tools = readTools(fields["tools"], toolName);
  refuseMemory(fields);
  const raw = fields["input"];
  const conversation = new ResponsesConversation();
  if (typeof raw === "string") conversation.add({ role: "user", content: raw }, "input");
  else readItems(raw, conversation);
  conversation.end();
  return {
    model,
    stream,
    system: [instructions, ...conversation.system].join("\n"),
    tools: tools.names,
    freeform: tools.freeform,
    messages: conversation.messages,
    digest: createHash("sha256")
      .update(`responses ${JSON.stringify(raw)}`)
      .digest("hex"),
    tokens: countTokens([
      { chars: countChars(fields["tools"]) + instructions.length, ours: false },
      ...conversation.counted,
    ]),
    maxTokens,
    echo: echoOf(fields),
    includeEncrypted:
      given(fields["include"]) && readList(fields["include"], "include").includes("reasoning.encrypted_content"),
  };
}

function readItems(value: unknown, conversation: ResponsesConversation): void {
  const items = readList(value, "input");
  if (items.length === 0) refuse("Invalid 'input': empty array. Send at least one item.", "input", "empty_array");
  for (const [index, item] of items.entries()) conversation.add(item, `input[${index}]`);
}

/** Nothing is stored here, so earlier responses cannot be referenced. */
function refuseMemory(fields: Fields): void {
  for (const name of ["previous_response_id", "conversation"]) {
    if (given(fields[name]))
      refuse(
        `The scripted model stores nothing, so '${name}' is not found. Send the whole conversation as 'input'.`,
        name,
        name === "conversation" ? "conversation_not_found" : "previous_response_not_found",
      );
  }
  if (readFlag(fields["background"], "background"))
    refuse("The scripted model has no background. Leave 'background' out.", "background", "invalid_value");
}

function echoOf(fields: Fields): Fields {
  const of = (name: string, absent: unknown): unknown => fields[name] ?? absent;
  return {
    instructions: of("instructions", null),
    max_output_tokens: of("max_output_tokens", null),
    metadata: of("metadata", {}),
    parallel_tool_calls: of("parallel_tool_calls", true),
    prompt_cache_key: of("prompt_cache_key", null),
    reasoning: {
      effort: null,
      summary: null,
      ...(given(fields["reasoning"]) ? readObject(fields["reasoning"], "reasoning") : {}),
    },
    store: of("store", true),
    temperature: of("temperature", 1),
    text: of("text", { format: { type: "text" } }),
    tool_choice: of("tool_choice", "auto"),
    tools: of("tools", []),
    top_p: of("top_p", 1),
    truncation: of("truncation", "disabled"),
  };
}

/** Provider-run tools have only a type. */
function toolName(tool: Fields, type: string, param: string): string | undefined {
  return type === "function" || type === "custom" ? readToolName(tool["name"], `${param}.name`) : undefined;
}

/** Reads items in order. Neighbours of the same side are one message: a reply comes back as several items. */
class ResponsesConversation {
  readonly messages: SimMessage[] = [];
  readonly system: string[] = [];
  readonly counted: CountedPart[] = [];
  /** Calls without an output, with their position. */
  readonly #open = new Map<string, string>();
  readonly #calls = new Set<string>();

  add(value: unknown, param: string): void {
    const item = readObject(value, param);
    const type = item["type"] === undefined ? "message" : readName(item["type"], `${param}.type`);
    switch (type) {
      case "message":
        return this.#message(item, param);
      case "function_call":
      case "custom_tool_call":
        return this.#call(item, type, param);
      case "function_call_output":
      case "custom_tool_call_output":
        return this.#output(item, param);
      case "reasoning":
        return this.#reasoning(item, param);
      case "item_reference":
        return refuse(
          `The scripted model stores nothing, so the item ${JSON.stringify(item["id"])} is not found. Send 'store': false and whole items.`,
          `${param}.id`,
          "item_not_found",
        );
      default:
        // Calls of provider-run tools, their outputs, and unknown newer types.
        return this.#put(type.endsWith("_output") ? "user" : "assistant", [{ type: "other", of: type }], item);
    }
  }

  end(): void {
    const [open] = this.#open;
    if (open !== undefined) refuse(`No tool output found for the call ${open[0]}.`, open[1], "invalid_value");
  }

  #message(item: Fields, param: string): void {
    const { role, content } = item;
    switch (role) {
      case "user":
        return this.#put("user", readContent(content, INPUT_PARTS, `${param}.content`), content);
      case "assistant":
        return this.#put("assistant", readContent(content, OUTPUT_PARTS, `${param}.content`), content);
      case "system":
      case "developer":
        this.system.push(textOf(readContent(content, INPUT_PARTS, `${param}.content`)));
        this.counted.push({ chars: countChars(content), ours: false });
        return;
      default:
        return notOneOf(`${param}.role`, role ?? null, ROLES);
    }
  }

  #call(item: Fields, type: "function_call" | "custom_tool_call", param: string): void {
    const id = readName(item["call_id"], `${param}.call_id`);
    const name = readName(item["name"], `${param}.name`);
    if (this.#calls.has(id)) refuse(`There is more than one call ${id}.`, `${param}.call_id`, "invalid_value");
    this.#calls.add(id);
    this.#open.set(id, param);
    const custom = type === "custom_tool_call";
    const field = custom ? "input" : "arguments";
    const text = readText(item[field], `${param}.${field}`);
    this.#put(
      "assistant",
      [{ type: "tool_use", id, name, input: custom ? { input: text } : parseInput(text) }],
      [name, text],
    );
  }

  #output(item: Fields, param: string): void {
    const id = readName(item["call_id"], `${param}.call_id`);
    if (!this.#open.delete(id))
      refuse(`No tool call found for the output with call_id ${id}.`, `${param}.call_id`, "invalid_value");
    const { output } = item;
    this.#put("user", [toolResult(id, textOf(readContent(output, INPUT_PARTS, `${param}.output`)))], output);
  }

  #reasoning(item: Fields, param: string): void {
    const texts = readList(item["summary"], `${param}.summary`).map((part, index) =>
      readText(readObject(part, `${param}.summary[${index}]`)["text"], `${param}.summary[${index}].text`),
    );
    const thinking = texts.join("\n");
    const encrypted = given(item["encrypted_content"])
      ? readText(item["encrypted_content"], `${param}.encrypted_content`)
      : "";
    if (!isSignature(encrypted, thinking))
      refuse(
        "The encrypted content could not be verified: it belongs to another summary.",
        `${param}.encrypted_content`,
        "invalid_encrypted_content",
      );
    this.#put("assistant", [{ type: "thinking", thinking, signature: encrypted }], thinking);
  }

  /** `counts`: the part of the item that costs tokens. */
  #put(role: SimMessage["role"], blocks: readonly PromptBlock[], counts: unknown): void {
    this.counted.push({ chars: countChars(counts), ours: role === "assistant" });
    const last = this.messages.at(-1);
    if (last?.role === role) this.messages[this.messages.length - 1] = { role, content: [...last.content, ...blocks] };
    else this.messages.push({ role, content: blocks });
  }
}

function readContent(content: unknown, types: readonly string[], param: string): readonly PromptBlock[] {
  if (!Array.isArray(content)) return [{ type: "text", text: readText(content, param) }];
  return content.map((value, index): PromptBlock => {
    const place = `${param}[${index}]`;
    const part = readObject(value, place);
    const type = readName(part["type"], `${place}.type`);
    if (!types.includes(type)) return notOneOf(`${place}.type`, type, types);
    if (type === "input_text" || type === "output_text")
      return { type: "text", text: readText(part["text"], `${place}.text`) };
    return { type: "other", of: type };
  });
}
