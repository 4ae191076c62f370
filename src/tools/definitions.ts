import { z } from "zod";
import { BUILT_IN_TOOLS } from "./built-in.ts";
import type { AnyTool } from "./tool.ts";
import type { ToolDefinition } from "./toolbox.ts";

/** A tool's definition for OpenAI's API and compatible ones. */
export interface FunctionDefinition {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

/** A tool's schema is the same for all sessions; it is computed once. */
const definitions = new WeakMap<AnyTool, ToolDefinition>();

export function definitionOf(tool: AnyTool): ToolDefinition {
  const known = definitions.get(tool);
  if (known !== undefined) return known;
  const input_schema = tool.input_schema ?? schemaOf(tool.input);
  const definition: ToolDefinition = { name: tool.name, description: tool.description, input_schema };
  definitions.set(tool, definition);
  return definition;
}

/** Tools that are made anew for each session share their schemas. */
const schemas = new WeakMap<z.ZodType, Readonly<Record<string, unknown>>>();

function schemaOf(input: z.ZodType): Readonly<Record<string, unknown>> {
  const known = schemas.get(input);
  if (known !== undefined) return known;
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: "input" });
  schemas.set(input, schema);
  return schema;
}

export function toolDefinitions(form: "anthropic", tools?: readonly AnyTool[]): readonly ToolDefinition[];
export function toolDefinitions(form: "openai", tools?: readonly AnyTool[]): readonly FunctionDefinition[];
/** Tool definitions for models, with JSON Schema for their input, in either API's format. */
export function toolDefinitions(
  form: "anthropic" | "openai",
  tools: readonly AnyTool[] = BUILT_IN_TOOLS,
): readonly (ToolDefinition | FunctionDefinition)[] {
  const all = tools.map(definitionOf);
  if (form === "anthropic") return all;
  return all.map(({ name, description, input_schema }) => ({
    type: "function",
    function: { name, description, parameters: input_schema },
  }));
}
