import type { OfferedToolServer } from "../claude/offered-tools.ts";
import { ALWAYS_ASK, HOOK_TIMEOUT, type Launch, type ProcessListener, type UserMessage } from "../claude/transport.ts";
import { wireMessage } from "../claude/messages.ts";
import { vendorAgents } from "../claude/tools.ts";
import { record, text, type VendorFields } from "../claude/wire.ts";

const HOOK = "sallyport";

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * The program's control protocol, as lines of JSON over its stdin and stdout: answers its requests, and sends it what it
 * must know first.
 */
export class ControlChannel {
  readonly #listener: ProcessListener;
  readonly #write: (line: string) => void;
  /** Requests of the program that have no answer yet. */
  readonly #asked = new Map<string, AbortController>();
  /** Requests of ours that have no answer yet. */
  readonly #pending = new Map<string, Pending>();
  #servers: readonly OfferedToolServer[];
  #requests = 0;

  constructor(launch: Pick<Launch, "servers">, listener: ProcessListener, write: (line: string) => void) {
    this.#servers = launch.servers;
    this.#listener = listener;
    this.#write = write;
  }

  /** The first message to the program: who decides on tools, which servers we offer, what the model is told. */
  initialize({ settings, offer, servers }: Launch): Promise<unknown> {
    const append = settings.system_prompt?.trim() ?? "";
    return this.#request({
      subtype: "initialize",
      hooks: { PreToolUse: [{ matcher: null, hookCallbackIds: [HOOK], timeout: HOOK_TIMEOUT }] },
      ...(servers.length === 0 ? {} : { sdkMcpServers: servers.map(({ name }) => name) }),
      toolAliases: offer.aliases,
      forwardSubagentText: true,
      ...(append === "" ? {} : { appendSystemPrompt: append }),
      ...(settings.output_schema === undefined ? {} : { jsonSchema: settings.output_schema }),
      ...(settings.agents === undefined ? {} : { agents: vendorAgents(settings.agents, offer) }),
    });
  }

  send(message: UserMessage): void {
    this.#line(wireMessage(message));
  }

  async setServers(servers: readonly OfferedToolServer[], changed: readonly string[]): Promise<void> {
    // The program rereads a server's tools only after the server was removed.
    this.#servers = servers;
    const kept = servers.filter(({ name }) => !changed.includes(name));
    if (changed.length > 0) await this.#request({ subtype: "mcp_set_servers", servers: serverConfigs(kept) });
    await this.#request({ subtype: "mcp_set_servers", servers: serverConfigs(servers) });
  }

  /** True when the message was only for this protocol. */
  take(message: VendorFields): boolean {
    switch (message["type"]) {
      case "control_request":
        void this.#answer(message);
        return true;
      case "control_response":
        this.#settle(record(message["response"]));
        return true;
      case "control_cancel_request":
        this.#asked.get(text(message["request_id"]) ?? "")?.abort();
        return true;
      default:
        return false;
    }
  }

  async #answer(message: VendorFields): Promise<void> {
    const request_id = text(message["request_id"]) ?? "";
    const cancelled = new AbortController();
    this.#asked.set(request_id, cancelled);
    try {
      const response = await this.#responseTo(record(message["request"]), cancelled.signal);
      this.#line({ type: "control_response", response: { subtype: "success", request_id, response } });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#line({ type: "control_response", response: { subtype: "error", request_id, error: reason } });
    } finally {
      this.#asked.delete(request_id);
    }
  }

  async #responseTo(request: VendorFields, cancelled: AbortSignal): Promise<object> {
    switch (request["subtype"]) {
      case "hook_callback":
        return ALWAYS_ASK;
      case "can_use_tool":
        return this.#listener.permit(
          {
            tool: text(request["tool_name"]) ?? "",
            tool_use_id: text(request["tool_use_id"]) ?? "",
            input: record(request["input"]),
            agent_id: text(request["agent_id"]),
          },
          cancelled,
        );
      case "mcp_message": {
        const server = this.#servers.find(({ name }) => name === request["server_name"]);
        if (server === undefined) throw new Error("there is no such server");
        // Notifications are answered too, with nothing.
        const answer = await server.answer(request["message"]);
        return { mcp_response: answer ?? { jsonrpc: "2.0", id: 0, result: {} } };
      }
      default:
        // Every request gets an answer, or the program would wait forever.
        throw new Error(`unsupported request ${String(request["subtype"])}`);
    }
  }

  /** Resolves with the program's answer; never if it ends before. */
  #request(request: object): Promise<unknown> {
    this.#requests += 1;
    const request_id = `sallyport_${this.#requests}`;
    const answer = new Promise((resolve, reject) => this.#pending.set(request_id, { resolve, reject }));
    this.#line({ type: "control_request", request_id, request });
    return answer;
  }

  #settle(response: VendorFields): void {
    const id = text(response["request_id"]) ?? "";
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (response["subtype"] === "success") pending?.resolve(response["response"]);
    else pending?.reject(new Error(text(response["error"]) ?? "refused"));
  }

  #line(message: object): void {
    this.#write(`${JSON.stringify(message)}\n`);
  }
}

/** Offered servers in the program's format. */
export function serverConfigs(servers: readonly OfferedToolServer[]): Readonly<Record<string, object>> {
  return Object.fromEntries(servers.map(({ name }) => [name, { type: "sdk", name, alwaysLoad: true }]));
}
