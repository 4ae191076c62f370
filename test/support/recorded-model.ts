import { createServer } from "node:http";
import { mkdir, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createSimModel } from "../../src/sim/index.ts";
import { openTestApp, type TestApp } from "./app.ts";

/** A test app whose model's requests can be looked at. */
export interface RecordedApp {
  readonly app: TestApp;
  /** The bodies of requests for an answer, in order. */
  readonly asked: readonly ModelBody[];
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ModelBody {
  readonly system?: unknown;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly name: string; readonly description?: string }[];
}

const PRICE = { input: 3_000_000, output: 7_000_000, cache_read: 1_000_000, cache_write: 5_000_000 };

/** `settings`: more of the server's settings file. */
export async function openRecordedApp(settings: Readonly<Record<string, unknown>> = {}): Promise<RecordedApp> {
  const asked: ModelBody[] = [];
  const model = createSimModel({
    demoDelayMs: 0,
    onExchange: ({ path, body }) => {
      if (path.startsWith("/v1/messages") && !path.includes("count")) asked.push(body as ModelBody);
    },
  });
  const server = createServer((request, response) => void model.handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const all = {
    provider: "recorded",
    providers: { recorded: { base_url, auth: "none", wire: "anthropic", default_model: "sim" } },
    prices: { sim: PRICE },
    ...settings,
  };
  const app = await openTestApp(
    {},
    {
      prepare: async ({ home }) => {
        await mkdir(home, { recursive: true });
        await writeFile(join(home, "sallyport.yaml"), JSON.stringify(all));
        return () => Promise.resolve();
      },
    },
  );
  return {
    app,
    asked,
    [Symbol.asyncDispose]: async () => {
      await app[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
