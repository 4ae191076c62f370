import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { openTestApp, type TestApp } from "../support/app.ts";
import { makePlace, startServer, TEST_TOKEN } from "../support/server.ts";

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/;
const OURS = { authorization: `Bearer ${TEST_TOKEN}` };

/** Every kind of answer: a page, a list, a stream's refusal, no such address, a bad body, no token, a foreign host. */
const ASKED: readonly (readonly [path: string, request: RequestInit])[] = [
  ["/health", {}],
  ["/ready", { method: "HEAD" }],
  ["/", {}],
  ["/api/sessions?limit=1", { headers: OURS }],
  ["/api/sessions/ses_none/events", { headers: OURS }],
  ["/api/nothing", { headers: OURS }],
  ["/no-page", { headers: { accept: "text/html" } }],
  ["/.well-known/x", {}],
  ["/api/sessions", { method: "POST", headers: OURS, body: "not json" }],
  ["/api/sessions", {}],
  ["/claude/nothing", { headers: OURS }],
  ["/mcp", { method: "POST", headers: { ...OURS, "content-type": "application/json" }, body: "{}" }],
];

async function answersOf(app: TestApp, id?: string): Promise<readonly (readonly unknown[])[]> {
  return Promise.all(
    ASKED.map(async ([path, request]) => {
      const headers = { ...(request.headers as object), ...(id === undefined ? {} : { "x-request-id": id }) };
      const answer = await fetch(`${app.serving.url}${path}`, { ...request, headers });
      const text = await answer.text();
      const isOurs = text.startsWith(`{"error"`);
      const inBody = isOurs ? (JSON.parse(text) as { readonly request_id?: string }).request_id : undefined;
      return [path, answer.headers.get("x-request-id"), isOurs ? inBody : "no error of ours"];
    }),
  );
}

it("gives every answer an id, and every error body", async () => {
  await using app = await openTestApp();
  const made = await answersOf(app);
  for (const [path, id, inBody] of made) {
    expect([path, id]).toEqual([path, expect.stringMatching(UUID)]);
    expect([id, "no error of ours"]).toContain(inBody);
  }
  expect(new Set(made.map(([, id]) => id)).size).toBe(ASKED.length);
  const errors = made.filter(([, , inBody]) => inBody !== "no error of ours");
  expect(errors.length).toBeGreaterThan(5);
  const given = "Job-7/step.2:a_b";
  for (const [, id] of await answersOf(app, given)) expect(id).toBe(given);
  for (const bad of ["", "a b", 'x"y', "x".repeat(129), "é", "${jndi}"])
    for (const [, id] of await answersOf(app, bad)) expect(id).toMatch(UUID);
});

it("answers what is no request with an id, too", async () => {
  await using app = await openTestApp();
  const ask = async (text: string): Promise<string> => {
    const socket = connect(Number(new URL(app.serving.url).port), "127.0.0.1");
    socket.end(text);
    let answer = "";
    for await (const chunk of socket) answer += String(chunk);
    return answer;
  };
  for (const [text, status] of [
    ["nonsense\r\n\r\n", 400],
    [`GET / HTTP/1.1\r\nhost: x\r\nlong: ${"x".repeat(40_000)}\r\n\r\n`, 431],
    ["GET / HTTP/1.1\r\n\r\n", 403],
    ["GET /ws HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n", 403],
  ] as const) {
    const answer = await ask(text);
    const id = /^x-request-id: (.*)\r$/m.exec(answer)?.[1];
    expect([answer.split(" ", 2)[1], id]).toEqual([String(status), expect.stringMatching(UUID)]);
    expect(answer).toContain(`"request_id":"${id}"`);
  }
});

const FAILED = "a sign-in failed: the token or key is not known, was deleted or has expired";

/** Lines of the log, without what differs each time. */
function linesOf(log: string): readonly Readonly<Record<string, unknown>>[] {
  return log
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .map(({ time: _time, ms, bytes, ...line }) => {
      const measured = "status" in line || "close_code" in line ? "number" : "undefined";
      expect([typeof ms, typeof bytes]).toEqual([measured, measured]);
      return line;
    });
}

const REMOTE = "127.0.0.1";
const SECRET = "a-link-that-only-its-reader-has_0123456789x";

it("writes a line for each request and socket, with who asked and without any secret", async () => {
  const place = await makePlace();
  const server = await startServer(place, { SALLYPORT_ACCESS_LOG: "on" });
  const me = await server.client.me();
  const ask = async (id: string, path: string, headers: Readonly<Record<string, string>>): Promise<void> => {
    const answer = await fetch(`${server.url}${path}`, { headers: { "x-request-id": id, ...headers } });
    await answer.arrayBuffer();
  };
  await ask("one", `/api/sessions?limit=1&token=${TEST_TOKEN}`, {});
  await ask("two", "/api/nothing", OURS);
  // Having such an address is enough to open it.
  await ask("six", `/share/${SECRET}`, {});
  await ask("three", "/api/sessions", { authorization: "Bearer sp_wrong-token-that-nobody-has" });
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/api/ws?token=${TEST_TOKEN}`, {
    headers: { "x-request-id": "four" },
  });
  const [[upgraded]] = (await Promise.all([once(socket, "upgrade"), once(socket, "open")])) as [
    [{ readonly headers: Readonly<Record<string, string>> }],
    unknown,
  ];
  expect(upgraded.headers["x-request-id"]).toBe("four");
  socket.close(1000);
  await once(socket, "close");
  const refused = new WebSocket(`${server.url.replace("http", "ws")}/nowhere`, {
    headers: { ...OURS, "x-request-id": "five" },
  });
  await once(refused, "error");
  await server.stop();
  const log = server.log();
  expect(log).not.toContain(TEST_TOKEN);
  expect(log).not.toContain("wrong-token");
  expect(log).not.toContain(SECRET);
  const about = { level: 30, method: "GET", remote: REMOTE };
  const byMe = { ...about, principal: me.id };
  const lines = linesOf(log).filter(({ path }) => path !== "/api/me");
  expect(lines.toSorted((one, other) => String(one["request_id"]).localeCompare(String(other["request_id"])))).toEqual([
    { ...byMe, request_id: "five", path: "/nowhere", status: 404, msg: "request" },
    { ...byMe, request_id: "four", path: "/api/ws", status: 101, msg: "socket opened" },
    { ...byMe, request_id: "four", path: "/api/ws", close_code: 1000, msg: "socket closed" },
    { ...byMe, request_id: "one", path: "/api/sessions", status: 200, msg: "request" },
    { ...about, request_id: "six", path: "/share/[redacted]", status: 404, msg: "request" },
    {
      ...about,
      level: 40,
      request_id: "three",
      path: "/api/sessions",
      msg: FAILED,
    },
    { ...about, request_id: "three", path: "/api/sessions", status: 401, msg: "request" },
    { ...byMe, request_id: "two", path: "/api/nothing", status: 404, msg: "request" },
  ]);
  await place.remove();
});

it("shows failed sign-ins without the access log, and cannot be made to write without end", async () => {
  const place = await makePlace();
  const server = await startServer(place, { SALLYPORT_LOG_LEVEL: "debug", SALLYPORT_ACCESS_LOG: "off" });
  await server.client.sessions({});
  for (let tries = 0; tries < 70; tries += 1)
    await fetch(`${server.url}/api/sessions`, { headers: { authorization: `Bearer sp_wrong${tries}` } });
  await server.stop();
  const words = linesOf(server.log()).map(({ msg }) => msg);
  expect(words.filter((word) => word === FAILED).length).toBe(60);
  expect(words.filter((word) => String(word).startsWith("too many wrong tokens")).length).toBe(1);
  expect(words.filter((word) => word === "request")).toEqual([]);
  await place.remove();
});
