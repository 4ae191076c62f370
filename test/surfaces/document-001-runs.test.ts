import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { LIMITS, type SessionView } from "../../src/protocol/index.ts";
import { openTestApp, runScript, script, type TestApp } from "../support/app.ts";

let app: TestApp;
let inner: string;
let other: string;
beforeAll(async () => {
  app = await openTestApp();
  [inner, other] = [join(app.place.workspace, "inner"), join(app.place.workspace, "other")];
  await mkdir(inner);
  await mkdir(other);
});
afterAll(() => app[Symbol.asyncDispose]());

type Message = Record<string, unknown> & { readonly type: string };

/** All that one run says, up to its end. */
async function run(query: string, more: object = {}): Promise<readonly Message[]> {
  const { url, token } = app.serving;
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/terminal/ws/agent?token=${token}${query}`);
  const heard: Message[] = [];
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("message", (data: Buffer) => {
      const message = JSON.parse(data.toString()) as Message;
      heard.push(message);
      const prompt = script({ tool: "Bash", input: { command: "pwd -P" } }, { say: "ok" });
      if (message.type === "connected")
        socket.send(JSON.stringify({ command: "run", prompt, permission_mode: "bypassPermissions", ...more }));
      if (message.type !== "done") return;
      socket.close();
      resolve(heard);
    });
  });
}

function folderOf(messages: readonly Message[]): unknown {
  const result = messages.find(({ subtype }) => subtype === "tool_result");
  return (result?.["content"] as { readonly content?: unknown } | undefined)?.content;
}

async function newest(): Promise<SessionView> {
  const [session] = (await app.client.sessions({ limit: 1 })).sessions;
  if (session === undefined) throw new Error("no session was made");
  return session;
}

describe("a run of document 001", () => {
  it("works in the folder that the address or the run names", async () => {
    const [plain, byAddress, byRun] = [
      await run(""),
      await run(`&cwd=${encodeURIComponent(inner)}`),
      await run(`&cwd=${encodeURIComponent(inner)}`, { cwd: other }),
    ];
    expect([plain, byAddress, byRun].map(folderOf)).toEqual(
      await Promise.all([app.place.workspace, inner, other].map((folder) => realpath(folder))),
    );
    expect([byAddress[0], byRun[0]]).toEqual([
      { type: "connected", cwd: inner },
      { type: "connected", cwd: inner },
    ]);
  });

  it("asks for 8192 tokens of an answer unless somebody says otherwise", async () => {
    await run("");
    expect((await newest()).settings.max_tokens).toBe(8_192);
    const { id } = await app.client.createSession({ max_tokens: 100 });
    expect((await app.client.session(id)).settings.max_tokens).toBe(100);
  });

  it("waits 300 seconds for an answer unless the profile says otherwise", async () => {
    const asked: (readonly [string, string | undefined])[] = [];
    await runScript(
      app.client,
      { prompt: { text: script({ tool: "Bash", input: { command: "true" } }, { say: "ok" }) } },
      async ({ id, input_hash, created_at, expires_at }) => {
        asked.push([created_at, expires_at]);
        await app.client.decide(id, { decision: "reject", input_hash });
      },
    );
    const waits = asked.map(([from, to]) => Date.parse(to ?? "") - Date.parse(from));
    expect(waits).toEqual([300_000]);
    expect(LIMITS.approvalTimeoutMs).toBe(300_000);
  });

  it("answers others while a model thinks", async () => {
    // It says nothing for a minute: whoever waited for it would be too late.
    const slow = script({ delay_ms: 60_000 }, { say: "at last" });
    const { id } = await app.client.createSession({ prompt: { text: slow } });
    const messages = await run("");
    expect(messages.at(-1)?.type).toBe("done");
    expect((await fetch(`${app.serving.url}/health`)).status).toBe(200);
    expect((await app.client.session(id)).status).toBe("working");
    await app.client.control(id, "interrupt");
  });
});
