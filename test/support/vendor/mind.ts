import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelApi } from "../../../src/protocol/index.ts";
import { startSim, type SimServer } from "../../../src/sim/index.ts";
import { asOffered } from "../../conformance/engines/model.ts";
import { ASKED_AT, sentRequest } from "../../conformance/engines/sent.ts";
import { nextSteps, readConversation, type Conversation, type Step } from "./sense.ts";

/** A model whose tokens cost one micro-USD each. */
export const MIND_MODEL = "mind-1";
export const MIND_KEY = "key-of-the-mind-0000000000000000";
const USAGE = { input_tokens: 300, output_tokens: 40, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
/** Micro-USD of one whole answer. */
export const MIND_COST = 340;
const DONE: Step = { say: "Nothing is left to do." };

interface MindAccess {
  /** Where the provider's key is. Absent: in `MIND_KEY`. */
  readonly credential_file?: string;
  /** How it is asked. Absent: `messages`. */
  readonly api?: ModelApi | undefined;
}

/** `sallyport.yaml` of a server whose only model this is. JSON is YAML. */
export function mindSettings(mind: Pick<Mind, "url">, { credential_file, api = "messages" }: MindAccess = {}): string {
  const credential = credential_file === undefined ? { credential_env: "MIND_KEY" } : { credential_file };
  const wire = api === "messages" ? { wire: "anthropic" } : { wire: "openai", openai_api: api };
  return JSON.stringify({
    provider: "mind",
    model: MIND_MODEL,
    providers: {
      mind: { base_url: mind.url, ...wire, ...credential, default_model: MIND_MODEL },
    },
    prices: { [MIND_MODEL]: { input: 1e6, output: 1e6, cache_read: 1e6, cache_write: 1e6 } },
  });
}

/**
 * A provider outside the server, which outlives it. It plays scripts like `sim`, but with sense: it does what is still to be
 * done by all that it is told, reminders included, and repeats nothing that it knows of. So a command that ran twice was
 * kept from it.
 */
export class Mind {
  readonly url: string;
  /** What the model was told last. */
  heard: Pick<Conversation, "asked" | "done"> = { asked: "", done: "" };
  /** Whoever came with another key than the provider's. */
  readonly strangers: string[] = [];
  /** Answers that were given whole. */
  answers = 0;
  #requests = 0;
  readonly #server: Server;
  readonly #sim: SimServer;

  private constructor(server: Server, sim: SimServer) {
    this.#server = server;
    this.#sim = sim;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", (request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  static async open(): Promise<Mind> {
    const server = createServer();
    // Longer than any test: which side ends an idle connection must not depend on the machine.
    server.keepAliveTimeout = 600_000;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new Mind(server, await startSim({ host: "127.0.0.1", port: 0 }, { nameTool: asOffered }));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.#sim.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { authorization, "x-api-key": key = authorization?.replace(/^Bearer /, "") } = request.headers;
    if (key !== MIND_KEY) this.strangers.push(String(key));
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString("utf8");
    const path = request.url ?? "/";
    const api = request.method === "POST" ? ASKED_AT.get(path.split("?")[0] ?? "") : undefined;
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const answer = await fetch(`${this.#sim.url}${path}`, {
      method: request.method ?? "GET",
      headers: { "content-type": "application/json", "x-api-key": "sim", "anthropic-version": "2023-06-01" },
      signal: gone.signal,
      ...(request.method === "POST" ? { body: api === undefined ? text : this.#consider(api, text) } : {}),
    });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "application/json" });
    if (answer.body !== null) for await (const chunk of answer.body) response.write(chunk);
    if (api !== undefined) this.answers += 1;
    response.end();
  }

  /** The request with nothing in it but what is still to be done. */
  #consider(api: ModelApi, text: string): string {
    const body = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const conversation = readConversation(sentRequest(api, body).messages);
    this.heard = conversation;
    const steps = nextSteps(conversation);
    const script = [{ usage: USAGE }, ...(steps.length === 0 ? [DONE] : steps)];
    this.#requests += 1;
    // The ids of its calls come from what it is asked.
    const content = `Request ${this.#requests}\nsim: ${JSON.stringify(script)}`;
    const asked = { role: "user", content };
    return JSON.stringify({
      ...body,
      ...(api === "responses" ? { input: [{ type: "message", ...asked }] } : { messages: [asked] }),
    });
  }
}
