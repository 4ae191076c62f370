import { describe, expect, it } from "vitest";
import { approveWith, runScript, script, type TestApp } from "../../support/app.ts";
import { scriptedServer } from "../../support/mcp-servers.ts";
import { openWith, outputs } from "./world.ts";

const server = scriptedServer();
const [, program = ""] = "args" in server ? ["", `${process.execPath} ${server.args?.[0] ?? ""}`] : [];
const policy = {
  default_profile: "full",
  profiles: {
    full: {
      mcp_commands: [program, "npx -y some-server"],
      mcp_hosts: ["mcp.example.com", "*.example.org", "127.0.0.1:7"],
    },
  },
};
const settings = { mcp_servers: { kept: { ...server }, open: { ...server, sessions: "all" } } };

describe("what a session request may name", () => {
  const refused: readonly (readonly [string, object, string])[] = [
    ["another program", { command: "bash", args: ["-c", "id"] }, "does not let sessions start bash as an MCP server"],
    ["another script", { command: process.execPath, args: ["/tmp/evil.js"] }, "does not let sessions start"],
    ["a program without its arguments", { command: process.execPath }, "does not let sessions start"],
    [
      "a package that begins alike",
      { command: "npx", args: ["-y", "some-server-evil"] },
      "does not let sessions start npx",
    ],
    ["variables", { ...server, env: { NODE_OPTIONS: "--import=/tmp/evil.js" } }, "only an admin sets variables"],
    ["a folder outside", { ...server, cwd: ".." }, "cwd .. is not inside of the workspace"],
    ["another host", { type: "http", url: "https://evil.example/mcp" }, "an MCP server at evil.example:443"],
    [
      "another port",
      { type: "http", url: "https://mcp.example.com:8443/mcp" },
      "an MCP server at mcp.example.com:8443",
    ],
    ["no TLS", { type: "http", url: "http://a.example.org/mcp" }, "without TLS must be named in mcp_hosts"],
    ["a server that the profile does not name", { type: "settings" }, "the profile does not give the MCP server"],
  ];

  it.each(refused)("refuses an agent %s", async (_what, wanted, words) => {
    await using app = await openWith({ settings, policy });
    const agent = await app.as("agent");
    const name = "type" in wanted && wanted.type === "settings" ? "kept" : "things";
    await expect(agent.createSession({ mcp_servers: { [name]: wanted } as never })).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining(words),
    });
    expect((await app.client.sessions({ limit: 10 })).sessions).toEqual([]);
  });

  it("lets an agent have what the profile allows, and an admin any program", async () => {
    await using app = await openWith({ settings, policy });
    const agent = await app.as("agent");
    const mine = await agent.createSession({
      mcp_servers: {
        things: server,
        far: { type: "http", url: "https://mcp.example.com/mcp" },
        open: { type: "settings" },
      },
    });
    expect((await agent.sessionMcpServers(mine.id)).servers.map(({ name, state }) => [name, state])).toEqual([
      ["open", "waiting"],
      ["things", "waiting"],
      ["far", "waiting"],
    ]);
    const any = await app.client.createSession({
      mcp_servers: { any: { command: "anything" }, kept: { type: "settings" } },
    });
    expect((await app.client.sessionMcpServers(any.id)).servers.map(({ name }) => name)).toEqual([
      "open",
      "any",
      "kept",
    ]);
  });

  it("takes a server away when the policy becomes stricter", async () => {
    await using app = await openWith({ settings, policy });
    const agent = await app.as("agent");
    const { session } = await runScript(agent, {
      mcp_servers: { things: server },
      prompt: { text: script({ say: "Hello." }) },
    });
    await app.client.setPolicy({ default_profile: "full", profiles: { full: {} } });
    expect((await agent.sessionMcpServers(session.id)).servers).toMatchObject([
      { name: "open" },
      { name: "things", state: "refused", tools: [], error: expect.stringContaining("does not let sessions start") },
    ]);
  });

  it.each([
    [{ a__b: server }, "mcp_servers"],
    [{ sallyport: server }, "our own tools"],
    [{ things: { command: "" } }, "mcp_servers.things"],
    [{ things: { url: "https://a.example/" } }, "mcp_servers.things"],
    [{ things: { type: "http", url: "ftp://a.example/" } }, "https://"],
    [{ things: { type: "http", url: "https://me:pass@a.example/" } }, "cannot hold a password"],
    [{ things: { type: "http", url: "https://a.example/", headers: { Host: "b" } } }, "cannot be set"],
    [{ things: { ...server, tools: { act: "read" } } }, "tools"],
  ])("says what is wrong with %j", async (mcp_servers, words) => {
    await using app = await openWith({});
    await expect(app.client.createSession({ mcp_servers } as never)).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining(words),
    });
  });
});

describe("names of foreign tools are not trusted", () => {
  const tools = ["list_files", "search_web", "act"].map((name) => ({
    name,
    annotations: { readOnlyHint: true },
    inputSchema: { type: "object" },
  }));
  const listing = {
    mcp_servers: {
      sly: { ...scriptedServer({ tools }), sessions: "all" },
      known: { ...scriptedServer({ tools }), sessions: "all", tools: { list_files: "read" } },
    },
  };
  const calls = (app: TestApp, profile: object): ReturnType<typeof runScript> =>
    runScript(
      app.client,
      {
        ...profile,
        prompt: {
          text: script(
            { tool: "mcp__sly__list_files", input: {} },
            { tool: "mcp__known__list_files", input: {} },
            { tool: "mcp__known__search_web", input: {} },
            { say: "Done." },
          ),
        },
      },
      approveWith(app.client),
    );

  it.each([{ profile: "readonly" }, { permission_mode: "plan" as const }])(
    "in %j only a tool that the settings call reading runs, whatever its name and its hints",
    async (wanted) => {
      await using app = await openWith({ settings: listing });
      const { session, events } = await calls(app, wanted);
      expect(outputs(events)).toEqual([
        expect.stringContaining("Denied by policy"),
        "echo {}",
        expect.stringContaining("Denied by policy"),
      ]);
      expect(events.some(({ type }) => type === "approval.requested")).toBe(false);
      expect(session.settings.mcp_servers).toBeUndefined();
    },
  );
});
