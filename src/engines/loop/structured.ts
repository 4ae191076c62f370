import { endToolItem, LIMITS, type ErrorDetail, type ToolItem } from "../../protocol/index.ts";
import { problemsOf } from "../../tools/json-schema.ts";
import type { ToolDefinition } from "../../tools/toolbox.ts";
import { STRUCTURED_OUTPUT } from "../structured.ts";
import type { ModelMessage } from "./blocks.ts";

type OutputSchema = Readonly<Record<string, unknown>>;

export const NOT_STRUCTURED: ErrorDetail = {
  code: "model_error",
  message: `the model did not answer in the form that output_schema asks for, ${LIMITS.structuredOutputTries} times; send the prompt again or change the schema`,
};

const REMINDER: ModelMessage = {
  role: "user",
  // The model knows this frame: Sallyport speaks, not the person.
  content: [
    {
      type: "text",
      text: `<system-reminder>\nGive your answer now: call ${STRUCTURED_OUTPUT} with it.\n</system-reminder>`,
    },
  ],
};

/** The tool that tells the model the form of its answer. */
export function structuredTool(schema: OutputSchema): ToolDefinition {
  return {
    name: STRUCTURED_OUTPUT,
    description: `Gives your final answer. Call it exactly once, at the end, when everything else is done; your task is over then. Only its input is read.`,
    input_schema: schema,
  };
}

/** A model that thinks it is done, and has not called it, is reminded. */
export function reminded(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.at(-1)?.role === "assistant" ? [...messages, REMINDER] : messages;
}

/** A call that gave an answer, as it ended. */
export interface StructuredEnd {
  readonly item: ToolItem;
  readonly fits: boolean;
}

/** Schema violations are reported to the model. */
export function structuredEnd(schema: OutputSchema, item: ToolItem): StructuredEnd {
  const problems = problemsOf(schema, item.input);
  const words = problems.map(({ path, message }) => `${path.length === 0 ? "it" : path.join(".")} ${message}`);
  const fits = problems.length === 0;
  const text = fits ? "The answer was taken." : `Error: the answer does not fit: ${words.join("; ")}. Call it again.`;
  const status = fits ? "completed" : "failed";
  return { item: endToolItem(item, { status, output: [{ type: "text", text }], is_error: !fits }), fits };
}
