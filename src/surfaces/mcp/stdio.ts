import type { Readable, Writable } from "node:stream";
import { ProtocolError, type JSONRPCMessage, type Server, type Transport } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { LIMITS } from "../../protocol/index.ts";
import type { ClaudeTree } from "./claude-tree.ts";
import { listenedTo, subscribeAll } from "./listening.ts";
import { failureOf, mcpServer, protocolError } from "./mcp-server.ts";
import { inOlderCodes } from "./older-codes.ts";
import { Subscriptions } from "./subscriptions.ts";

export interface McpStdioOptions {
  readonly tree: ClaudeTree;
  readonly version: string;
  readonly input: Readable;
  readonly output: Writable;
  readonly onError: (error: unknown) => void;
}

export interface McpStdio {
  /** Resolves when the client is gone. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** The tree as an MCP server on a program's own streams. */
export function serveMcpStdio(options: McpStdioOptions): McpStdio {
  const { tree, version, onError } = options;
  let server: Server | undefined;
  const subscriptions = new Subscriptions({
    tree,
    tell: (uri) => void server?.sendResourceUpdated({ uri }).catch(onError),
    onError,
  });
  const wire = new StdioServerTransport(options.input, options.output, { maxBufferSize: LIMITS.bodyBytes });
  const transport = new ListeningTransport(wire, subscriptions, onError);
  const handle = serveStdio(
    () => {
      server = mcpServer({ tree, version, onError, subscriptions: () => subscriptions });
      return server;
    },
    { transport, onerror: onError, maxSubscriptions: LIMITS.mcpListening },
  );
  const closed = transport.closed.then(() => subscriptions.close());
  return { closed, close: () => handle.close() };
}

/**
 * In the protocol's newer form the library answers `subscriptions/listen` itself and does not report which files are meant. This class reads
 * the message on the way: the files are followed before the stream is confirmed, and dropped when it closes.
 */
class ListeningTransport implements Transport {
  readonly closed: Promise<void>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  readonly #wire: StdioServerTransport;
  readonly #subscriptions: Subscriptions;
  /** By the id of the request: the files that it listens to. */
  readonly #streams = new Map<string | number, readonly string[]>();
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;
  /** The client began with `initialize`, as all did before the revision of 2026. */
  #isOlder = false;

  constructor(wire: StdioServerTransport, subscriptions: Subscriptions, onError: (error: unknown) => void) {
    this.#wire = wire;
    this.#subscriptions = subscriptions;
    let left = (): void => undefined;
    this.closed = new Promise((resolve) => {
      left = resolve;
    });
    const hears: Pick<Transport, "onclose" | "onerror" | "onmessage"> = {
      onclose: () => {
        this.onclose?.();
        left();
      },
      onerror: (error) => this.onerror?.(error),
      // One after the other: a message must not overtake the one that it refers to.
      onmessage: (message) => {
        if (this.#waiting >= LIMITS.socketMessagesWaiting) {
          onError(new Error("too many messages at once"));
          void wire.close();
          return;
        }
        this.#waiting += 1;
        this.#turn = this.#turn
          .then(() => this.#take(message, onError))
          .catch(onError)
          .finally(() => {
            this.#waiting -= 1;
          });
      },
    };
    Object.assign(wire, hears);
  }

  start(): Promise<void> {
    return this.#wire.start();
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#wire.send(this.#isOlder ? inOlderCodes(message) : message);
  }

  close(): Promise<void> {
    return this.#wire.close();
  }

  async #take(message: JSONRPCMessage, onError: (error: unknown) => void): Promise<void> {
    if ("method" in message && message.method === "initialize") this.#isOlder = true;
    const wanted = listenedTo(message);
    if (wanted === undefined) this.#leave(message);
    else {
      try {
        await subscribeAll(this.#subscriptions, wanted.uris);
        this.#streams.set(wanted.id, wanted.uris);
      } catch (error) {
        const {
          code,
          message: words,
          data,
        } = error instanceof ProtocolError ? error : protocolError(failureOf(error, onError));
        await this.send({ jsonrpc: "2.0", id: wanted.id, error: { code, message: words, data } });
        return;
      }
    }
    this.onmessage?.(message);
  }

  #leave(message: JSONRPCMessage): void {
    if (!("method" in message) || message.method !== "notifications/cancelled") return;
    const id = (message.params as { readonly requestId?: unknown } | undefined)?.requestId;
    if (typeof id !== "string" && typeof id !== "number") return;
    for (const uri of this.#streams.get(id) ?? []) this.#subscriptions.remove(uri);
    this.#streams.delete(id);
  }
}
