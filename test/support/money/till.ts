import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Price } from "../../../src/protocol/index.ts";
import { createSimModel } from "../../../src/sim/index.ts";
import { bill, PICO } from "./bill.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The scripted model as a provider that costs money: it keeps a bill of each answer that it gave whole. */
export class Till {
  readonly url: string;
  readonly #server: Server;
  readonly #bills: { model: string; microusd: number }[] = [];
  #requests = 0;

  private constructor(server: Server, prices: Readonly<Record<string, Price>>) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const model = createSimModel();
    server.on("request", (request, response) => {
      if (request.method === "POST" && request.url === "/v1/messages") {
        this.#requests += 1;
        this.#tap(response, prices);
      }
      void model.handle(request, response);
    });
  }

  static async open(prices: Readonly<Record<string, Price>>): Promise<Till> {
    const server = createServer();
    server.keepAliveTimeout = 600_000;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new Till(server, prices);
  }

  /** Requests for a message that arrived, answered whole or not. */
  get requests(): number {
    return this.#requests;
  }

  /** What it wants to be paid for each whole answer, in order: micro-USD, each rounded up. */
  get bills(): readonly number[] {
    return this.#bills.map(({ microusd }) => microusd);
  }

  /** The models of those answers. */
  get models(): readonly string[] {
    return this.#bills.map(({ model }) => model);
  }

  /** Micro-USD. */
  get count(): number {
    return this.bills.reduce((sum, one) => sum + one, 0);
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  /** Reads what is answered, on its way out. */
  #tap(response: ServerResponse, prices: Readonly<Record<string, Price>>): void {
    let text = "";
    const keep = (chunk: unknown): void => {
      if (typeof chunk === "string" || Buffer.isBuffer(chunk)) text += chunk.toString();
    };
    const write = response.write.bind(response);
    const end = response.end.bind(response);
    response.write = ((chunk: never, ...rest: never[]) => {
      keep(chunk);
      return write(chunk, ...rest);
    }) as typeof response.write;
    response.end = ((chunk: never, ...rest: never[]) => {
      keep(chunk);
      this.#book(text, prices);
      return end(chunk, ...rest);
    }) as typeof response.end;
  }

  /** Before the last byte leaves: whoever has seen the end finds the bill written. */
  #book(text: string, prices: Readonly<Record<string, Price>>): void {
    const events = text
      .split("\n")
      .map((line) => line.replace(/^data: /, ""))
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Fields);
    const start = events.map((event) => (event["message"] ?? event) as Fields).find(({ model }) => model !== undefined);
    const usages = events.flatMap((event): Fields[] =>
      event["usage"] === undefined ? [] : [event["usage"] as Fields],
    );
    const isWhole = events.some(({ type }) => type === "message_stop" || type === "message");
    const price = prices[String(start?.["model"])];
    if (start === undefined || !isWhole || price === undefined) return;
    const usage: Fields = { ...(start["usage"] as Fields | undefined), ...usages.at(-1) };
    const tokens = (name: string): number => Number(usage[name] ?? 0);
    const amount = bill(price, {
      input: tokens("input_tokens"),
      output: tokens("output_tokens"),
      cacheRead: tokens("cache_read_input_tokens"),
      cacheWrite: tokens("cache_creation_input_tokens"),
      cacheWrite1h: 0,
    });
    this.#bills.push({ model: String(start["model"]), microusd: Number((amount + PICO - 1n) / PICO) });
  }
}
