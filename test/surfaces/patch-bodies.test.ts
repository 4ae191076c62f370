import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import { openTestApp, type TestApp } from "../support/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

describe("a body of any method that has one is bounded before it is parsed", () => {
  it.each(["POST", "PUT", "PATCH"] as const)("%s", async (method) => {
    const agent = await app.as("agent", method);
    const { id } = await agent.createSession({});
    const path =
      method === "POST" ? "/api/sessions" : method === "PUT" ? `/api/sessions/${id}/queue` : `/api/sessions/${id}`;
    const send = async (body: string): Promise<readonly unknown[]> => {
      const headers = { authorization: `Bearer ${agent.token}`, "content-type": "application/json" };
      const sent: RequestInit = { method, headers, body };
      const answer = await fetch(`${app.serving.url}${path}`, sent);
      const { error } = (await answer.json()) as {
        readonly error: { readonly code: string; readonly message: string };
      };
      return [answer.status, error.code, error.message];
    };
    expect(await send(`{"title":"${"x".repeat(LIMITS.bodyBytes)}"}`)).toEqual([
      413,
      "payload_too_large",
      `a request may have ${String(LIMITS.bodyBytes)} bytes`,
    ]);
    const deep = LIMITS.jsonDepth + 1;
    expect(await send(`{"title":${"[".repeat(deep)}${"]".repeat(deep)}}`)).toEqual([
      400,
      "invalid_request",
      `JSON may nest ${String(LIMITS.jsonDepth)} deep`,
    ]);
  });
});
