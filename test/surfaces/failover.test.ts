import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LIMITS, type JournalEvent } from "../../src/protocol/index.ts";
import { createSimModel } from "../../src/sim/index.ts";
import { openTestApp, script, untilTurnEnds, type TestApp } from "../support/app.ts";

/** A provider with the scripted model behind it, which can be told to fail. */
class ScriptedProvider {
  readonly #server: Server;
  /** The status of every answer; absent: the model answers. */
  fails: number | undefined = undefined;

  constructor() {
    const sim = createSimModel();
    this.#server = createServer((request, response) => {
      if (this.fails === undefined) return void sim.handle(request, response);
      this.#refuse(request, response, this.fails);
    });
  }

  #refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
    request.resume();
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ type: "error", error: { type: "api_error", message: "scripted failure" } }));
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const [first, second, dear] = [new ScriptedProvider(), new ScriptedProvider(), new ScriptedProvider()];
let app: TestApp;

beforeAll(async () => {
  const urls = await Promise.all([first.open(), second.open(), dear.open()]);
  app = await openTestApp(
    { SALLYPORT_PROVIDER: "first" },
    {
      prepare: async ({ home }) => {
        await mkdir(home, { recursive: true, mode: 0o700 });
        const provider = (base_url: string | undefined, more: object = {}): object => ({
          base_url,
          wire: "anthropic",
          auth: "none",
          ...more,
        });
        const settings = {
          providers: {
            first: provider(urls[0], { default_model: "big" }),
            second: provider(urls[1]),
            dear: provider(urls[2]),
            keyless: provider(urls[1], { auth: "bearer", credential_env: "NOT_THERE" }),
          },
          prices: {
            "first/*": { input: 3_000_000, output: 15_000_000, output_tokens: 8_000 },
            "second/*": { input: 3_000_000, output: 15_000_000, output_tokens: 8_000 },
            "dear/*": { input: 4_000_000, output: 15_000_000, output_tokens: 8_000 },
            "keyless/*": { input: 1_000_000, output: 1_000_000, output_tokens: 8_000 },
          },
          failover: {
            big: [{ provider: "keyless" }, { provider: "dear" }, { provider: "second", model: "vendor/big" }],
            small: [{ provider: "dear" }],
            marked: [{ provider: "dear", dearer: true }],
          },
        };
        await writeFile(join(home, "sallyport.yaml"), JSON.stringify(settings), { mode: 0o600 });
        return () => Promise.resolve();
      },
    },
  );
});
beforeEach(async () => {
  for (const provider of [first, second, dear]) provider.fails = undefined;
  for (const id of ["first", "second", "dear"]) await app.client.testProvider(id);
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await Promise.all([first.close(), second.close(), dear.close()]);
});

const SAY = script({ say: "hello" });
const place = async (id: string): Promise<object> => {
  const { provider, model, routed_from } = (await app.client.session(id)).settings;
  return { provider, model, ...(routed_from === undefined ? {} : { routed_from }) };
};
const notices = (events: readonly JournalEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "error" && event.message.includes("failover") ? [event.message] : []));

async function turn(id: string): Promise<readonly JournalEvent[]> {
  const { seq } = await app.client.session(id);
  await app.client.prompt(id, { text: SAY });
  return untilTurnEnds(app.client, id, { after: seq });
}

/** As many turns as it takes until the provider counts as unavailable. */
async function bringDown(provider: ScriptedProvider, id: string): Promise<void> {
  // A refused key: the engine does not wait and try again.
  provider.fails = 401;
  for (let failed = 0; failed < LIMITS.providerDownFailures; failed += 1)
    expect((await turn(id)).at(-1)).toMatchObject({ type: "turn.failed" });
}

const MOVED =
  "first/big cannot be used now, so second/vendor/big is asked instead, as `failover` in sallyport.yaml says.";

describe("a provider that fails", () => {
  it("is left by a running session between two turns, visibly, and the session stays where it went", async () => {
    const { id } = await app.client.createSession({ model: "big" });
    expect(await place(id)).toEqual({ provider: "first", model: "big" });
    await bringDown(first, id);
    expect((await app.client.providers()).providers.find((one) => one.id === "first")).toMatchObject({
      status: "unavailable",
    });
    const events = await turn(id);
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    expect(notices(events)).toEqual([MOVED]);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "session.updated",
        provider: "second",
        model: "vendor/big",
        routed_from: { provider: "first", model: "big" },
      }),
    );
    const there = { provider: "second", model: "vendor/big", routed_from: { provider: "first", model: "big" } };
    expect(await place(id)).toEqual(there);
    // The first one is back, and the session stays.
    first.fails = undefined;
    await app.client.testProvider("first");
    expect(notices(await turn(id))).toEqual([]);
    expect(await place(id)).toEqual(there);
    // The journal tells the same after a restart.
    await app.restart();
    expect(await place(id)).toEqual(there);
    // Now the second one fails: it goes back to what was asked for, although nothing lists that.
    await bringDown(second, id);
    expect((await turn(id)).at(-1)).toMatchObject({ type: "turn.completed" });
    expect(await place(id)).toEqual({ provider: "first", model: "big" });
  });

  it("is not chosen for a new session, which says so; one that continues another stays with it", async () => {
    const { id } = await app.client.createSession({ model: "big" });
    await bringDown(first, id);
    const made = await app.client.createSession({ prompt: { text: SAY } });
    const events = await untilTurnEnds(app.client, made.id);
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    expect(notices(events)).toEqual([MOVED]);
    first.fails = undefined;
    await app.client.testProvider("first");
    const fork = await app.client.fork(made.id, {});
    expect(await place(fork.id)).toEqual(await place(made.id));
    expect(notices(await turn(fork.id))).toEqual([]);
  });

  it("is never left for a dearer one that nobody marked", async () => {
    const { id } = await app.client.createSession({ model: "small" });
    await bringDown(first, id);
    const events = await turn(id);
    expect(events.at(-1)).toMatchObject({ type: "turn.failed" });
    expect(notices(events)).toEqual([
      "The provider first fails, and no place of `failover` can be used. first/small: it does not answer; dear/small: it costs more",
    ]);
    expect(await place(id)).toEqual({ provider: "first", model: "small" });
    const marked = await app.client.createSession({ model: "marked", prompt: { text: SAY } });
    expect((await untilTurnEnds(app.client, marked.id)).at(-1)).toMatchObject({ type: "turn.completed" });
    expect(await place(marked.id)).toMatchObject({ provider: "dear", model: "marked" });
  });

  it("is not left for a place that nobody listed", async () => {
    const { id } = await app.client.createSession({ model: "alone" });
    await bringDown(first, id);
    const events = await turn(id);
    expect(events.at(-1)).toMatchObject({ type: "turn.failed" });
    expect(notices(events)).toEqual([]);
    expect(await place(id)).toEqual({ provider: "first", model: "alone" });
  });

  it("is left only for what the policy allows", async () => {
    const policy = await app.client.policy();
    await app.client.setPolicy({
      ...policy,
      profiles: { ...policy.profiles, narrow: { ...policy.profiles["default"], allowed_providers: ["first", "dear"] } },
    });
    const { id } = await app.client.createSession({ model: "big", profile: "narrow" });
    await bringDown(first, id);
    const events = await turn(id);
    expect(notices(events)[0]).toContain("second/vendor/big: the policy does not allow the provider second");
    expect(await place(id)).toEqual({ provider: "first", model: "big" });
  });

  it("a person who chooses a model chooses what is asked for from now on", async () => {
    const { id } = await app.client.createSession({ model: "big" });
    await bringDown(first, id);
    await turn(id);
    await app.client.configure(id, { model: "other" });
    expect(await place(id)).toEqual({ provider: "second", model: "other" });
  });
});
