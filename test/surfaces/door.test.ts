import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { may, type Capability } from "../../src/gate/index.ts";
import { Role } from "../../src/protocol/index.ts";
import { openTestApp, type TestApp } from "../support/app.ts";

const NAMED = "https://tools.example.org";
const SHOP = "https://shop.example.org";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ SALLYPORT_ALLOWED_ORIGINS: NAMED });
});
afterAll(() => app[Symbol.asyncDispose]());

const ask = (path: string, init: RequestInit = {}): Promise<Response> => fetch(app.serving.url + path, init);
const bearer = (token: string): { readonly authorization: string } => ({ authorization: `Bearer ${token}` });

function preflight(origin: string): Promise<Response> {
  const headers = {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization",
  };
  return ask("/api/sessions", { method: "OPTIONS", headers });
}

/** How a WebSocket is answered: 101, or the status of the refusal. */
function upgrade(token: string, origin: string | undefined): Promise<number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`${app.serving.url.replace("http", "ws")}/api/ws`, {
      headers: { ...bearer(token), ...(origin === undefined ? {} : { origin }) },
    });
    socket.on("open", () => {
      socket.close();
      resolve(101);
    });
    socket.on("unexpected-response", (_, { statusCode }) => resolve(statusCode ?? 0));
    socket.on("error", () => undefined);
  });
}

describe("a page of another origin", () => {
  it("may ask from where the settings name it, with any token", async () => {
    const answer = await preflight(NAMED);
    expect([
      answer.status,
      Object.fromEntries([...answer.headers].filter(([name]) => /access-control|vary/.test(name))),
    ]).toEqual([
      204,
      {
        "access-control-allow-origin": NAMED,
        "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
        "access-control-allow-headers":
          "authorization, content-type, idempotency-key, last-event-id, mcp-protocol-version, mcp-session-id, sallyport-protocol, x-request-id",
        "access-control-expose-headers":
          "mcp-session-id, retry-after, sallyport-protocol, sallyport-truncated, www-authenticate, x-request-id, x-sallyport-errno",
        "access-control-max-age": "600",
        vary: "origin",
      },
    ]);
    const told = await ask("/api/me", { headers: { ...bearer(app.serving.token), origin: NAMED } });
    expect([told.status, told.headers.get("access-control-allow-origin"), told.headers.get("vary")]).toEqual([
      200,
      NAMED,
      "origin",
    ]);
    expect(told.headers.get("access-control-allow-credentials")).toBeNull();
    // A page must be able to read why it was refused.
    const refused = await ask("/api/me", { headers: { ...bearer("sp_wrong"), origin: NAMED } });
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([401, NAMED]);
  });

  it("may ask from where a token names it, as long as that lives, with that token alone", async () => {
    expect((await preflight(SHOP)).status).toBe(403);
    const { id, token } = await app.client.createToken({ role: "visitor", name: "guest", origins: [SHOP] });
    expect((await preflight(SHOP)).headers.get("access-control-allow-origin")).toBe(SHOP);
    const from = async (origin: string | undefined, key: string): Promise<number> =>
      (await ask("/api/me", { headers: { ...bearer(key), ...(origin === undefined ? {} : { origin }) } })).status;
    const admin = app.serving.token;
    expect([
      await from(SHOP, token),
      await from(SHOP, admin),
      await from(NAMED, token),
      await from(undefined, token),
    ]).toEqual([200, 403, 403, 403]);
    expect([
      await upgrade(token, SHOP),
      await upgrade(admin, SHOP),
      await upgrade(token, undefined),
      await upgrade(token, NAMED),
    ]).toEqual([101, 403, 403, 403]);
    await app.restart();
    expect((await preflight(SHOP)).status).toBe(204);
    await app.client.deleteToken(id);
    expect((await preflight(SHOP)).status).toBe(403);
  });

  it("is compared letter by letter, ports and all", async () => {
    const { port } = new URL(app.serving.url);
    const own = [`http://127.0.0.1:${port}`, `https://127.0.0.1:${port}`];
    const others = [
      "http://localhost",
      "https://localhost",
      "http://127.0.0.1",
      "https://127.0.0.1",
      `http://localhost:${port}`,
      "http://127.0.0.1:1",
      `${NAMED}:443`,
      NAMED.toUpperCase(),
      `${NAMED}.evil.example`,
      "null",
    ];
    const status = async (origin: string): Promise<number> =>
      (await ask("/api/me", { headers: { ...bearer(app.serving.token), origin } })).status;
    expect(await Promise.all(own.map(status))).toEqual([200, 200]);
    expect(await Promise.all(others.map(status))).toEqual(others.map(() => 403));
    expect(await Promise.all(others.map((origin) => upgrade(app.serving.token, origin)))).toEqual(
      others.map(() => 403),
    );
  });
});

describe("who is not let in", () => {
  it("is told what is wanted, on HTTP and on WebSockets", async () => {
    const challenge = 'Bearer realm="sallyport"';
    for (const path of ["/api/sessions", "/claude/new", "/mcp", "/openapi.json"])
      expect([path, (await ask(path)).status, (await ask(path)).headers.get("www-authenticate")]).toEqual([
        path,
        401,
        challenge,
      ]);
    const header = await new Promise<string | undefined>((resolve) => {
      const socket = new WebSocket(`${app.serving.url.replace("http", "ws")}/api/ws`);
      socket.on("unexpected-response", (_, { headers }) => resolve(headers["www-authenticate"]));
      socket.on("error", () => undefined);
    });
    expect(header).toBe(challenge);
    expect(await (await ask("/api/me", { headers: bearer("sp_never") })).json()).toMatchObject({
      error: { code: "unauthenticated", message: expect.stringContaining("That token is not valid") as unknown },
    });
  });

  it.each(["/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server/mcp", "/.well-known"])(
    "finds nothing at %s, and is not asked for a token",
    async (path) => {
      for (const headers of [{}, bearer(app.serving.token), bearer("sp_wrong")])
        expect([(await ask(path, { headers })).status, (await ask(path, { method: "POST", headers })).status]).toEqual([
          404, 404,
        ]);
    },
  );

  it("sees a page where an address is mistyped in a browser, and JSON elsewhere", async () => {
    const page = await ask("/nothing-<b>here", { headers: { accept: "text/html,*/*;q=0.8" } });
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=UTF-8"]);
    const text = await page.text();
    expect(text).toContain("There is no page here");
    expect(text).not.toContain("<b>here");
    expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'nonce-/);
    expect((await ask("/nothing-here", { headers: bearer(app.serving.token) })).headers.get("content-type")).toBe(
      "application/json",
    );
    expect((await ask("/api/nothing", { headers: { accept: "text/html" } })).status).toBe(401);
  });
});

describe("a token in the address of a page that is not there", () => {
  it.each([
    ["/nothing?token=sp_x", "/nothing"],
    ["/nothing/here?a=1&token=sp_x&b=%2F&token=sp_y", "/nothing/here?a=1&b=%2F"],
    ["/nothing?%74oken=sp_x", "/nothing"],
    ["/workbench/nothing?token=", "/workbench/nothing"],
    ["/.well-known/nothing?token=sp_x", "/.well-known/nothing"],
    // Never to another server.
    ["//other.example/x?token=sp_x", "/other.example/x"],
    ["/\\\\other.example/x?token=sp_x", "/other.example/x"],
  ])("%s leads to %s", async (path, clean) => {
    const init = { headers: { accept: "text/html" }, redirect: "manual" } as const;
    const answer = await ask(path, init);
    expect([answer.status, answer.headers.get("location"), answer.headers.get("cache-control")]).toEqual([
      302,
      clean,
      "no-store",
    ]);
    expect((await ask(clean, init)).status).toBe(404);
  });
});

interface Described {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly "x-needs"?: Capability | "nothing" | "a token" }>>>
  >;
}

describe("rights come before everything else", () => {
  it.each(Role.options)("whatever is wrong with the request of an %s", async (role) => {
    const { token } = await app.client.createToken({ role, name: role });
    const { paths } = (await (await ask("/openapi.json", { headers: bearer(app.serving.token) })).json()) as Described;
    const broken = [
      { type: "application/json", body: "{" },
      { type: "application/json", body: '{"no such field":[1]}' },
      { type: "text/plain", body: "words" },
    ];
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { "x-needs": needs = "nothing" }] of Object.entries(methods)) {
        if (needs === "nothing" || needs === "a token" || may(role, needs) !== "no") continue;
        const address = `${path.replaceAll(/\{\w+\}/g, "nothing")}?limit=-1&by=nonsense`;
        const bodies = method === "post" || method === "put" ? broken : [undefined];
        for (const each of bodies) {
          const sent = each === undefined ? {} : { body: each.body };
          const headers = { ...bearer(token), ...(each === undefined ? {} : { "content-type": each.type }) };
          const { status } = await ask(address, { method: method.toUpperCase(), headers, ...sent });
          expect({ method, path, each, status }).toEqual({ method, path, each, status: 403 });
        }
      }
    }
  });
});

it.each(["Host", "Authorization", "Origin", "Content-Type", "Mcp-Session-Id", "Idempotency-Key"])(
  "a request with two %s headers is refused: somebody on its way might read the other one",
  async (doubled) => {
    const { url, token } = app.serving;
    const { host } = new URL(url);
    const said = [
      ["Host", host],
      ["Authorization", `Bearer ${token}`],
    ];
    const value = said.find(([name]) => name === doubled)?.[1] ?? "a";
    const headers = [...said, [doubled, value], ...(said.some(([name]) => name === doubled) ? [] : [[doubled, value]])];
    const answer = await new Promise<readonly unknown[]>((resolve, reject) => {
      const sent = request(`${url}/api/me`, { headers: headers.flat() }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve([response.statusCode, JSON.parse(text)]));
      });
      sent.on("error", reject).end();
    });
    expect(answer).toEqual([
      400,
      {
        error: { code: "invalid_request", message: `the header ${doubled.toLowerCase()} may be sent only once` },
        request_id: expect.any(String) as unknown,
      },
    ]);
  },
);
