import type { Tier } from "../protocol/sessions/approvals.ts";
import type { BrowserToolExecutor } from "./executor.ts";

/** One tool as `live.offer` of `sallyport/client` takes it. */
export interface ContextTool {
  readonly name: string;
  readonly description: string;
  readonly schema: object;
  readonly tier: Tier;
  handler(
    input: Record<string, unknown>,
    call: { readonly signal: AbortSignal; readonly callId: string },
  ): Promise<object>;
}

/** The executor's tools available now, to be offered to a session. Create them again when another view or connection is open. */
export function pageToolsOf(executor: BrowserToolExecutor, names?: readonly string[]): readonly ContextTool[] {
  return executor
    .tools()
    .filter(({ name }) => names === undefined || names.includes(name))
    .map(({ name, description, input_schema, tier }) => ({
      name,
      description,
      schema: input_schema,
      tier,
      handler: async (input, { signal, callId }) => {
        const { text, isError } = await executor.run({ callId, tool: name, args: input, signal });
        return { content: [{ type: "text", text }], ...(isError ? { isError } : {}) };
      },
    }));
}
