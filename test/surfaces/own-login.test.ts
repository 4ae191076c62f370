import { readFile, mkdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSimModel } from "../../src/sim/index.ts";
import { openTestApp, runScript, script, type TestApp } from "../support/app.ts";
import { BridgeClient } from "./bridge-client.ts";

const OLD = "sk-ant-oat-login-of-a-person";
const NEW = "sk-ant-oat-refreshed-login";

let app: TestApp;
let provider: Server;
let tokens: Server;
/** Tokens that the provider takes. */
let valid: readonly string[] = [OLD];
const seen: (string | undefined)[] = [];
let refreshes = 0;
let refreshStatus = 200;

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const credentials = (accessToken: string): string =>
  JSON.stringify({ claudeAiOauth: { accessToken, refreshToken: "sk-ant-ort-secret", expiresAt: 99_999_999_999_999 } });

beforeAll(async () => {
  const model = createSimModel();
  provider = createServer((request, response) => {
    const { authorization } = request.headers;
    seen.push(authorization);
    if (valid.some((token) => authorization === `Bearer ${token}`)) return void model.handle(request, response);
    request.resume();
    response.writeHead(401, { "content-type": "application/json" });
    response.end(JSON.stringify({ type: "error", error: { type: "authentication_error", message: "expired" } }));
  });
  tokens = createServer((request, response) => {
    refreshes += 1;
    request.resume();
    response.writeHead(refreshStatus, { "content-type": "application/json" });
    response.end(JSON.stringify({ access_token: NEW, refresh_token: "sk-ant-ort-next", expires_in: 3_600 }));
  });
  const [modelUrl, tokenUrl] = [await listen(provider), await listen(tokens)];
  app = await openTestApp(
    {},
    {
      prepare: async ({ home }) => {
        await mkdir(home, { recursive: true, mode: 0o700 });
        await writeFile(join(home, "login.json"), credentials(OLD), { mode: 0o600 });
        const login = { file: "login.json", token_url: tokenUrl };
        const settings = {
          providers: { mine: { kind: "cloud", base_url: modelUrl, credentials: "own_login", login } },
        };
        await writeFile(join(home, "sallyport.yaml"), JSON.stringify(settings), { mode: 0o600 });
        return async () => undefined;
      },
    },
  );
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  for (const server of [provider, tokens]) {
    server.closeAllConnections();
    server.close();
  }
});

/** A session on the real program, with a person's login. */
const session = (...steps: readonly object[]): Parameters<typeof runScript>[1] => ({
  engine: "claude-cli",
  provider: "mine",
  prompt: { text: script(...steps) },
});

describe("a session with a person's own login", () => {
  it("runs with it, is metered, and says that its cost is an estimate", async () => {
    const { session: view, events } = await runScript(app.client, session({ say: "hello" }));
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    expect(new Set(seen)).toEqual(new Set([`Bearer ${OLD}`]));
    const after = await app.client.session(view.id);
    expect(after.settings).toMatchObject({ provider: "mine", own_login: "claude" });
    expect(after.cost_microusd).toBeGreaterThan(0);
    const usage = await app.client.sessionUsage(view.id);
    expect(usage).toMatchObject({ own_login: "claude", models: [{ provider: "mine", own_login: "claude" }] });
    expect(usage.cost_microusd).toBe(after.cost_microusd);
    const { providers } = await app.client.providers();
    expect(providers.find(({ id }) => id === "mine")).toMatchObject({
      own_login: "claude",
      credential: "found",
      credential_names: ["Claude Code's login"],
    });
    expect(JSON.stringify([events, after, usage, providers])).not.toMatch(/sk-ant-o/);
  });

  it("shows at the bridge that nobody bills its turns", async () => {
    const client = new BridgeClient(app, { query: "replay=off&mapping=rich" });
    const { session: view } = await runScript(app.client, session({ say: "one" }));
    await client.say({ control: "run.submit", text: script({ say: "two" }), resumeId: view.id });
    expect((await client.turn()).at(-1)).toMatchObject({ type: "turn.completed", own_login: "claude" });
    client.close();
  });

  it("is refreshed within a request that is refused, once, and the file has the new one", async () => {
    valid = [NEW];
    seen.length = 0;
    const { events } = await runScript(app.client, session({ say: "still here" }));
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    expect(seen.slice(0, 2)).toEqual([`Bearer ${OLD}`, `Bearer ${NEW}`]);
    expect(seen.filter((header) => header === `Bearer ${OLD}`).length).toBe(1);
    expect(refreshes).toBe(1);
    expect(JSON.parse(await readFile(join(app.place.home, "login.json"), "utf8"))).toMatchObject({
      claudeAiOauth: { accessToken: NEW, refreshToken: "sk-ant-ort-next" },
    });
    // Nobody retried in the program's own way: it never saw the refusal.
    expect(JSON.stringify(events)).not.toMatch(/retry|401|sk-ant-o/i);
  });

  it("that cannot be refreshed fails with what to do", async () => {
    valid = [];
    refreshStatus = 400;
    const { events } = await runScript(app.client, session({ say: "never" }));
    const last = events.at(-1);
    expect(last?.type).toBe("turn.failed");
    expect(JSON.stringify(last)).toContain("claude /login");
    expect(JSON.stringify(events)).not.toMatch(/sk-ant-o/);
    [valid, refreshStatus] = [[OLD], 200];
    await writeFile(join(app.place.home, "login.json"), credentials(OLD), { mode: 0o600 });
  });

  it("is for the program that the person logged in with", async () => {
    await expect(app.client.createSession({ engine: "loop", provider: "mine", prompt: { text: "x" } })).rejects.toThrow(
      /is for claude alone; choose the engine claude-sdk or claude-cli, or another provider/,
    );
  });
});
