import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { serve, type ServeOptions, type Serving } from "../../../src/cli/serve.ts";
import { readSettings } from "../../../src/cli/settings/settings.ts";
import { SallyportClient } from "../../../src/client/index.ts";
import type { CreateSession, Policy, Price, Profile, Role } from "../../../src/protocol/index.ts";
import type { TestApp } from "../app.ts";
import { makePlace, TEST_TOKEN, type Place } from "../server.ts";
import { Till } from "./till.ts";
import { storeThread } from "../store-thread.ts";

/** A model whose tokens cost a whole number of micro-USD: what a test writes down is what is billed. */
export const MODEL = "till-1";
export const PRICES: Readonly<Record<string, Price>> = {
  [MODEL]: { input: 1_000_000, output: 2_000_000, cache_read: 1_000_000, cache_write: 1_000_000 },
  "till-mini": { input: 500_000, output: 500_000 },
};

/** A step of a script: the model call that it belongs to is billed `ONE_COST`. */
export const CALL = {
  usage: { input_tokens: 300, output_tokens: 40, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
};
/** Micro-USD. */
export const ONE_COST = 380;
/** A session whose requests are small, so that what is set aside for them is small too. */
export const SMALL: CreateSession = { tools: ["TodoWrite"], max_tokens: 50 };

export interface MoneyApp extends TestApp {
  readonly till: Till;
}

export interface MoneyAppOptions {
  /** The default profile's limits; every tool runs without a question. */
  readonly profile?: Profile;
  readonly budget?: Policy["budget"];
  readonly environment?: Readonly<Record<string, string>>;
  readonly clock?: ServeOptions["clock"];
  readonly store?: ServeOptions["store"];
}

/** `sallyport.yaml` of a server whose default provider is the till. JSON is YAML. */
export function tillSettings(till: Till): string {
  return JSON.stringify({
    provider: "till",
    model: MODEL,
    providers: { till: { base_url: till.url, wire: "anthropic", credential_env: "TILL_KEY", default_model: MODEL } },
    prices: PRICES,
  });
}

export function policyOf({ profile = {}, budget }: MoneyAppOptions): Policy {
  return {
    default_profile: "money",
    profiles: { money: { autonomy: "full", ...profile } },
    ...(budget === undefined ? {} : { budget }),
  };
}

/** The whole product in this process, with the scripted model behind a provider that costs money. */
export async function openMoneyApp(options: MoneyAppOptions = {}): Promise<MoneyApp> {
  const place = await makePlace();
  const till = await Till.open(PRICES);
  await mkdir(place.home, { recursive: true });
  await writeFile(join(place.home, "sallyport.yaml"), tillSettings(till));
  await writeFile(join(place.home, "policy.yaml"), JSON.stringify(policyOf(options)));
  const open = (): Promise<Serving> => openServer(place, options);
  let serving = await open();
  let isOpen = true;
  const stop = async (): Promise<void> => {
    if (isOpen) await serving.close();
    isOpen = false;
  };
  let client = new SallyportClient({ url: serving.url, token: TEST_TOKEN });
  return {
    place,
    till,
    get serving() {
      return serving;
    },
    get client() {
      return client;
    },
    as: async (role: Role, name = role) => {
      const { token } = await client.createToken({ role, name });
      return Object.assign(new SallyportClient({ url: serving.url, token }), { token });
    },
    stop,
    restart: async () => {
      await stop();
      serving = await open();
      isOpen = true;
      client = new SallyportClient({ url: serving.url, token: TEST_TOKEN });
    },
    [Symbol.asyncDispose]: async () => {
      await stop();
      await till.close();
      await place.remove();
    },
  };
}

function openServer(place: Place, { environment = {}, clock, store }: MoneyAppOptions): Promise<Serving> {
  const all = {
    PATH: process.env["PATH"],
    HOME: place.home,
    SALLYPORT_TOKEN: TEST_TOKEN,
    SALLYPORT_REQUESTS_PER_MINUTE: "1000000",
    TILL_KEY: "till-key-of-the-test-0000000000",
    ...environment,
  };
  return serve({
    settings: readSettings({ home: place.home, workspace: place.workspace, port: 0 }, all, place.workspace),
    environment: all,
    version: "0.0.0-test",
    logLevel: "silent",
    clock,
    store: store ?? { thread: storeThread() },
    onFatal: (error) => {
      throw error;
    },
  });
}
