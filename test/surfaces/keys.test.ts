import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SallyportClient } from "../../src/client/index.ts";
import { LIMITS, type CreateKey, type KeyCreated, type Role } from "../../src/protocol/index.ts";
import { script } from "../support/app.ts";
import { MovableClock } from "../support/clock.ts";
import { openPricedApp, type PricedApp } from "../support/priced-app.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const clock = new MovableClock();
/** Enough for one long request and a short one: a provider may add some thousand tokens of its own. */
const ONE_LONG = 12_500;
let app: PricedApp;
beforeAll(async () => {
  app = await openPricedApp({}, { clock });
});
afterAll(() => app[Symbol.asyncDispose]());

const HELLO = script({ say: "hello" });
/** It would go on for longer than any test. */
const ENDLESS = script({ stream: { tokens: 100_000, per_second: 50 } });

interface Asked {
  readonly prompt?: string;
  readonly model?: string;
  readonly max_tokens?: number;
  readonly stream?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One request over Anthropic's wire. */
function ask({ key, base_url }: Pick<KeyCreated, "key" | "base_url">, asked: Asked = {}): Promise<Response> {
  const { prompt = HELLO, model = "sim", max_tokens = 100, stream = false, headers = {} } = asked;
  return fetch(`${base_url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key, ...headers },
    body: JSON.stringify({ model, max_tokens, stream, messages: [{ role: "user", content: prompt }] }),
  });
}

interface RefusalBody {
  readonly error: { readonly type: string; readonly message: string; readonly sallyport_code: string };
}

/** The status, the vendor's type and our code of an answer. */
async function outcome(answer: Promise<Response>): Promise<readonly unknown[]> {
  const response = await answer;
  if (response.status === 200) return [200, await response.text().then(() => "ok")];
  const { error } = (await response.json()) as RefusalBody;
  return [response.status, error.type, error.sallyport_code];
}

const UNKNOWN = [401, "authentication_error", "unauthenticated"];
const NO_MONEY = [402, "billing_error", "budget_exceeded"];

async function codeOf(act: Promise<unknown>): Promise<string> {
  return act.then(
    () => "done",
    (error: { code: string }) => error.code,
  );
}

const keyOf = async (request_: CreateKey = {}, client = app.client): Promise<KeyCreated> => client.createKey(request_);
const clientOf = (token: string): SallyportClient => new SallyportClient({ url: app.serving.url, token });
const spentOf = async ({ id }: KeyCreated): Promise<number> =>
  (await app.client.usage({ by: ["key"], key: id })).total.cost_microusd;

describe("who may make keys", () => {
  it.each<[Role, string]>([
    ["admin", "done"],
    ["operator", "done"],
    ["agent", "forbidden"],
    ["viewer", "forbidden"],
    ["visitor", "forbidden"],
    ["issuer", "forbidden"],
  ])("%s: %s", async (role, expected) => {
    const client = await app.as(role);
    expect(await codeOf(client.createKey({}))).toBe(expected);
    expect(await codeOf(client.keys())).toBe(expected);
    expect(await codeOf(client.deleteKey("key_none"))).toBe(expected === "done" ? "not_found" : "forbidden");
  });

  it("an operator sees, gives out and deletes its own alone", async () => {
    const [ann, bob] = [await app.as("operator", "ann"), await app.as("operator", "bob")];
    const made = await ann.createToken({ role: "agent", name: "ann's agent" });
    const [own, given] = [await keyOf({ name: "own" }, ann), await keyOf({ name: "given", token_id: made.id }, ann)];
    expect((await ann.keys()).keys.map(({ name, principal }) => [name, principal.name])).toEqual([
      ["given", "ann's agent"],
      ["own", "ann"],
    ]);
    expect((await bob.keys()).keys).toEqual([]);
    expect(await codeOf(bob.deleteKey(own.id))).toBe("not_found");
    expect(await codeOf(bob.createKey({ token_id: made.id }))).toBe("not_found");
    expect(await outcome(ask(own))).toEqual([200, "ok"]);
    await ann.deleteKey(given.id);
    expect(await outcome(ask(given))).toEqual(UNKNOWN);
    expect(await outcome(ask(own))).toEqual([200, "ok"]);
  });

  it("never for more than the token may do itself", async () => {
    const { token } = await app.client.createToken({
      role: "operator",
      name: "poor",
      max_cost_microusd: 5_000,
      max_cost_microusd_per_day: 1_000,
      model_rate: { requests_per_minute: 10 },
      expires_in_s: 3_600,
    });
    const poor = clientOf(token);
    const tries: readonly [CreateKey, string][] = [
      [{ max_cost_microusd: 5_001 }, "forbidden"],
      [{ max_cost_microusd_per_day: 1_001 }, "forbidden"],
      [{ rate: { requests_per_minute: 11 } }, "forbidden"],
      [{ max_cost_microusd: 5_000, rate: { requests_per_minute: 10 } }, "done"],
    ];
    for (const [request_, expected] of tries) expect(await codeOf(poor.createKey(request_))).toBe(expected);
    const key = await keyOf({ expires_in_s: 86_400 }, poor);
    expect(Date.parse(key.expires_at ?? "") - Date.parse(key.created_at)).toBeLessThanOrEqual(HOUR_MS);
    // What it left open is limited by the token at the time of the request.
    expect(await outcome(ask(key, { max_tokens: 1_500 }))).toEqual(NO_MONEY);
  });

  it.each<[string, CreateKey, string]>([
    ["no such provider", { provider: "nobody" }, "invalid_request"],
    ["no such token", { token_id: "tok_none" }, "not_found"],
    ["no models", { models: [] }, "invalid_request"],
    ["too short a life", { expires_in_s: 0 }, "invalid_request"],
    ["an empty name", { name: "" }, "invalid_request"],
    ["money that is none", { max_cost_microusd: -1 }, "invalid_request"],
    ["a field that nobody knows", { budget: 3 } as CreateKey, "invalid_request"],
  ])("%s is refused and makes nothing", async (_what, request_, code) => {
    const before = (await app.client.keys()).keys.length;
    expect(await codeOf(app.client.createKey(request_))).toBe(code);
    expect((await app.client.keys()).keys).toHaveLength(before);
  });

  it("for nobody who works only from a page, and for viewers not at all", async () => {
    const origins = ["https://shop.example"];
    const { token } = await app.client.createToken({ role: "operator", name: "page", origins });
    const page = await fetch(`${app.serving.url}/api/keys`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        origin: "https://shop.example",
        "content-type": "application/json",
      },
      body: "{}",
    });
    expect(page.status).toBe(403);
    const { id } = await app.client.createToken({ role: "viewer", name: "screen" });
    expect(await codeOf(app.client.createKey({ token_id: id }))).toBe("forbidden");
  });

  it("is shown once, whatever is retried", async () => {
    const key = await app.client.createKey({ name: "once" }, { key: "retry-1" });
    expect(key).toMatchObject({ key: expect.stringMatching(/^sp_key_[\w-]{43}$/) as string, name: "once" });
    expect(key.base_url).toBe(`${app.serving.url}/model`);
    expect(await codeOf(app.client.createKey({ name: "once" }, { key: "retry-1" }))).toBe("conflict");
    expect((await app.client.keys()).keys.filter(({ name }) => name === "once")).toHaveLength(1);
    expect(JSON.stringify(await app.client.keys())).not.toContain(key.key);
    const audit = await app.client.audit({ action: "key." });
    expect(audit.entries[0]).toMatchObject({ action: "key.create", target: key.id });
    expect(JSON.stringify(audit)).not.toContain(key.key);
  });
});

describe("where a key works", () => {
  it("not as a token, and a token or a session's key not as a key", async () => {
    const key = await keyOf();
    expect(await codeOf(clientOf(key.key).sessions())).toBe("unauthenticated");
    const { token } = await app.as("admin");
    expect(await outcome(ask({ ...key, key: token }))).toEqual(UNKNOWN);
    expect(await outcome(ask({ ...key, key: `sp_model_${"a".repeat(43)}` }))).toEqual(UNKNOWN);
  });

  it("as a bearer too, and in the form of errors of the route", async () => {
    const { key, base_url } = await keyOf();
    const models = (headers: Record<string, string>): Promise<Response> => fetch(`${base_url}/v1/models`, { headers });
    expect((await models({ authorization: `Bearer ${key}` })).status).toBe(200);
    const refused = await models({ authorization: "Bearer sp_key_nobody" });
    expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
      401,
      "unauthenticated",
    ]);
    expect((await fetch(base_url)).status).toBe(200);
    expect((await fetch(`${base_url}/v1/files`, { headers: { "x-api-key": key } })).status).toBe(404);
    // Only this prefix is the models' own.
    expect((await fetch(`${base_url}s`, { headers: { "x-api-key": key } })).status).toBe(401);
  });

  it("from no web page, and under no other host's name", async () => {
    const key = await keyOf();
    expect(await outcome(ask(key, { headers: { origin: "https://evil.example" } }))).toEqual([
      403,
      "permission_error",
      "forbidden",
    ]);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const asked = request(`${key.base_url}/v1/models`, { headers: { host: "evil.example", "x-api-key": key.key } });
      asked.once("response", (answer) => resolve(answer.resume().statusCode)).once("error", reject);
      asked.end();
    });
    expect(status).toBe(403);
  });

  it("guessing is slowed down, and a good key works meanwhile", async () => {
    const guarded = await openPricedApp();
    try {
      const key = await guarded.client.createKey({});
      const statuses: number[] = [];
      for (let tried = 0; tried <= LIMITS.failedLoginsPerMinute; tried += 1)
        statuses.push((await ask({ ...key, key: `sp_key_${tried}` })).status);
      expect(new Set(statuses)).toEqual(new Set([401, 429]));
      expect((await ask(key)).status).toBe(200);
    } finally {
      await guarded[Symbol.asyncDispose]();
    }
  });
});

describe("how far a key goes", () => {
  it("models: its own and the policy's", async () => {
    const key = await keyOf({ models: ["sim", "other-*"] });
    expect(await outcome(ask(key, { model: "other-1" }))).toEqual([200, "ok"]);
    expect(await outcome(ask(key, { model: "third" }))).toEqual([403, "permission_error", "model_not_allowed"]);
    const policy = await app.client.policy();
    const own = policy.profiles[policy.default_profile] ?? {};
    const blocking = { ...policy.profiles, [policy.default_profile]: { ...own, blocked_models: ["other-*"] } };
    await app.client.setPolicy({ ...policy, profiles: blocking });
    expect(await outcome(ask(key, { model: "other-1" }))).toEqual([403, "permission_error", "model_not_allowed"]);
    await app.client.setPolicy(policy);
    expect(await outcome(ask(key, { model: "other-1" }))).toEqual([200, "ok"]);
  });

  it("rates, with the time to wait", async () => {
    const key = await keyOf({ rate: { requests_per_minute: 2 } });
    expect([await outcome(ask(key)), await outcome(ask(key))]).toEqual([
      [200, "ok"],
      [200, "ok"],
    ]);
    const refused = await ask(key);
    expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
    await refused.text();
    clock.pass(MINUTE_MS + 10_000);
    expect(await outcome(ask(key))).toEqual([200, "ok"]);
  });

  it("money: never more than its limit, whatever runs at once", async () => {
    const most = 10_000;
    const key = await keyOf({ max_cost_microusd: most });
    const long = { prompt: script({ stream: { tokens: 1_000 } }), max_tokens: 1_000 };
    const answers = await Promise.all(Array.from({ length: 20 }, () => outcome(ask(key, long))));
    const spent = await spentOf(key);
    expect(spent).toBeGreaterThan(1_000);
    expect(spent).toBeLessThanOrEqual(most);
    for (const answer of answers) expect([[200, "ok"], NO_MONEY]).toContainEqual(answer);
    expect(await outcome(ask(key, { max_tokens: most }))).toEqual(NO_MONEY);
  });

  it("money a day, which begins anew", async () => {
    const key = await keyOf({ max_cost_microusd_per_day: ONE_LONG });
    const long = { prompt: script({ stream: { tokens: 7_000 } }), max_tokens: 7_000 };
    expect(await outcome(ask(key, long))).toEqual([200, "ok"]);
    expect(await outcome(ask(key, long))).toEqual(NO_MONEY);
    clock.pass(24 * HOUR_MS);
    expect(await outcome(ask(key, long))).toEqual([200, "ok"]);
  });

  it("time", async () => {
    const key = await keyOf({ expires_in_s: 60 });
    expect(await outcome(ask(key))).toEqual([200, "ok"]);
    clock.pass(MINUTE_MS + 1_000);
    expect(await outcome(ask(key))).toEqual(UNKNOWN);
    clock.pass(-HOUR_MS);
    // A clock that is set back does not revive it.
    expect(await outcome(ask(key))).toEqual(UNKNOWN);
    clock.pass(HOUR_MS);
  });

  it("its token: deleted, the key is gone", async () => {
    const { id, token } = await app.client.createToken({ role: "operator", name: "short" });
    const key = await keyOf({}, clientOf(token));
    expect(await outcome(ask(key))).toEqual([200, "ok"]);
    await app.client.deleteToken(id);
    expect(await outcome(ask(key))).toEqual(UNKNOWN);
    expect((await app.client.keys()).keys.map((one) => one.id)).not.toContain(key.id);
  });
});

describe("an answer under way", () => {
  it("is broken off when the key is deleted, and what was used is settled", async () => {
    const key = await keyOf();
    const answer = await ask(key, { prompt: ENDLESS, max_tokens: 3_000, stream: true });
    const reader = answer.body?.getReader();
    await reader?.read();
    await app.client.deleteKey(key.id);
    const rest = async (): Promise<string> => {
      for (;;) {
        const piece = await reader?.read();
        if (piece?.done !== false) return "whole";
      }
    };
    expect(await rest().catch(() => "cut off")).toBe("cut off");
    // The provider is not to blame: others are not stopped.
    const { total } = await app.client.usage({ by: ["key"], key: key.id });
    expect(total).toMatchObject({ requests: 1 });
    expect(total.bound_microusd).toBeGreaterThan(0);
    expect(total.cost_microusd).toBeLessThanOrEqual(3_000 + total.tokens.input);
    expect((await app.client.usage({ by: ["key"] })).budgets.find(({ kind }) => kind === "total")).toMatchObject({
      reserved_microusd: 0,
    });
  });

  it("that has not begun is refused in words", async () => {
    const key = await keyOf();
    const answer = outcome(ask(key, { prompt: script({ delay_ms: 60_000 }, { say: "late" }) }));
    const reserved = expect
      .poll(async () => (await app.client.keys()).keys.find(({ id }) => id === key.id)?.reserved_microusd)
      .toBeGreaterThan(0);
    // An answer that comes earlier says here what it is.
    expect(await Promise.race([reserved.then(() => "reserved"), answer])).toBe("reserved");
    await app.client.deleteKey(key.id);
    expect(await answer).toEqual(UNKNOWN);
  });
});

describe("after a restart", () => {
  it("keys, their limits and what they spent are the same", async () => {
    const limited = await keyOf({ max_cost_microusd: ONE_LONG, models: ["sim"] });
    const long = { prompt: script({ stream: { tokens: 7_000 } }), max_tokens: 7_000 };
    const gone = await keyOf();
    await app.client.deleteKey(gone.id);
    expect(await outcome(ask(limited, long))).toEqual([200, "ok"]);
    const before = (await app.client.keys()).keys.find(({ id }) => id === limited.id);
    await app.restart();
    const base_url = `${app.serving.url}/model`;
    expect((await app.client.keys()).keys.find(({ id }) => id === limited.id)).toEqual(before);
    expect(await outcome(ask({ ...limited, base_url }, long))).toEqual(NO_MONEY);
    expect(await outcome(ask({ ...limited, base_url }, { max_tokens: 10 }))).toEqual([200, "ok"]);
    expect(await outcome(ask({ ...limited, base_url }, { model: "other" }))).toEqual([
      403,
      "permission_error",
      "model_not_allowed",
    ]);
    expect(await outcome(ask({ ...gone, base_url }))).toEqual(UNKNOWN);
  });

  it("only the hash of a key is anywhere on the disk, and the log names the key by its id", async () => {
    const key = await keyOf({ name: "hidden" });
    expect(await outcome(ask(key))).toEqual([200, "ok"]);
    await app.restart();
    const files = readdirSync(app.place.home, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) expect(readFileSync(join(file.parentPath, file.name)).includes(key.key)).toBe(false);
    const logs = files.filter(({ parentPath }) => parentPath.endsWith("logs"));
    const lines = (await Promise.all(logs.map((file) => readFile(join(file.parentPath, file.name), "utf8")))).join("");
    expect(lines).toContain(key.id);
  });
});
