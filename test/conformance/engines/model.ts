import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelApi } from "../../../src/protocol/index.ts";
import { createSimModel } from "../../../src/sim/index.ts";
import { ASKED_AT, sentRequest } from "./sent.ts";

/** A part of a message as the model gets it. */
export interface SentBlock {
  readonly type: string;
  readonly text?: string;
  readonly content?: string | readonly SentBlock[];
  readonly is_error?: boolean;
  readonly source?: { readonly media_type: string; readonly data: string };
}

/** The parts of a request to the model that the bench looks at. */
export interface SentRequest {
  readonly model: string;
  readonly system?: unknown;
  readonly tools?: readonly { readonly name: string; readonly defer_loading?: boolean }[];
  readonly messages: readonly { readonly role: string; readonly content: string | readonly SentBlock[] }[];
}

/** How tools of scripts are called. Agents put the name of our tool server before the names of our tools. */
type ToolNames = "as scripted" | "as offered";

/** The name under which an agent offers one of our tools. */
export const asOffered = (name: string, offered: ReadonlySet<string>): string =>
  [...offered].find((tool) => tool === `sallyport_${name}` || tool === `mcp__sallyport__${name}`) ?? name;

/** The scripted model as a provider of its own, so that what engines really ask can be read. */
export class Model {
  readonly url: string;
  /** How it was asked. */
  readonly apis = new Set<ModelApi>();
  readonly #server: Server;
  readonly #requests: SentRequest[] = [];
  #open = 0;
  #whenQuiet: (() => void)[] = [];
  /** Long answers that begin now break off after their first pieces without an end: they last until their reader goes. */
  stalls = false;

  private constructor(server: Server, calls: ToolNames) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const model = createSimModel({
      nameTool: calls === "as offered" ? asOffered : undefined,
      onExchange: ({ path, body }) => {
        const api = ASKED_AT.get(path);
        if (api === undefined) return;
        this.apis.add(api);
        this.#requests.push(plainNamed(sentRequest(api, body)));
      },
    });
    server.on("request", (request, response) => {
      this.#open += 1;
      if (this.stalls) stall(response);
      void model.handle(request, response).finally(() => {
        this.#open -= 1;
        if (this.#open === 0) for (const resolve of this.#whenQuiet.splice(0)) resolve();
      });
    });
  }

  static async open(calls: ToolNames = "as scripted"): Promise<Model> {
    const server = createServer();
    server.keepAliveTimeout = 600_000;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new Model(server, calls);
  }

  /** What was asked about the prompt with this mark, oldest first: it is the last one in the conversation. */
  async asked(mark: string): Promise<readonly SentRequest[]> {
    while (this.#open > 0) await new Promise<void>((resolve) => this.#whenQuiet.push(resolve));
    return this.#requests.filter((request) => marksIn(request).at(-1) === mark);
  }

  /** Requests in whose messages this stands, oldest first. */
  async containing(words: string): Promise<readonly SentRequest[]> {
    while (this.#open > 0) await new Promise<void>((resolve) => this.#whenQuiet.push(resolve));
    return this.#requests.filter(({ messages }) => JSON.stringify(messages).includes(words));
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

/** Enough pieces for some words to be there, and far fewer than a long text has. */
const PIECES_BEFORE_STALL = 20;

function stall(response: ServerResponse): void {
  const write = response.write.bind(response) as (chunk: unknown) => boolean;
  let left = PIECES_BEFORE_STALL;
  response.write = ((chunk: unknown) => {
    left -= 1;
    if (left === 0) response.end = () => response;
    return left > 0 ? write(chunk) : true;
  }) as typeof response.write;
}

/** OpenCode puts the name of their server before the names of our tools. */
function plainNamed({ tools, ...request }: SentRequest): SentRequest {
  if (tools === undefined) return request;
  return { ...request, tools: tools.map((tool) => ({ ...tool, name: tool.name.replace(/^sallyport_/, "") })) };
}

/** The marks of all prompts in a conversation, in order. */
export function marksIn(request: SentRequest): readonly string[] {
  return [...JSON.stringify(request.messages).matchAll(/\[mark [\w-]+\]/g)].map(([mark]) => mark);
}

/** The results of tools in a conversation, as texts, in order. */
export function resultsIn({ messages }: SentRequest): readonly string[] {
  return messages.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.filter(({ type }) => type === "tool_result").map((block) => blockText(block.content)),
  );
}

export function blocksOf(request: SentRequest | undefined): readonly SentBlock[] {
  return (request?.messages ?? []).flatMap(({ content }) =>
    typeof content === "string" ? [{ type: "text", text: content }] : content,
  );
}

function blockText(content: SentBlock["content"] = []): string {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n");
}
