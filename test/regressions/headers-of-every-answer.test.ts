import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../support/app.ts";

let app: TestApp;
let closed: string;
beforeAll(async () => {
  app = await openTestApp();
  closed = (await app.client.createSession({})).id;
  await app.client.control(closed, "close");
});
afterAll(() => app[Symbol.asyncDispose]());

/** A token may stand in the address: nobody may be told it, and nothing may be kept. */
it.each([
  ["GET", "/api/sessions", {}],
  ["HEAD", "/", {}],
  ["GET", "/nothing", {}],
  ["GET", "/api/sessions?limit=none", {}],
  ["GET", "/assets/nothing.js", {}],
  ["GET", "/", { origin: "http://elsewhere.example" }],
  ["GET", "/api/sessions", { authorization: "Bearer wrong" }],
  ["GET", "/api/sessions/{id}/events", { accept: "text/event-stream" }],
] as const)("%s %s %j", async (method, path, headers) => {
  const response = await fetch(app.serving.url + path.replace("{id}", closed), {
    method,
    headers: { authorization: `Bearer ${app.serving.token}`, ...headers },
  });
  await response.text();
  expect(
    ["referrer-policy", "cache-control", "x-content-type-options"].map((name) => response.headers.get(name)),
  ).toEqual(["no-referrer", "no-store", "nosniff"]);
});
