import { randomUUID } from "node:crypto";
import type { Server } from "@modelcontextprotocol/server";
import { Failure, LIMITS } from "../../protocol/index.ts";
import type { Caller } from "../../sessions/index.ts";
import type { ClaudeTree } from "./claude-tree.ts";
import { mcpServer } from "./mcp-server.ts";
import { OlderHttpTransport } from "./older-codes.ts";
import { Subscriptions } from "./subscriptions.ts";

interface Client {
  readonly owner: string;
  readonly transport: OlderHttpTransport;
  readonly subscriptions: Subscriptions;
  readonly server: Server;
  /** Requests and streams that are open. */
  open: number;
  idle: NodeJS.Timeout | undefined;
}

interface McpExchange {
  readonly caller: Caller;
  readonly request: Request;
  readonly body: unknown;
}

export interface ClientsOptions {
  readonly treeOf: (caller: Caller) => ClaudeTree;
  readonly version: string;
  readonly onError: (error: unknown) => void;
}

/** Clients that open an MCP session first, as all did before the revision of 2026. */
export class McpClients {
  readonly #options: ClientsOptions;
  /** Most recently used last. */
  readonly #clients = new Map<string, Client>();

  constructor(options: ClientsOptions) {
    this.#options = options;
  }

  /** The answer, and a function to call when it has been sent. */
  async serve(exchange: McpExchange): Promise<{ readonly response: Response; readonly done: () => void }> {
    const { caller, request, body } = exchange;
    const id = request.headers.get("mcp-session-id");
    const client = id === null ? await this.#begin(caller) : this.#find(id, caller);
    client.open += 1;
    clearTimeout(client.idle);
    const done = (): void => {
      client.open -= 1;
      this.#rest(client);
    };
    try {
      const response = await client.transport.handleRequest(request, { parsedBody: body });
      // A client that does not start with `initialize` is refused, and leaves nothing behind.
      if (client.transport.sessionId === undefined) await client.server.close();
      return { response, done };
    } catch (error) {
      done();
      throw error;
    }
  }

  #find(id: string, caller: Caller): Client {
    const client = this.#clients.get(id);
    // For other callers the session does not exist.
    if (client === undefined || client.owner !== caller.id)
      throw new Failure("not_found", "there is no such MCP session; begin a new one with initialize");
    this.#clients.delete(id);
    this.#clients.set(id, client);
    return client;
  }

  async #begin(caller: Caller): Promise<Client> {
    this.#makeRoom(caller);
    const { treeOf, version, onError } = this.#options;
    const tree = treeOf(caller);
    const transport = new OlderHttpTransport({
      sessionIdGenerator: () => randomUUID(),
      keepAliveMs: LIMITS.heartbeatMs,
      onsessioninitialized: (id) => void this.#clients.set(id, client),
    });
    const subscriptions = new Subscriptions({
      tree,
      tell: (uri) => void server.sendResourceUpdated({ uri }).catch(onError),
      onError,
    });
    const server = mcpServer({ tree, version, onError, subscriptions: () => subscriptions });
    const client: Client = { owner: caller.id, transport, subscriptions, server, open: 0, idle: undefined };
    const onclose = (): void => {
      clearTimeout(client.idle);
      subscriptions.close();
      if (transport.sessionId !== undefined) this.#clients.delete(transport.sessionId);
    };
    Object.assign(server, { onclose });
    await server.connect(transport);
    return client;
  }

  /** Drops a principal's least recently used client first. */
  #makeRoom(caller: Caller): void {
    const own = [...this.#clients.values()].filter(({ owner }) => owner === caller.id);
    const [oldest] = own;
    if (own.length >= LIMITS.mcpClients && oldest !== undefined) oldest.server.close().catch(this.#options.onError);
    else if (this.#clients.size >= LIMITS.mcpClientsTogether)
      throw new Failure("limit_reached", `${LIMITS.mcpClientsTogether} MCP clients are connected; try again later`);
  }

  #rest(client: Client): void {
    const { sessionId } = client.transport;
    if (client.open > 0 || sessionId === undefined || this.#clients.get(sessionId) !== client) return;
    client.idle = setTimeout(() => {
      client.server.close().catch(this.#options.onError);
    }, LIMITS.mcpClientMs);
    client.idle.unref();
  }
}
