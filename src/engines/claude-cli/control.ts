import type { LentServer } from "../claude/lent.ts";
import { ALWAYS_ASK, HOOK_TIMEOUT, type Launch, type Listener, type UserMessage } from "../claude/link.ts";
import { wireMessage } from "../claude/say.ts";
import { record, text, type Fields } from "../claude/wire.ts";

const HOOK = "sallyport";

/**
 * The program's control protocol, in lines of JSON over its stdin and stdout: what it asks is answered, what it must know
 * is sent first.
 */
export class Control {
  readonly #listener: Listener;
  readonly #servers: ReadonlyMap<string, LentServer>;
  readonly #write: (line: string) => void;
  #requests = 0;

  constructor(launch: Pick<Launch, "servers">, listener: Listener, write: (line: string) => void) {
    this.#servers = new Map(launch.servers.map((server) => [server.name, server]));
    this.#listener = listener;
    this.#write = write;
  }

  /** The first thing that the program reads: who decides on tools, which servers we lend, what the model is told. */
  initialize({ settings, offer, servers }: Launch): void {
    const append = settings.system_prompt?.trim() ?? "";
    this.#request({
      subtype: "initialize",
      hooks: { PreToolUse: [{ matcher: null, hookCallbackIds: [HOOK], timeout: HOOK_TIMEOUT }] },
      ...(servers.length === 0 ? {} : { sdkMcpServers: servers.map(({ name }) => name) }),
      toolAliases: offer.aliases,
      forwardSubagentText: true,
      ...(append === "" ? {} : { appendSystemPrompt: append }),
    });
  }

  send(message: UserMessage): void {
    this.#line(wireMessage(message));
  }

  interrupt(): void {
    this.#request({ subtype: "interrupt" });
  }

  /** True when the message was for this protocol and nobody else. */
  take(message: Fields): boolean {
    switch (message["type"]) {
      case "control_request":
        void this.#answer(message);
        return true;
      case "control_response":
      case "control_cancel_request":
        return true;
      default:
        return false;
    }
  }

  async #answer(message: Fields): Promise<void> {
    const request_id = text(message["request_id"]) ?? "";
    try {
      const response = await this.#responseTo(record(message["request"]));
      this.#line({ type: "control_response", response: { subtype: "success", request_id, response } });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#line({ type: "control_response", response: { subtype: "error", request_id, error: reason } });
    }
  }

  async #responseTo(request: Fields): Promise<object> {
    switch (request["subtype"]) {
      case "hook_callback":
        return ALWAYS_ASK;
      case "can_use_tool":
        return this.#listener.permit({
          tool: text(request["tool_name"]) ?? "",
          tool_use_id: text(request["tool_use_id"]) ?? "",
          input: record(request["input"]),
          agent_id: text(request["agent_id"]),
        });
      case "mcp_message": {
        const server = this.#servers.get(text(request["server_name"]) ?? "");
        if (server === undefined) throw new Error("there is no such server");
        // Notifications are answered too, with nothing.
        const answer = await server.answer(request["message"]);
        return { mcp_response: answer ?? { jsonrpc: "2.0", id: 0, result: {} } };
      }
      default:
        // Never left without an answer, or the program would wait for ever.
        throw new Error(`unsupported request ${String(request["subtype"])}`);
    }
  }

  #request(request: object): void {
    this.#requests += 1;
    this.#line({ type: "control_request", request_id: `sallyport_${this.#requests}`, request });
  }

  #line(message: object): void {
    this.#write(`${JSON.stringify(message)}\n`);
  }
}
