import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { SallyportClient } from "../../../src/client/index.ts";
import { ownPort } from "../../support/port.ts";
import { makePlace, TEST_TOKEN } from "../../support/server.ts";
import { script } from "../../support/app.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const RELAY = resolve(ROOT, "integrations/datagrok/dockerfiles/claude-runtime/relay.mjs");
const TRIES = 600;
const TRY_MS = 50;

/** Says hello as somebody and answers with the last message, or the status of a refusal. */
function talk(port: number, headers: Readonly<Record<string, string>>, more: object = {}): Promise<string> {
  return new Promise((told) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { host: "platform.example", ...headers } });
    const message = { type: "user_message", sessionId: "chat", message: script({ say: "hi" }), ...more };
    socket.on("open", () => socket.send(JSON.stringify(message)));
    socket.on("message", (data: Buffer) => {
      const { type, message: why = "" } = JSON.parse(data.toString()) as { type: string; message?: string };
      if (type !== "final" && type !== "error") return;
      socket.close();
      told(type === "final" ? type : why);
    });
    socket.on("unexpected-response", (_, { statusCode }) => told(String(statusCode)));
    socket.on("error", () => told("503"));
  });
}

const jwt = (claims: object): string => `h.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.s`;

it("each person of the platform is a principal of their own, none is an admin, and none chooses how it is judged", async () => {
  const place = await makePlace();
  const [port, inner] = [await ownPort(), await ownPort()];
  const child = spawn(process.execPath, [RELAY, resolve(ROOT, "dist/cli/main.js")], {
    stdio: "ignore",
    env: {
      PATH: process.env["PATH"],
      HOME: place.home,
      RELAY_HOST: "127.0.0.1",
      RELAY_PORT: String(port),
      RELAY_SERVER_PORT: String(inner),
      SALLYPORT_HOME: place.home,
      SALLYPORT_WORKSPACE: place.workspace,
      SALLYPORT_TOKEN: TEST_TOKEN,
    },
  });
  const exited = once(child, "exit");
  try {
    let answer = "503";
    const ann = { "x-datagrok-user": "ann" };
    for (let tries = 0; answer === "503" && tries < TRIES; tries += 1) {
      answer = await talk(port, ann);
      if (answer === "503") await new Promise((resume) => setTimeout(resume, TRY_MS));
    }
    expect(answer).toBe("final");
    const others = [
      { "x-datagrok-user": "ben" },
      { authorization: `Bearer ${jwt({ sub: "zoe" })}` },
      { cookie: `x=1; auth=${jwt({ login: "eve" })}` },
      { authorization: "Bearer an-opaque-login" },
      {},
    ];
    for (const headers of [ann, ...others]) expect(await talk(port, headers)).toBe("final");
    expect(await talk(port, ann, { sessionId: "new", profile: "full" })).toContain("the server chooses profile");
    const admin = new SallyportClient({ url: `http://127.0.0.1:${inner}`, token: TEST_TOKEN });
    const { sessions } = await admin.sessions();
    expect(sessions.map(({ created_by, settings }) => [created_by.name, created_by.role, settings.profile])).toEqual(
      expect.arrayContaining([
        ["ann", "visitor", "server"],
        ["ben", "visitor", "server"],
        ["zoe", "visitor", "server"],
        ["eve", "visitor", "server"],
        ["somebody", "visitor", "server"],
      ]),
    );
    // Ann came twice and is one; nobody shares the conversation of the same name.
    expect([sessions.length, new Set(sessions.map(({ created_by }) => created_by.id)).size]).toEqual([6, 6]);
  } finally {
    child.kill("SIGTERM");
    await exited;
    await place.remove();
  }
});
