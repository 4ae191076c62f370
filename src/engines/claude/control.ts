import { randomUUID } from "node:crypto";
import type { Held, Piped } from "../../sandbox/sandbox.ts";
import type { OfferedToolServer } from "./offered-tools.ts";
import { beforeCall, HOOK_TIMEOUT, type Launch, type ProcessListener, type UserMessage } from "./transport.ts";
import { wireMessage } from "./messages.ts";
import { vendorAgents } from "./tools.ts";
import type { AskedCall } from "./translate.ts";

import type { Host, Verdict } from "../engine.ts";
import { record, text, type VendorFields } from "../vendor/fields.ts";

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
  readonly #held: Held | undefined;
  readonly #listener: ProcessListener;
  readonly #write: Held["write"];
  readonly #prefix: string;
  /** Requests of the program that have no answer yet. */
  readonly #asked = new Map<string, AbortController>();
  /** Requests of ours that have no answer yet. */
  readonly #pending = new Map<string, Pending>();
  #servers: readonly OfferedToolServer[];
  readonly #findServer: Launch["findServer"];
  readonly #host: Pick<Host, "nested">;
  #requests = 0;

  constructor(
    { servers, findServer, host }: Pick<Launch, "servers" | "findServer" | "host">,
    listener: ProcessListener,
    { stdin, held }: Pick<Piped, "stdin" | "held">,
  ) {
    this.#host = host;
    this.#servers = servers;
    this.#findServer = findServer;
    this.#listener = listener;
    this.#held = held;
    // The requests of a dead server had other ids.
    this.#prefix = held?.left === undefined ? "sallyport" : `sallyport_${randomUUID()}`;
    this.#write = (line, options) => {
      if (held !== undefined) held.write(line, options);
      else if (stdin.writable) stdin.write(line);
    };
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

  send(message: UserMessage, turn_id: string | undefined): void {
    this.#line(wireMessage(message), { key: message.uuid, begin: turn_id });
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
        if (this.#isAnswered(message)) this.#recall(message);
        else void this.#answer(message);
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

  #isAnswered(message: VendorFields): boolean {
    return this.#held?.left?.written.has(text(message["request_id"]) ?? "") === true;
  }

  /** A dead server answered it: only its decision counts. */
  #recall(message: VendorFields): void {
    const request = record(message["request"]);
    const { notes } = this.#held?.left ?? {};
    const call = askedCall(request);
    const note = notes?.get(text(message["request_id"]) ?? "") ?? notes?.get(call.tool_use_id);
    if (request["subtype"] === "can_use_tool" && note !== undefined)
      this.#listener.recall(call, JSON.parse(note) as Verdict);
  }

  async #answer(message: VendorFields): Promise<void> {
    const request_id = text(message["request_id"]) ?? "";
    const key = { key: request_id };
    const cancelled = new AbortController();
    this.#asked.set(request_id, cancelled);
    try {
      const response = await this.#responseTo(record(message["request"]), { request_id, signal: cancelled.signal });
      this.#line({ type: "control_response", response: { subtype: "success", request_id, response } }, key);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#line({ type: "control_response", response: { subtype: "error", request_id, error: reason } }, key);
    } finally {
      this.#asked.delete(request_id);
    }
  }

  async #responseTo(
    request: VendorFields,
    { request_id, signal }: { readonly request_id: string; readonly signal: AbortSignal },
  ): Promise<object> {
    switch (request["subtype"]) {
      case "hook_callback":
        return beforeCall(this.#host, record(request["input"]));
      case "can_use_tool":
        return this.#listener.permit(
          {
            ...askedCall(request),
            onVerdict: (verdict) => this.#held?.note(request_id, JSON.stringify(verdict)),
          },
          signal,
        );
      case "mcp_message": {
        const wanted = text(request["server_name"]) ?? "";
        const known = this.#servers.find(({ name }) => name === wanted);
        const server = known ?? (this.#held?.left === undefined ? undefined : this.#findServer(wanted));
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
    const request_id = `${this.#prefix}_${this.#requests}`;
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

  #line(message: object, options?: Parameters<Held["write"]>[1]): void {
    this.#write(`${JSON.stringify(message)}\n`, options);
  }
}

function askedCall(request: VendorFields): AskedCall {
  return {
    tool: text(request["tool_name"]) ?? "",
    tool_use_id: text(request["tool_use_id"]) ?? "",
    input: record(request["input"]),
    agent_id: text(request["agent_id"]),
  };
}

/** Offered servers in the program's format. */
export function serverConfigs(servers: readonly OfferedToolServer[]): Readonly<Record<string, object>> {
  return Object.fromEntries(servers.map(({ name }) => [name, { type: "sdk", name, alwaysLoad: true }]));
}
