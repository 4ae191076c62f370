import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { SallyportClient } from "../../../src/client/index.ts";
import { LoginFiles, ServerLogin } from "../../../src/mcp-client/index.ts";
import { LIMITS, makeRedactor } from "../../../src/protocol/index.ts";
import { approveWith, runScript, script } from "../../support/app.ts";
import { filesBelow } from "../../support/files-below.ts";
import { openOauthMcpServer, type OauthMcpServer } from "../../support/oauth-mcp-server.ts";
import { isFullRun } from "../../support/sample.ts";
import { PROGRAMS_FOLDER } from "../../support/vendor-programs.ts";
import { openWith, outputs } from "./world.ts";

const callOf = (tool: string): object => ({ prompt: { text: script({ tool, input: { n: 1 } }, { say: "Done." }) } });
const calling = callOf("mcp__far__act");
const redirect_url = "http://127.0.0.1:1/callback";

function openApp(remote: OauthMcpServer): ReturnType<typeof openWith> {
  return openWith(
    { settings: { mcp_servers: { far: { type: "http", url: remote.url, oauth: true, sessions: "all" } } } },
    { SALLYPORT_PROGRAMS_FOLDER: PROGRAMS_FOLDER },
  );
}

async function logIn(client: SallyportClient, remote: OauthMcpServer): Promise<void> {
  const { authorization_url, state } = await client.mcpLogins.start("far", { redirect_url });
  const back = await remote.agree(authorization_url);
  expect(back.searchParams.get("state")).toBe(state);
  await client.mcpLogins.finish({ state, code: back.searchParams.get("code") ?? "" });
}

it("a server that wants a login has one after an admin gave it, and refreshes it; no token leaves the server", async () => {
  await using remote = await openOauthMcpServer();
  await using app = await openApp(remote);
  const { client } = app;
  const before = await runScript(client, { prompt: { text: script({ say: "Nothing." }) } });
  const [view] = (await client.sessionMcpServers(before.session.id)).servers;
  expect(view).toMatchObject({ name: "far", state: "failed", needs_login: true });
  expect(view?.error).toContain("sallyport mcp login far");
  expect((await client.mcpLogins.list()).servers).toEqual([{ name: "far", url: remote.url, logged_in: false }]);

  await logIn(client, remote);
  expect(remote.seen).toEqual(["register", "authorize", "token authorization_code"]);
  expect((await client.mcpLogins.list()).servers).toMatchObject([{ name: "far", logged_in: true, scope: "tools" }]);
  const first = await runScript(client, calling, approveWith(client));
  expect(outputs(first.events)).toEqual(['echo {"n":1}']);

  remote.revoke("access");
  const second = await runScript(client, { ...calling, engine: "claude-sdk" }, approveWith(client));
  expect(outputs(second.events)).toEqual(['echo {"n":1}']);
  expect(remote.seen.filter((what) => what === "token refresh_token")).toHaveLength(1);

  const everything = JSON.stringify([first.events, second.events, await client.mcpLogins.list()]);
  const holding = [];
  for (const token of remote.tokens) expect(everything).not.toContain(token);
  for (const path of await filesBelow(app.place.home)) {
    const text = await readFile(path, "utf8").catch(() => "");
    if (remote.tokens.some((token) => text.includes(token))) holding.push(path);
  }
  expect(holding.map((path) => path.split("/").slice(-2).join("/"))).toEqual(["mcp-logins/far.json"]);
  expect((await stat(holding[0] ?? "")).mode & 0o777).toBe(0o600);

  remote.revoke("refresh");
  const third = await runScript(client, { prompt: { text: script({ say: "Nothing." }) } });
  expect((await client.sessionMcpServers(third.session.id)).servers).toMatchObject([{ needs_login: true }]);
  await client.mcpLogins.end("far");
  expect((await client.mcpLogins.list()).servers).toMatchObject([{ name: "far", logged_in: false }]);
});

it.skipIf(!isFullRun)("it serves the sessions of every engine with one login", async () => {
  await using remote = await openOauthMcpServer();
  await using app = await openApp(remote);
  await logIn(app.client, remote);
  for (const engine of ["loop", "claude-sdk", "claude-cli", "codex", "opencode"]) {
    // Codex keeps names that begin with mcp__ for itself: its model is told of the rest.
    const call = engine === "codex" ? callOf("far__act") : calling;
    const { events } = await runScript(app.client, { ...call, engine }, approveWith(app.client));
    expect([engine, outputs(events)]).toEqual([engine, ['echo {"n":1}']]);
  }
});

it("a login is begun and ended by admins alone, once, and goes to no strange place", async () => {
  await using remote = await openOauthMcpServer();
  await using app = await openApp(remote);
  const { client } = app;
  for (const role of ["operator", "agent"] as const) {
    const other = await app.as(role);
    await expect(other.mcpLogins.start("far", { redirect_url })).rejects.toMatchObject({ code: "forbidden" });
    await expect(other.mcpLogins.end("far")).rejects.toMatchObject({ code: "forbidden" });
  }
  await expect(client.mcpLogins.start("near", { redirect_url })).rejects.toMatchObject({ code: "not_found" });
  const strange = client.mcpLogins.start("far", { redirect_url: "http://evil.example/callback" });
  await expect(strange).rejects.toMatchObject({ code: "invalid_request" });
  const { authorization_url, state } = await client.mcpLogins.start("far", { redirect_url });
  const code = (await remote.agree(authorization_url)).searchParams.get("code") ?? "";
  await expect(client.mcpLogins.finish({ state: `${state}x`, code })).rejects.toMatchObject({ code: "not_found" });
  await client.mcpLogins.finish({ state, code });
  await expect(client.mcpLogins.finish({ state, code })).rejects.toMatchObject({ code: "not_found" });
  const again = await client.mcpLogins.start("far", { redirect_url });
  await expect(client.mcpLogins.finish({ state: again.state, code })).rejects.toMatchObject({
    code: "connection_failed",
  });
});

/** What an authorization server answers to each request for its metadata. The rest of it is honest. */
type Answer = (response: ServerResponse, origin: string) => void;

const json = (body: object): Answer => {
  return (response) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
};
const metadata = (origin: string, more: object): object => ({
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
  response_types_supported: ["code"],
  code_challenge_methods_supported: ["S256"],
  ...more,
});
const withMetadata = (more: (origin: string) => object): Answer => {
  return (response, origin) => json(metadata(origin, more(origin)))(response, origin);
};

const LYING: readonly (readonly [string, Answer, RegExp])[] = [
  [
    "sends its answer byte by byte",
    (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const drip = setInterval(() => response.write(" "), 20);
      response.once("close", () => clearInterval(drip));
    },
    /it took more than 1 s/,
  ],
  ["never answers", () => undefined, /it took more than 1 s/],
  [
    "sends a huge document",
    (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(`{"issuer":"${"x".repeat(LIMITS.mcpLoginBytes)}"}`);
    },
    /more than 262144 bytes|Unexpected|not valid|JSON/,
  ],
  ["names another issuer", withMetadata(() => ({ issuer: "https://accounts.example.com" })), /issuer/i],
  [
    "leads to a private address",
    withMetadata(() => ({ registration_endpoint: "https://10.0.0.1/register" })),
    /10\.0\.0\.1 is not on the open internet/,
  ],
  [
    "leads to this machine without TLS",
    withMetadata(() => ({ registration_endpoint: "http://localhost:1/register" })),
    /which was not named/,
  ],
  [
    "sends people to a script",
    withMetadata(() => ({ authorization_endpoint: "javascript:alert(1)" })),
    /sends people to|URL|url|scheme|invalid/i,
  ],
  [
    "redirects to a private address",
    withMetadata((origin) => ({ registration_endpoint: `${origin}/away` })),
    /302|registration|register/i,
  ],
];

it.each(LYING)(
  "a login at an authorization server that %s is refused in time, and keeps nothing",
  async (_words, answer, why) => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      asked.push(request.url ?? "");
      if (request.url === "/mcp") response.writeHead(401, { "www-authenticate": "Bearer" }).end();
      else if (request.url?.startsWith("/.well-known/oauth-authorization-server") === true) answer(response, origin);
      else if (request.url === "/away") response.writeHead(302, { location: "http://169.254.169.254/latest" }).end();
      else if (request.url === "/register")
        response
          .writeHead(201, { "content-type": "application/json" })
          .end(JSON.stringify({ client_id: "c", redirect_uris: [redirect_url] }));
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const folder = await mkdtemp(join(tmpdir(), "sallyport-login-"));
    onTestFinished(async () => {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true, force: true });
    });
    const login = new ServerLogin({
      name: "far",
      url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
      files: new LoginFiles(folder, makeRedactor([])),
      now: () => 0,
      client: async () => undefined,
      stepMs: 1_000,
    });
    await expect(login.start({ redirectUrl: redirect_url, state: "s" })).rejects.toThrow(why);
    expect(await login.stored()).toBeUndefined();
    expect(asked.length).toBeLessThan(10);
  },
);
