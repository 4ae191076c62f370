import { CLIENT_LIMITS } from "../../protocol/limits/client.ts";
import type { PageToolDeclaration, Tier } from "../../protocol/index.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** What a handler learns about one call. */
export interface PageToolCall {
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
  readonly callId: string;
}

/** The part of a zod 4 schema that is used: it can convert itself to JSON Schema and check a value. */
export interface SchemaObject<Input = unknown> {
  toJSONSchema?(options?: object): object;
  safeParse?(
    value: unknown,
  ): { readonly success: true; readonly data: Input } | { readonly success: false; readonly error: Error };
}

export interface PageTool<Input = Record<string, unknown>> {
  /** Letters, digits, _ and -; models see `mcp__<page>__<name>`. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object, or a schema object, which then also checks the input. Absent: no arguments. */
  readonly schema?: object | undefined;
  /** The schema of the handler's result: such a result is sent as JSON and checked by the server. */
  readonly outputSchema?: object | undefined;
  /** How much harm it can do. Absent: `page`. */
  readonly tier?: Tier | undefined;
  /** How long the agent waits. Absent: 30 s. */
  readonly timeoutMs?: number | undefined;
  /** A text, any JSON value, or `{ content: […] }` with texts and images as in MCP. The model reads what it throws. */
  handler(input: Input, call: PageToolCall): unknown;
}

/** A tool whose handler gets its schema's type. */
export function pageTool<Input>(
  tool: Omit<PageTool<Input>, "schema"> & { readonly schema: SchemaObject<Input> },
): PageTool<Input> {
  return tool;
}

/** Anything that offers tools in MCP's form: a client of an MCP server, or one that runs in the page. */
export interface McpTools {
  listTools(params?: { cursor?: string }): Promise<{
    readonly tools: readonly {
      readonly name: string;
      readonly description?: string | undefined;
      readonly inputSchema: object;
      readonly outputSchema?: object | undefined;
    }[];
    readonly nextCursor?: string | undefined;
  }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
}

/** The tools of an MCP server as tools of this page. */
export async function toolsOf(
  server: McpTools,
  more: { readonly tier?: Tier | undefined; readonly timeoutMs?: number | undefined },
): Promise<readonly PageTool[]> {
  const tools: PageTool[] = [];
  let cursor: string | undefined;
  for (let list = 0; list < CLIENT_LIMITS.pageToolLists; list += 1) {
    const page = await server.listTools(cursor === undefined ? {} : { cursor });
    for (const { name, description = "", inputSchema, outputSchema } of page.tools)
      tools.push({
        name,
        description,
        schema: inputSchema,
        outputSchema,
        ...more,
        handler: (input) => server.callTool({ name, arguments: input }),
      });
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}

export type ToJsonSchema = (schema: never, options?: object) => object;

/** The tool as declared to the server. */
export function declarationOf(tool: PageTool, convert: ToJsonSchema | undefined): PageToolDeclaration {
  const { name, description, schema, outputSchema, tier, timeoutMs } = tool;
  return {
    name,
    description,
    input_schema: jsonSchema(schema ?? { type: "object" }, "input", convert),
    ...(outputSchema === undefined ? {} : { output_schema: jsonSchema(outputSchema, "output", convert) }),
    ...(tier === undefined ? {} : { tier }),
    ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }),
  };
}

/** A schema object converts itself, or is converted by the page's function; everything else is already JSON Schema. */
function jsonSchema(schema: object, io: "input" | "output", convert: ToJsonSchema | undefined): JsonObject {
  const own = schema as SchemaObject;
  if (typeof own.toJSONSchema === "function") return own.toJSONSchema({ io }) as JsonObject;
  if (typeof own.safeParse !== "function") return schema as JsonObject;
  if (convert === undefined) throw new TypeError("give `toJSONSchema` with the offer, such as z.toJSONSchema");
  return convert(schema as never, { io }) as JsonObject;
}

/** The input as parsed by the tool's own schema, with defaults filled in. A string: what is wrong with it. */
export function checkInput({ schema }: PageTool, input: JsonObject): { readonly value: unknown } | string {
  const own = (schema ?? {}) as SchemaObject;
  if (typeof own.safeParse !== "function") return { value: input };
  const parsed = own.safeParse(input);
  return parsed.success ? { value: parsed.data } : parsed.error.message;
}
