import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createSimModel } from "../../src/sim/index.ts";
import { openTestApp, type TestApp } from "./app.ts";
import type { MovableClock } from "./clock.ts";

/** Whole micro-USD for each token of any kind. Codex does not say how long an answer may be. */
const PRICE = {
  input: 1_000_000,
  output: 1_000_000,
  cache_read: 1_000_000,
  cache_write: 1_000_000,
  output_tokens: 8_000,
};

/** The whole product with the provider `priced`: the scripted model on both wires, each token for one micro-USD. */
export interface PricedApp extends Pick<TestApp, "as" | "client" | "place" | "restart" | "serving"> {
  /** What came to the model, in order. */
  readonly asked: readonly { readonly path: string; readonly status: number; readonly body: unknown }[];
  [Symbol.asyncDispose](): Promise<void>;
}

export async function openPricedApp(
  environment: Readonly<Record<string, string>> = {},
  options: { readonly clock?: MovableClock } = {},
): Promise<PricedApp> {
  const asked: PricedApp["asked"][number][] = [];
  const model = createSimModel({ onExchange: ({ path, status, body }) => asked.push({ path, status, body }) });
  const server = createServer((request, response) => void model.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = {
    provider: "priced",
    providers: { priced: { base_url, auth: "none", wires: ["anthropic", "openai"], default_model: "sim" } },
    prices: { "priced/*": PRICE },
  };
  const app = await openTestApp(environment, {
    ...options,
    prepare: async ({ home }) => {
      await mkdir(home, { recursive: true });
      await writeFile(join(home, "sallyport.yaml"), JSON.stringify(settings));
      return () => close(server);
    },
  });
  return {
    as: (role, name) => app.as(role, name),
    get client() {
      return app.client;
    },
    place: app.place,
    restart: () => app.restart(),
    get serving() {
      return app.serving;
    },
    asked,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
