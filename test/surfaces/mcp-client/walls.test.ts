import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { approveWith, runScript, script } from "../../support/app.ts";
import { scriptedServer } from "../../support/mcp-servers.ts";
import { describeWithWalls } from "../../support/walls.ts";
import { openWith, outputs } from "./world.ts";

describeWithWalls("MCP servers behind walls", () => {
  it("run in the session's sandbox: they see their own files and the workspace, and nothing of the server", async () => {
    const server = scriptedServer();
    const [file = ""] = "args" in server ? (server.args ?? []) : [];
    await using app = await openWith({
      settings: { mcp_servers: { things: { ...server, files: [dirname(file)], sessions: "all" } } },
    });
    const paths = [join(app.place.home, "sallyport.yaml"), join(app.place.home, "mcp"), app.place.workspace, file];
    const { session, events } = await runScript(
      app.client,
      {
        sandbox: "bubblewrap",
        prompt: {
          text: script(
            { tool: "mcp__things__act", input: { do: "environment" } },
            { tool: "mcp__things__act", input: { do: "exists", paths } },
            { say: "Done." },
          ),
        },
      },
      approveWith(app.client),
    );
    expect(session.settings.sandbox).toBe("bubblewrap");
    const [environment = "", seen = ""] = outputs(events);
    expect(environment).not.toContain(app.serving.token);
    expect(environment).toContain("HTTPS_PROXY");
    expect(JSON.parse(seen)).toEqual([false, false, true, true]);
  });
});
