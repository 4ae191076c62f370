import { LIMITS, outputText, PROTOCOL_VERSION, type ContentBlock } from "../../protocol/index.ts";
import type { OfferedTool } from "./tools.ts";
import { record, text, type VendorFields } from "../vendor/fields.ts";

/** Runs a client tool; the call has the vendor's own id. */
export type RunOfferedTool = (call: {
  readonly tool: string;
  readonly tool_use_id: string;
  readonly input: VendorFields;
  readonly signal: AbortSignal;
}) => Promise<{ readonly content: readonly ContentBlock[]; readonly is_error: boolean }>;

const PROTOCOL = "2025-06-18";
const UNKNOWN_METHOD = -32_601;

/**
 * Tools offered to the vendor's program, as an MCP server without a transport: one message in, its answer out.
 * Notifications get no answer.
 */
export class OfferedToolServer {
  readonly name: string;
  readonly tools: readonly OfferedTool[];
  readonly #run: RunOfferedTool;
  readonly #running = new Map<unknown, AbortController>();
  #isAwaited = false;

  constructor(name: string, tools: readonly OfferedTool[], run: RunOfferedTool) {
    this.name = name;
    this.tools = tools;
    this.#run = run;
  }

  /** A server whose tools are not back after a restart: whoever decides on a call waits for them. */
  static awaited(name: string, run: RunOfferedTool): OfferedToolServer {
    const server = new OfferedToolServer(name, [], run);
    server.#isAwaited = true;
    return server;
  }

  async answer(raw: unknown): Promise<VendorFields | undefined> {
    const message = record(raw);
    const { id, method } = message;
    if (method === "notifications/cancelled") this.#running.get(record(message["params"])["requestId"])?.abort();
    if (id === undefined || method === undefined) return undefined;
    switch (method) {
      case "initialize":
        return reply(id, {
          protocolVersion: text(record(message["params"])["protocolVersion"]) ?? PROTOCOL,
          capabilities: { tools: {} },
          serverInfo: { name: this.name, version: PROTOCOL_VERSION },
        });
      case "ping":
        return reply(id, {});
      case "tools/list":
        return reply(id, { tools: this.tools.map(described) });
      case "tools/call":
        return reply(id, await this.#call(id, record(message["params"])));
      default:
        return {
          jsonrpc: "2.0",
          id,
          error: { code: UNKNOWN_METHOD, message: `unknown method ${JSON.stringify(method)}` },
        };
    }
  }

  /** Aborts running calls. */
  close(): void {
    for (const controller of this.#running.values()) controller.abort();
  }

  async #call(id: unknown, params: VendorFields): Promise<VendorFields> {
    const wanted = text(params["name"]) ?? "";
    const known = this.tools.find((candidate) => candidate.tool === wanted)?.name;
    const tool = known ?? (this.#isAwaited ? `mcp__${this.name}__${wanted}` : undefined);
    if (tool === undefined) return toolAnswer([{ type: "text", text: "Unknown tool." }], true);
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      const result = await this.#run({
        tool,
        tool_use_id: text(record(params["_meta"])["claudecode/toolUseId"]) ?? "",
        input: record(params["arguments"]),
        signal: controller.signal,
      });
      return toolAnswer(result.content, result.is_error);
    } finally {
      this.#running.delete(id);
    }
  }
}

function reply(id: unknown, result: VendorFields): VendorFields {
  return { jsonrpc: "2.0", id, result };
}

/** Always loaded: a tool that must be searched for first is not used. */
function described({ tool, definition, concurrent }: OfferedTool): VendorFields {
  return {
    name: tool,
    // The vendor's program runs such tools in parallel.
    annotations: { readOnlyHint: concurrent },
    description: definition.description,
    inputSchema: definition.input_schema,
    // The program would put a longer result into a file that the session's tools cannot read.
    _meta: { "anthropic/alwaysLoad": true, "anthropic/maxResultSizeChars": LIMITS.toolOutputChars },
  };
}

function toolAnswer(content: readonly ContentBlock[], isError: boolean): VendorFields {
  // The vendor's program shows only text for an error.
  const blocks = isError ? [{ type: "text" as const, text: outputText(content) }] : content;
  return {
    content: blocks.map((block) =>
      block.type === "text" ? block : { type: "image", data: block.data, mimeType: block.media_type },
    ),
    isError,
  };
}
