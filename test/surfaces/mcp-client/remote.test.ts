import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/protocol/index.ts";
import { approveWith, openTestApp, runScript, script } from "../../support/app.ts";
import { filesBelow } from "../../support/files-below.ts";
import { openRemoteMcpServer } from "../../support/remote-mcp-server.ts";
import { TEST_TOKEN } from "../../support/server.ts";
import { notices, openWith, outputs } from "./world.ts";

const SECRET = "a-secret-of-a-remote-server";
const calling = { prompt: { text: script({ tool: "mcp__far__act", input: { n: 1 } }, { say: "Done." }) } };

describe("remote MCP servers", () => {
  it.each(["http", "sse"] as const)("are asked by %s, with a secret that only they see", async (type) => {
    await using remote = await openRemoteMcpServer({ sse: type === "sse" });
    await using app = await openWith({
      settings: {
        mcp_servers: {
          far: {
            type,
            url: `http://127.0.0.1:${remote.port}/mcp`,
            headers: { authorization: { credential_file: "far.key" }, "x-plain": "plain" },
            sessions: "all",
          },
        },
      },
      files: { "far.key": `${SECRET}\n` },
    });
    const { session, events } = await runScript(app.client, calling, approveWith(app.client));
    expect(outputs(events)).toEqual(['echo {"n":1}']);
    expect(remote.seen.length).toBeGreaterThan(2);
    for (const headers of remote.seen)
      expect(headers).toMatchObject({ authorization: `Bearer ${SECRET}`, "x-plain": "plain" });
    const { servers } = await app.client.sessionMcpServers(session.id);
    expect(servers).toMatchObject([{ name: "far", transport: type, state: "ready", title: "remote" }]);
    await app.stop();
    const holding = [];
    for (const path of await filesBelow(app.place.home))
      if ((await readFile(path, "utf8").catch(() => "")).includes(SECRET)) holding.push(path);
    expect(holding.map((path) => path.split("/").at(-1))).toEqual(["far.key"]);
  });

  it("can be another Sallyport, whose own endpoint speaks the newest revision", async () => {
    await using other = await openTestApp();
    await using app = await openWith(
      {
        settings: {
          mcp_servers: {
            other: {
              type: "http",
              url: `${other.serving.url}/mcp`,
              headers: { authorization: { credential_env: "OTHER_TOKEN" } },
              sessions: "all",
              tools: { claude_read: "read" },
            },
          },
        },
      },
      { OTHER_TOKEN: TEST_TOKEN },
    );
    const { session, events } = await runScript(app.client, {
      prompt: { text: script({ tool: "mcp__other__claude_list", input: {} }, { say: "Done." }) },
      autonomy: "full",
    });
    expect(notices(events)).toEqual([]);
    const { servers } = await app.client.sessionMcpServers(session.id);
    expect(servers).toMatchObject([{ name: "other", state: "ready" }]);
    expect(servers[0]?.tools).toContainEqual({ name: "mcp__other__claude_read", tier: "read" });
    expect(outputs(events).length).toBe(1);
  });

  it("with a private address are refused unless the policy names the host, whatever DNS says the second time", async () => {
    await using remote = await openRemoteMcpServer();
    const url = `https://mcp.example.com:${remote.port}/mcp`;
    await using app = await openTestApp();
    for (const place of [url.replace("mcp.example.com", "127.0.0.1"), url.replace("mcp.example.com", "localhost")]) {
      const { events } = await runScript(app.client, {
        mcp_servers: { far: { type: "http", url: place } },
        prompt: { text: script({ say: "Done." }) },
      });
      expect(notices(events)).toEqual([expect.stringContaining("not on the open internet")]);
    }
    expect(remote.seen).toEqual([]);
  });

  it("that lead elsewhere are not followed", async () => {
    await using target = await openRemoteMcpServer();
    await using remote = await openRemoteMcpServer({ redirect: `http://127.0.0.1:${target.port}/mcp` });
    await using app = await openWith({
      settings: { mcp_servers: { far: { type: "http", url: `http://127.0.0.1:${remote.port}/mcp`, sessions: "all" } } },
    });
    const { events } = await runScript(app.client, { prompt: { text: script({ say: "Done." }) } });
    expect(notices(events)[0]).toContain("The MCP server far could not be started");
    expect(target.seen).toEqual([]);
  });

  it("that send too much are cut off, and the session goes on", async () => {
    await using remote = await openRemoteMcpServer({ bytes: LIMITS.mcpMessageBytes + 1 });
    await using app = await openWith({
      settings: { mcp_servers: { far: { type: "http", url: `http://127.0.0.1:${remote.port}/mcp`, sessions: "all" } } },
    });
    const { events } = await runScript(app.client, calling, approveWith(app.client));
    expect(outputs(events)[0]).toContain("Its outcome is unknown");
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
  });
});
