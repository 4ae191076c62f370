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

/** A tool's definition is the same for all sessions; it is computed once. */
const definitions = new WeakMap<AnyTool, ToolDefinition>();

export function definitionOf(tool: AnyTool): ToolDefinition {
  const known = definitions.get(tool);
  if (known !== undefined) return known;
  const { name, description, input_schema } = tool;
  const definition = input_schema === undefined ? sharedDefinition(tool) : { name, description, input_schema };
  definitions.set(tool, definition);
  return definition;
}

/** Tools that are made anew for each session share their definitions, and so their text in requests. */
const shared = new WeakMap<z.ZodType, ToolDefinition>();

function sharedDefinition({ name, description, input }: AnyTool): ToolDefinition {
  const known = shared.get(input);
  if (known?.name === name && known.description === description) return known;
  const definition = { name, description, input_schema: known?.input_schema ?? schemaOf(input) };
  shared.set(input, definition);
  return definition;
}

function schemaOf(input: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: "input" });
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
