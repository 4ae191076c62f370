import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { script } from "../../support/app.ts";
import { scriptedServer } from "../../support/mcp-servers.ts";
import { allow } from "./editor.ts";
import { editorWorld } from "./world.ts";

const world = editorWorld();

describe("an editor's MCP servers", () => {
  it("gives a session the editor's MCP servers", async () => {
    const editor = await world.open({ permission: allow("allow_once") });
    const server = scriptedServer();
    const { sessionId } = await editor.connection.agent.request(methods.agent.session.new, {
      cwd: world.app.place.workspace,
      mcpServers: [
        {
          name: "my things",
          command: process.execPath,
          args: "args" in server ? [...(server.args ?? [])] : [],
          env: [{ name: "COLOUR", value: "heliotrope" }],
        },
      ],
    });
    await editor.prompt(
      sessionId,
      script({ tool: "mcp__my_things__act", input: { do: "environment" } }, { say: "end" }),
    );
    expect(editor.asked).toHaveLength(1);
    expect(JSON.stringify(editor.updates)).toContain("heliotrope");
    expect((await world.app.client.sessionMcpServers(sessionId)).servers).toMatchObject([
      { name: "my_things", from: "session", state: "ready" },
    ]);
  });

  it("says which of the editor's MCP servers the policy does not give", async () => {
    const { token } = await world.app.as("agent", "editor with servers");
    const editor = await world.open({
      words: ["--server", world.app.serving.url, "--token", token, "acp"],
      capabilities: { session: { notices: {} } },
    });
    const { sessionId } = await editor.connection.agent.request(methods.agent.session.new, {
      cwd: world.app.place.workspace,
      mcpServers: [{ name: "files", command: "x", args: [], env: [] }],
    });
    await editor.prompt(sessionId, script({ say: "hi" }));
    expect(editor.updates.find(({ sessionUpdate }) => sessionUpdate === "notice")).toMatchObject({
      sessionUpdate: "notice",
      severity: "warning",
      title: expect.stringContaining("files") as unknown,
    });
  });
});
