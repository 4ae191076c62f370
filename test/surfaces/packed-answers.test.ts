import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp } from "../support/app.ts";
import { TEST_TOKEN } from "../support/server.ts";

let app: TestApp;
const get = async (path: string, encoding: string): Promise<readonly [string | null, unknown]> => {
  const response = await fetch(app.serving.url + path, {
    headers: { authorization: `Bearer ${TEST_TOKEN}`, "accept-encoding": encoding },
  });
  return [response.headers.get("content-encoding"), await response.json()];
};

beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

test("a long answer of the API is packed for who can unpack it, and says the same to who cannot", async () => {
  const packed = await get("/api/engines", "gzip, deflate, br");
  const plain = await get("/api/engines", "identity");
  expect(packed).toEqual(["gzip", plain[1]]);
  expect(plain[0]).toBeNull();
});

test("a short answer, and a refusal, come as they are", async () => {
  const [encoding, { error }] = (await get("/api/sessions/ses_none", "gzip")) as [string | null, { error: object }];
  expect([encoding, error]).toEqual([null, expect.objectContaining({ code: "not_found" })]);
  expect(await get("/api/templates", "gzip")).toEqual([null, { templates: [] }]);
});

test("an origin that may read answers is named beside the packing", async () => {
  const response = await fetch(`${app.serving.url}/api/engines`, {
    headers: { authorization: `Bearer ${TEST_TOKEN}`, "accept-encoding": "gzip" },
  });
  expect(response.headers.get("vary")).toBe("origin, accept-encoding");
  await response.arrayBuffer();
});
