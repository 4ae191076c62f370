import { readFile, stat } from "node:fs/promises";
import { expect, it } from "vitest";
import type { SallyportClient } from "../../../src/client/index.ts";
import { approveWith, runScript, script } from "../../support/app.ts";
import { filesBelow } from "../../support/files-below.ts";
import { openOauthMcpServer, type OauthMcpServer } from "../../support/oauth-mcp-server.ts";
import { openWith, outputs } from "./world.ts";

const calling = { prompt: { text: script({ tool: "mcp__far__act", input: { n: 1 } }, { say: "Done." }) } };
const redirect_url = "http://127.0.0.1:1/callback";

function openApp(remote: OauthMcpServer): ReturnType<typeof openWith> {
  return openWith({
    settings: { mcp_servers: { far: { type: "http", url: remote.url, oauth: true, sessions: "all" } } },
  });
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
  const second = await runScript(client, calling, approveWith(client));
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
