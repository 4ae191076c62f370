import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LIMITS, ProviderSettings } from "../../src/protocol/index.ts";
import type { Provider } from "../../src/proxy/index.ts";
import { World } from "./providers-world.ts";

const HOUR_MS = 3_600_000;

/** A token endpoint that answers as it is told. */
class TokenEndpoint implements AsyncDisposable {
  readonly asked: Record<string, unknown>[] = [];
  answer: (count: number) => { readonly status: number; readonly body: unknown } = (count) => ({
    status: 200,
    body: { access_token: `sk-ant-oat-new-${count}`, refresh_token: `sk-ant-ort-new-${count}`, expires_in: 3_600 },
  });
  /** Answers wait for it. */
  held: Promise<void> = Promise.resolve();
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      this.asked.push(JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>);
      const { status, body } = this.answer(this.asked.length);
      void this.held.then(() =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
      );
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/token`;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

let world: World;
let endpoint: TokenEndpoint;
let url: string;
beforeEach(async () => {
  world = new World();
  endpoint = new TokenEndpoint();
  url = await endpoint.listen();
});
afterEach(async () => {
  world[Symbol.dispose]();
  await endpoint[Symbol.asyncDispose]();
});

const claudeFile = (more: object = {}): string =>
  JSON.stringify({
    claudeAiOauth: {
      accessToken: "sk-ant-oat-old",
      refreshToken: "sk-ant-ort-old",
      expiresAt: world.now + HOUR_MS,
      scopes: ["user:inference", "user:profile"],
      subscriptionType: "max",
      ...more,
    },
    mcpOAuth: { kept: true },
  });

function claude(): Provider {
  const login = { file: world.path("login.json"), token_url: url };
  return world.open({ cloud: { credentials: "own_login", login } }).get("cloud");
}

const bearer = async (provider: Provider): Promise<string | undefined> => {
  const [credential] = await provider.credentials();
  return credential?.headers("anthropic")["authorization"];
};

describe("a login of Claude Code", () => {
  it("is used as it is while it is fresh, and its tokens are known to the redactor", async () => {
    world.write("login.json", claudeFile());
    const provider = claude();
    expect(world.learnt).toEqual(expect.arrayContaining(["sk-ant-oat-old", "sk-ant-ort-old"]));
    const [credential] = await provider.credentials();
    expect(credential?.name).toBe("Claude Code's login");
    expect(credential?.headers("anthropic")).toEqual({
      authorization: "Bearer sk-ant-oat-old",
      "anthropic-beta": "oauth-2025-04-20",
    });
    expect(provider.login).toBe("claude");
    expect(endpoint.asked).toEqual([]);
  });

  it("is refreshed once for all when it is about to end, and written back with all else as it was", async () => {
    world.write("login.json", claudeFile());
    const provider = claude();
    world.now += HOUR_MS - LIMITS.loginAheadMs;
    let open: () => void = () => undefined;
    endpoint.held = new Promise((resolve) => {
      open = resolve;
    });
    const all = Promise.all(Array.from({ length: 20 }, () => bearer(provider)));
    open();
    expect(new Set(await all)).toEqual(new Set(["Bearer sk-ant-oat-new-1"]));
    expect(endpoint.asked).toEqual([
      {
        grant_type: "refresh_token",
        refresh_token: "sk-ant-ort-old",
        client_id: "9d1c250a-e61b-44d9-88ed-5944d1962f5e",
        scope: "user:inference user:profile",
      },
    ]);
    expect(JSON.parse(readFileSync(world.path("login.json"), "utf8"))).toEqual({
      claudeAiOauth: {
        accessToken: "sk-ant-oat-new-1",
        refreshToken: "sk-ant-ort-new-1",
        expiresAt: world.now + HOUR_MS,
        scopes: ["user:inference", "user:profile"],
        subscriptionType: "max",
      },
      mcpOAuth: { kept: true },
    });
    expect(statSync(world.path("login.json")).mode & 0o777).toBe(0o600);
    expect(world.learnt).toEqual(expect.arrayContaining(["sk-ant-oat-new-1", "sk-ant-ort-new-1"]));
    // A clock that is set back changes nothing; one that goes on refreshes the next one.
    world.now -= 2 * HOUR_MS;
    expect(await bearer(provider)).toBe("Bearer sk-ant-oat-new-1");
    world.now += 4 * HOUR_MS;
    expect(await bearer(provider)).toBe("Bearer sk-ant-oat-new-2");
    expect(endpoint.asked.length).toBe(2);
    expect(endpoint.asked[1]).toMatchObject({ refresh_token: "sk-ant-ort-new-1" });
  });

  it("is refreshed after a 401, once", async () => {
    world.write("login.json", claudeFile());
    const provider = claude();
    const [old] = await provider.credentials();
    if (old === undefined) throw new Error("no credential");
    provider.report(old, { status: 401 });
    expect(await bearer(provider)).toBe("Bearer sk-ant-oat-new-1");
    // Another request that was under way with the old token says nothing about the new one.
    provider.report(old, { status: 401 });
    expect(await bearer(provider)).toBe("Bearer sk-ant-oat-new-1");
    expect(endpoint.asked.length).toBe(1);
  });

  it("that the program itself refreshed is taken from its file", async () => {
    world.write("login.json", claudeFile());
    const provider = claude();
    world.write("login.json", claudeFile({ accessToken: "sk-ant-oat-theirs", refreshToken: "sk-ant-ort-theirs" }));
    world.now += LIMITS.settingsCheckMs;
    expect(await bearer(provider)).toBe("Bearer sk-ant-oat-theirs");
    // Also if it does so while we refresh: ours would end theirs.
    world.now += HOUR_MS - LIMITS.loginAheadMs;
    endpoint.answer = () => {
      world.write("login.json", claudeFile({ accessToken: "sk-ant-oat-later", refreshToken: "sk-ant-ort-later" }));
      return { status: 200, body: { access_token: "sk-ant-oat-ours", refresh_token: "r", expires_in: 60 } };
    };
    expect(await bearer(provider)).toBe("Bearer sk-ant-oat-later");
    expect(readFileSync(world.path("login.json"), "utf8")).toContain("sk-ant-ort-later");
  });

  it("that cannot be refreshed says how to log in again, is not asked for again at once, and works after a new login", async () => {
    world.write("login.json", claudeFile({ expiresAt: world.now - 1 }));
    endpoint.answer = () => ({ status: 400, body: { error: "invalid_grant" } });
    const provider = claude();
    const words =
      "the provider cloud uses the login of Claude Code: it was not refreshed (400): log in again with `claude /login`";
    await expect(provider.credentials()).rejects.toThrow(words);
    await expect(provider.credentials()).rejects.toThrow(words);
    expect(endpoint.asked.length).toBe(1);
    world.now += LIMITS.credentialAgainMs;
    await expect(provider.credentials()).rejects.toThrow(words);
    expect(endpoint.asked.length).toBe(2);
    world.write("login.json", claudeFile({ accessToken: "sk-ant-oat-again" }));
    world.now += LIMITS.settingsCheckMs;
    expect(await bearer(provider)).toBe("Bearer sk-ant-oat-again");
  });

  it("that is about to end is used until then if nobody refreshes it", async () => {
    world.write("login.json", claudeFile({ expiresAt: world.now + 1_000 }));
    endpoint.answer = () => ({ status: 503, body: {} });
    expect(await bearer(claude())).toBe("Bearer sk-ant-oat-old");
    world.now += 1_000;
    await expect(claude().credentials()).rejects.toThrow(/was not refreshed \(503\): try again later/);
  });

  it.each<[string, () => void, RegExp]>([
    ["is not there", () => undefined, /there is no \.credentials\.json: log in with `claude \/login` as the user/],
    ["is no JSON", () => void world.write("login.json", "{"), /cannot be understood: log in again/],
    ["holds no login", () => void world.write("login.json", "{}"), /holds no login of Claude Code: log in with/],
    [
      "others may read",
      () => void world.write("login.json", claudeFile(), 0o644),
      /others on this machine .* chmod 600/,
    ],
    [
      "holds what no header can",
      () => void world.write("login.json", claudeFile({ accessToken: "a\nb" })),
      /holds no login of Claude Code/,
    ],
    [
      "has ended and has nothing to refresh it with",
      () => void world.write("login.json", claudeFile({ expiresAt: 1, refreshToken: null })),
      /has ended and cannot be refreshed: log in again with `claude \/login`/,
    ],
  ])("that %s is refused with words", async (_, prepare, words) => {
    prepare();
    await expect(claude().credentials()).rejects.toThrow(words);
    expect(endpoint.asked).toEqual([]);
  });

  it("is looked for where the program keeps it", async () => {
    const settings = { cloud: { credentials: "own_login" as const } };
    world.write(".credentials.json", claudeFile());
    const book = world.open(settings, { CLAUDE_CONFIG_DIR: world.folder });
    expect(await bearer(book.get("cloud"))).toBe("Bearer sk-ant-oat-old");
  });
});

describe("a login of Codex", () => {
  const jwt = (seconds: number): string =>
    ["{}", JSON.stringify({ exp: seconds }), "s"].map((part) => Buffer.from(part).toString("base64url")).join(".");

  it("goes with its account, ends when its token says, and is refreshed", async () => {
    const tokens = {
      id_token: "i",
      access_token: jwt(world.now / 1_000 + 3_600),
      refresh_token: "r",
      account_id: "acc-1",
    };
    world.write("auth.json", JSON.stringify({ OPENAI_API_KEY: null, tokens, last_refresh: "2026-01-01T00:00:00Z" }));
    const login = { file: world.path("auth.json"), token_url: url };
    const provider = world.open({ openai: { credentials: "own_login", login } }).get("openai");
    expect([provider.login, provider.baseUrl]).toEqual(["codex", { openai: "https://chatgpt.com/backend-api/codex" }]);
    const [credential] = await provider.credentials();
    expect(credential?.headers("openai")).toEqual({
      authorization: `Bearer ${tokens.access_token}`,
      "chatgpt-account-id": "acc-1",
    });
    world.now += HOUR_MS;
    const fresh = jwt(world.now / 1_000 + 3_600);
    endpoint.answer = () => ({ status: 200, body: { id_token: "i2", access_token: fresh, refresh_token: "r2" } });
    const [next] = await provider.credentials();
    expect(next?.headers("openai")["authorization"]).toBe(`Bearer ${fresh}`);
    expect(JSON.parse(readFileSync(world.path("auth.json"), "utf8"))).toEqual({
      OPENAI_API_KEY: null,
      tokens: { id_token: "i2", access_token: fresh, refresh_token: "r2", account_id: "acc-1" },
      last_refresh: new Date(world.now).toISOString(),
    });
    expect(endpoint.asked[0]).toEqual({
      grant_type: "refresh_token",
      refresh_token: "r",
      client_id: "app_EMoamEEZ73f0CkXaXp7hrann",
    });
  });
});

describe("the setting own_login", () => {
  it.each<[string, object, RegExp]>([
    [
      "a kind that has no program",
      { local: { base_url: "http://x", credentials: "own_login" } },
      /kinds cloud and openai/,
    ],
    ["a place without it", { cloud: { login: { file: "x" } } }, /goes with `credentials: own_login` only/],
    ["another header", { cloud: { credentials: "own_login", auth: "api_key" } }, /does not go with own_login/],
    ["a key beside it", { cloud: { credentials: "own_login", credential_env: "KEY" } }, /only one of/],
  ])("is refused for %s", (_, settings, words) => {
    expect(() => ProviderSettings.parse(settings)).toThrow(words);
  });
});
