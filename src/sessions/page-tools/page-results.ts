import { LIMITS, type AnswerCall, type ContentBlock, type PageToolFault } from "../../protocol/index.ts";
import { errorResult, problemsOf, type ToolResult } from "../../tools/index.ts";

/** Why a page tool's call has no usable result; the model reads it with the code. */
export type PageError = PageToolFault | "page_gone" | "invalid_output" | "busy";

/** One shape for all failures, so that models and people see at once what kind it was. */
export function pageError(code: PageError, message: string): ToolResult {
  return errorResult(`Error (${code}): ${message}`);
}

/** What the model gets for a page's answer. */
export function resultOf(
  tool: { readonly name: string; readonly output_schema?: Readonly<Record<string, unknown>> | undefined },
  answer: AnswerCall,
): ToolResult {
  if (answer.error !== undefined) return pageError(answer.error.code, answer.error.message);
  const { content = [], json, is_error = false } = answer.result ?? {};
  const wrong = is_error || tool.output_schema === undefined ? undefined : faultIn(tool.output_schema, json);
  if (wrong !== undefined)
    return pageError("invalid_output", `${tool.name} ran, but what it answered is not what it promised: ${wrong}`);
  return { content: content.length > 0 ? content : [asText(json)], is_error };
}

/** How a result violates its schema; undefined if it fits. */
function faultIn(schema: Readonly<Record<string, unknown>>, json: unknown): string | undefined {
  if (json === undefined) return "it has no JSON";
  const problems = problemsOf(schema, json).slice(0, LIMITS.schemaIssues);
  if (problems.length === 0) return undefined;
  return problems.map(({ path, message }) => `${["result", ...path].join(".")} ${message}`).join("; ");
}

function asText(json: unknown): ContentBlock {
  if (json === undefined) return { type: "text", text: "Done." };
  return { type: "text", text: typeof json === "string" ? json : JSON.stringify(json) };
}
