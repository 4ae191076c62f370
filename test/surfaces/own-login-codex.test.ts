import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSimModel } from "../../src/sim/index.ts";
import { approveWith, openTestApp, runScript, script, type TestApp } from "../support/app.ts";
import { PROGRAMS_FOLDER, vendorProgram } from "../support/vendor-programs.ts";

const TOKEN = "login-token-of-a-person-with-chatgpt-0001";
const ACCOUNT = "account-of-a-person-0001";

let app: TestApp;
let provider: Server;
const seen: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];

beforeAll(async () => {
  const model = createSimModel();
  // ChatGPT's own address has no `/v1` in its paths.
  provider = createServer((request, response) => {
    seen.push({ path: request.url ?? "", headers: request.headers });
    request.url = `/v1${request.url ?? ""}`;
    void model.handle(request, response);
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  const base_url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  app = await openTestApp(
    { SALLYPORT_PROGRAMS_FOLDER: PROGRAMS_FOLDER },
    {
      prepare: async ({ home }) => {
        await mkdir(home, { recursive: true, mode: 0o700 });
        const tokens = { access_token: TOKEN, refresh_token: "refresh-of-a-person-0001", account_id: ACCOUNT };
        await writeFile(join(home, "auth.json"), JSON.stringify({ tokens }), { mode: 0o600 });
        const mine = { kind: "openai", base_url, credentials: "own_login", login: { file: "auth.json" } };
        const price = { input: 1_000_000, output: 2_000_000, output_tokens: 4_000 };
        const settings = { providers: { mine: { ...mine, default_model: "sim" } }, prices: { "mine/sim": price } };
        await writeFile(join(home, "sallyport.yaml"), JSON.stringify(settings), { mode: 0o600 });
        return async () => undefined;
      },
    },
  );
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  provider.closeAllConnections();
  provider.close();
});

describe.skipIf(vendorProgram("codex") === undefined)("Codex with the login that a person has for it", () => {
  it("runs through the model proxy, which alone has the login, is metered, and says that its cost is an estimate", async () => {
    const prompt = { text: script({ tool: "Bash", input: { command: "env > env.txt" } }, { say: "Done." }) };
    const asked = { engine: "codex", provider: "mine", prompt };
    const { session, events } = await runScript(app.client, asked, approveWith(app.client));
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    expect(new Set(seen.map(({ path }) => path))).toEqual(new Set(["/responses"]));
    for (const { headers } of seen)
      expect(headers).toMatchObject({ authorization: `Bearer ${TOKEN}`, "chatgpt-account-id": ACCOUNT });
    const after = await app.client.session(session.id);
    expect(after.settings).toMatchObject({ provider: "mine", own_login: "codex" });
    expect(after.cost_microusd).toBeGreaterThan(0);
    expect(await app.client.sessionUsage(session.id)).toMatchObject({
      own_login: "codex",
      cost_microusd: after.cost_microusd,
    });
    // Neither the program's folder nor what it runs has the login.
    const folder = join(app.place.home, "engines", session.id);
    expect((await readdir(folder, { recursive: true })).filter((name) => name.endsWith("auth.json"))).toEqual([]);
    expect(JSON.stringify(events)).not.toContain(TOKEN);
  });

  it("is for Codex alone", async () => {
    const asked = app.client.createSession({ engine: "loop", provider: "mine", prompt: { text: "x" } });
    await expect(asked).rejects.toThrow(/is for codex alone; choose the engine codex, or another provider/);
  });
});
