import { resolve } from "node:path";
import { PassThrough } from "node:stream";
import {
  Client,
  ReadBuffer,
  serializeMessage,
  StreamableHTTPClientTransport,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { runCommandLine } from "../../../src/cli/program.ts";
import type { TestApp } from "../../support/app.ts";
import { sample } from "../../support/sample.ts";

/** Each way to the tree: the protocol's older form, which begins with `initialize`, and its newer one. */
const EVERY_DOOR = [
  { door: "http", era: "older" },
  { door: "http", era: "newer" },
  { door: "stdio", era: "newer" },
  { door: "stdio", era: "older" },
] as const;
export type Door = (typeof EVERY_DOOR)[number];
/** Every day each door and each form once. */
export const DOORS = sample(EVERY_DOOR, 2);

export interface Connected {
  readonly client: Client;
  /** Addresses of files that were said to have changed, in order. */
  readonly changed: string[];
  /** Subscribes in the way of its era; the answer unsubscribes. */
  subscribe(...uris: readonly string[]): Promise<() => Promise<void>>;
  until(done: () => boolean): Promise<void>;
  close(): Promise<void>;
}

/** The protocol's own client library at one of the doors. */
export async function connect(app: TestApp, door: Door, token: string = app.serving.token): Promise<Connected> {
  const transport =
    door.door === "http"
      ? new StreamableHTTPClientTransport(new URL(`${app.serving.url}/mcp`), {
          requestInit: { headers: { authorization: `Bearer ${token}` } },
        })
      : commandTransport(app, token);
  return connectOver(transport, door.era);
}

export async function connectOver(transport: Transport, era: Door["era"]): Promise<Connected> {
  const client = new Client(
    { name: "test", version: "0" },
    { versionNegotiation: { mode: era === "older" ? "legacy" : { pin: "2026-07-28" } } },
  );
  const changed: string[] = [];
  let waiting: { readonly done: () => boolean; readonly resolve: () => void } | undefined;
  const wake = (): void => {
    if (waiting?.done() === true) waiting.resolve();
  };
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    changed.push(params.uri);
    wake();
  });
  await client.connect(transport);
  return {
    client,
    changed,
    subscribe: async (...uris) => {
      if (era === "newer") {
        const listening = await client.listen({ resourceSubscriptions: [...uris] });
        return () => listening.close();
      }
      for (const uri of uris) await client.subscribeResource({ uri });
      return async () => {
        for (const uri of uris) await client.unsubscribeResource({ uri });
      };
    },
    until: (done) =>
      new Promise((resolve) => {
        waiting = { done, resolve };
        wake();
      }),
    close: () => client.close(),
  };
}

/** The real command as a process of its own. */
export function spawned(words: readonly string[], environment: Readonly<Record<string, string>>): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [resolve("dist/cli/main.js"), ...words],
    env: { PATH: process.env["PATH"] ?? "", ...environment },
    stderr: "pipe",
  });
}

/** The whole command in this process, over streams. */
function commandTransport(app: TestApp, token: string): Transport {
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  errors.resume();
  const ended = runCommandLine(["--server", app.serving.url, "--token", token, "mcp"], {
    environment: { PATH: process.env["PATH"], HOME: app.place.workspace },
    cwd: app.place.workspace,
    input,
    output,
    errors,
    version: "0.0.0-test",
    name: "sallyport",
    now: () => Date.now(),
    onSignal: () => () => undefined,
    goOnWithoutOutput: () => undefined,
    exit: () => undefined,
    endBySignal: () => undefined,
  });
  return new StreamTransport(input, output, ended);
}

class StreamTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  readonly #input: PassThrough;
  readonly #output: PassThrough;
  readonly #ended: Promise<unknown>;
  readonly #buffer = new ReadBuffer();

  constructor(input: PassThrough, output: PassThrough, ended: Promise<unknown>) {
    this.#input = input;
    this.#output = output;
    this.#ended = ended;
  }

  async start(): Promise<void> {
    this.#output.on("data", (chunk: Buffer) => {
      this.#buffer.append(chunk);
      for (let message = this.#buffer.readMessage(); message !== null; message = this.#buffer.readMessage())
        this.onmessage?.(message);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#input.write(serializeMessage(message));
  }

  async close(): Promise<void> {
    this.#input.end();
    await this.#ended;
    this.onclose?.();
  }
}

/** What a tool answered, as data. */
export async function call(
  { client }: Pick<Connected, "client">,
  name: string,
  input: object,
  options?: Parameters<Client["callTool"]>[1],
): Promise<Readonly<Record<string, unknown>>> {
  const result = await client.callTool({ name, arguments: { ...input } }, options);
  const [block] = result.content;
  return {
    ...(result.isError === true ? { failed: true } : {}),
    ...(result.structuredContent as object | undefined),
    text: block?.type === "text" ? block.text : "",
  };
}
