import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { TEST_TOKEN } from "../support/server.ts";
import { openRuntimeApp, PageClient, type RuntimeApp } from "./runtime-world.ts";

const logged: { readonly err?: Error; readonly message: string }[] = [];
const accident = new Error("cannot read properties of undefined");
const WORDS = "something went wrong here; the server's log says what";
let app: RuntimeApp;

beforeAll(async () => {
  app = await openRuntimeApp({ onError: (fields, message) => logged.push({ ...fields, message }) });
  vi.spyOn(app.gateway.sessions, "create").mockRejectedValue(accident);
});
afterAll(() => app[Symbol.asyncDispose]());
beforeEach(() => {
  logged.length = 0;
});

describe("an accident of the server's own", () => {
  it("is JSON without its words over HTTP, and the log has them", async () => {
    const answer = await fetch(`${app.url}/api/sessions`, {
      method: "POST",
      headers: { authorization: `Bearer ${TEST_TOKEN}`, "content-type": "application/json" },
      body: "{}",
    });
    const request_id = answer.headers.get("x-request-id");
    const body = { error: { code: "internal", message: WORDS }, request_id };
    expect([answer.status, await answer.json(), typeof request_id]).toEqual([500, body, "string"]);
    expect(logged.map(({ err }) => err)).toEqual([accident]);
  });

  it("is a general error over document 000's socket, and the log has the trace", async () => {
    const page = new PageClient(app.url);
    await page.opened;
    page.ask("s", "hello");
    expect(await page.next("error")).toEqual({ type: "error", sessionId: "s", message: WORDS, code: "internal" });
    expect(logged.map(({ err }) => err?.stack)).toEqual([accident.stack]);
    // The socket goes on.
    page.say({ type: "fly", sessionId: "s" });
    expect(await page.next("error")).toMatchObject({ message: "Unknown message type: fly" });
    await page.close();
  });
});
