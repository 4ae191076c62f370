import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp } from "../support/app.ts";
import { TEST_TOKEN } from "../support/server.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

test.each([
  ["/api/sessions", { max_cost_usd: 5 }, "max_cost_usd: is not a field; did you mean max_cost_microusd?"],
  ["/api/sessions", { promt: "hi" }, "promt: is not a field; did you mean prompt?"],
  [
    "/api/tokens",
    { role: "agent", name: "a", expires_in: 5, tols: [] },
    "expires_in: is not a field; did you mean expires_in_s?; tols: is not a field; did you mean tools?",
  ],
])("POST %s with %j is refused with the name that was meant", async (path, body, message) => {
  const response = await fetch(`${app.serving.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${TEST_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { error: { code: string; message: string } };
  expect([response.status, answer.error.code, answer.error.message]).toEqual([400, "invalid_request", message]);
});
