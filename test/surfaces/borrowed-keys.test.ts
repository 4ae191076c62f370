import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp } from "../support/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const CONVERSATION = { source: "codex", turns: [{ prompt: "A secret of mine.", items: [] }] };

test("a key of somebody else's request gives nobody its answer, whatever it made", async () => {
  const [owner, other] = [await app.as("agent", "owner"), await app.as("agent", "other")];
  const send = async (
    token: string,
    path: string,
    body: object,
    method = "POST",
  ): Promise<{ readonly status: number; readonly text: string }> => {
    const sent: RequestInit = {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "idempotency-key": "the-same-key",
      },
      body: JSON.stringify(body),
    };
    const answer = await fetch(`${app.serving.url}${path}`, sent);
    return { status: answer.status, text: await answer.text() };
  };
  const idIn = ({ text }: { readonly text: string }): string => (JSON.parse(text) as { readonly id: string }).id;
  const first = await send(owner.token, "/api/imports", { conversation: CONVERSATION });
  const theirs = await send(other.token, "/api/imports", { conversation: CONVERSATION });
  expect([first.status, theirs.status, idIn(first) === idIn(theirs)]).toEqual([201, 201, false]);
  // The same key at another route, or with another body, is another request, and is said to be.
  const elsewhere = await send(owner.token, "/api/sessions", {});
  expect(
    elsewhere.status === 201 ? idIn(elsewhere) === idIn(first) : elsewhere.text.includes("idempotency_mismatch"),
  ).toBe(elsewhere.status !== 201);
  const at = `/api/sessions/${idIn(first)}`;
  for (const [path, method, body] of [
    [`${at}/prompts`, "POST", { text: "x" }],
    [`${at}/fork`, "POST", {}],
    [at, "PATCH", { title: "x" }],
    [`${at}/queue`, "PUT", { order: [] }],
  ] as const) {
    const { status, text } = await send(other.token, path, body, method);
    expect([path, status, text.includes("A secret of mine.")]).toEqual([path, 404, false]);
  }
  // Ids of another principal's sessions in a body are as unknown as in an address.
  for (const body of [{ resume_session_id: idIn(first) }, { parent_session_id: idIn(first) }]) {
    const { status } = await send(other.token, "/api/sessions", body);
    expect([body, status === 404 || status === 403 || status === 422]).toEqual([body, true]);
  }
});
