import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Approval } from "../../../src/protocol/index.ts";
import { approveWith, openTestApp, runScript, script, untilTurnEnds } from "../../support/app.ts";
import { filesBelow } from "../../support/files-below.ts";
import { scriptedServer } from "../../support/mcp-servers.ts";
import { until } from "../../support/until.ts";
import { notices, openWith, outputs } from "./world.ts";

const act = (input: object): object => ({ tool: "mcp__things__act", input });

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("MCP servers of a session request", () => {
  it("gives the model their tools, asks a person, and runs the call", async () => {
    await using app = await openTestApp();
    const asked: Approval[] = [];
    const { session, events } = await runScript(
      app.client,
      {
        mcp_servers: { things: scriptedServer() },
        prompt: { text: script(act({ do: "echo", n: 1 }), { say: "Done." }) },
      },
      (approval) => {
        asked.push(approval);
        return approveWith(app.client)(approval);
      },
    );
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    expect(asked.map(({ tool, tier, input }) => ({ tool, tier, input }))).toEqual([
      { tool: "mcp__things__act", tier: "execute", input: { do: "echo", n: 1 } },
    ]);
    expect(outputs(events)).toEqual(['echo {"do":"echo","n":1}']);
    expect(await app.client.sessionMcpServers(session.id)).toEqual({
      servers: [
        {
          name: "things",
          from: "session",
          transport: "stdio",
          state: "ready",
          title: "scripted",
          tools: [{ name: "mcp__things__act", tier: "execute" }],
        },
      ],
    });
  });

  it("keeps values of variables out of the journal, the database and every answer, and gives them to the server", async () => {
    await using app = await openTestApp();
    const secret = "hunter2-hunter2-hunter2";
    const server = { ...scriptedServer(), env: { THE_TOKEN: secret } };
    const { session, events } = await runScript(
      app.client,
      { mcp_servers: { things: server }, prompt: { text: script(act({ do: "environment" }), { say: "Done." }) } },
      approveWith(app.client),
    );
    expect(session.settings.mcp_servers).toMatchObject({ things: { env: { THE_TOKEN: "(set)" } } });
    const [seen = ""] = outputs(events);
    expect(seen).toContain('"THE_TOKEN":"[redacted]"');
    expect(seen).not.toContain("SALLYPORT_TOKEN");
    expect(JSON.stringify(await app.client.session(session.id))).not.toContain(secret);
    await app.stop();
    const holding = [];
    for (const path of await filesBelow(app.place.home))
      if ((await readFile(path, "utf8").catch(() => "")).includes(secret)) holding.push(path);
    expect(holding).toEqual([join(app.place.home, "mcp", session.id, "values.json")]);
  });

  it("ends the server's process with the session, and its values with it", async () => {
    await using app = await openTestApp();
    const pidFile = join(app.place.workspace, "pid");
    const server = { ...scriptedServer({ pidFile }), env: { A: "value-of-a-variable" } };
    const { session } = await runScript(app.client, {
      mcp_servers: { things: server },
      prompt: { text: script({ say: "Hello." }) },
    });
    const pid = Number(await readFile(pidFile, "utf8"));
    expect(isAlive(pid)).toBe(true);
    await app.client.control(session.id, "close");
    await until(() => !isAlive(pid));
    await app.client.deleteSession(session.id);
    expect((await filesBelow(join(app.place.home, "mcp"))).length).toBe(0);
  });

  it("goes on without a server that fails, says so, and tries it again with the next turn", async () => {
    await using app = await openTestApp();
    const { session, events } = await runScript(app.client, {
      mcp_servers: {
        broken: scriptedServer({ exitAtStart: 7, stderr: "no such file: config.json\n" }),
        absent: { command: "no-such-program-anywhere" },
        things: scriptedServer(),
      },
      prompt: { text: script({ say: "Hello." }) },
    });
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    expect(notices(events).toSorted()).toEqual([
      expect.stringContaining("The MCP server absent could not be started:"),
      "The MCP server broken could not be started: it ended with exit code 7; it said last: no such file: config.json",
    ]);
    const { servers } = await app.client.sessionMcpServers(session.id);
    expect(servers.map(({ name, state }) => [name, state])).toEqual([
      ["broken", "failed"],
      ["absent", "failed"],
      ["things", "ready"],
    ]);
    await app.client.prompt(session.id, { text: script({ say: "Again." }) });
    const again = await untilTurnEnds(app.client, session.id, { after: events.at(-1)?.seq ?? 0 });
    expect(notices(again).length).toBe(2);
  });

  it("opens servers again after a restart, with their values, also in a fork", async () => {
    await using app = await openTestApp();
    const server = { ...scriptedServer(), env: { COLOUR: "heliotrope" } };
    const { session } = await runScript(app.client, {
      mcp_servers: { things: server },
      prompt: { text: script({ say: "Hello." }) },
    });
    const fork = await app.client.fork(session.id, {});
    await app.restart();
    expect((await app.client.sessionMcpServers(session.id)).servers).toMatchObject([{ state: "waiting" }]);
    for (const { id } of [session, fork]) {
      const { seq } = await app.client.prompt(id, { text: script(act({ do: "environment" }), { say: "Done." }) });
      const events = await untilTurnEnds(app.client, id, { after: seq, answer: approveWith(app.client) });
      expect(outputs(events)[0]).toContain('"COLOUR":"heliotrope"');
    }
  });

  it("never runs a call again that had begun when the server stopped", async () => {
    await using app = await openTestApp({ SALLYPORT_DRAIN_SECONDS: "0" });
    const file = join(app.place.workspace, "record");
    const session = await app.client.createSession({
      mcp_servers: { things: scriptedServer() },
      prompt: { text: script(act({ do: "record", file }), act({ do: "hang", file }), { say: "Done." }) },
    });
    // The restart cuts its stream.
    void untilTurnEnds(app.client, session.id, { answer: approveWith(app.client) }).catch(() => undefined);
    await until(async () => (await readFile(file, "utf8").catch(() => "")).includes("hangs"));
    await app.restart();
    const events = await untilTurnEnds(app.client, session.id);
    expect(await readFile(file, "utf8")).toBe("ran\nhangs\n");
    expect(outputs(events).at(-1)).toContain("The server stopped while this tool ran, so its outcome is unknown.");
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
  });
});

describe("MCP servers of the settings", () => {
  const settings = {
    mcp_servers: {
      everywhere: { ...scriptedServer(), sessions: "all", tools: { act: "read" } },
      named: { ...scriptedServer(), env: { SECRET: { credential_env: "NAMED_SECRET" } } },
    },
  };
  const policy = { default_profile: "full", profiles: { full: { mcp_servers: ["named"] }, bare: {} } };

  it("are there for all sessions or for those whose profile names them; only the settings say what is harmless", async () => {
    await using app = await openWith({ settings, policy }, { NAMED_SECRET: "a-secret-of-the-server" });
    const asked: string[] = [];
    const { session, events } = await runScript(
      app.client,
      {
        prompt: {
          text: script(
            { tool: "mcp__everywhere__act", input: { n: 1 } },
            { tool: "mcp__named__act", input: { do: "environment" } },
            { say: "Done." },
          ),
        },
      },
      (approval) => {
        asked.push(approval.tool);
        return approveWith(app.client)(approval);
      },
    );
    expect(asked).toEqual(["mcp__named__act"]);
    expect(outputs(events)[0]).toBe('echo {"n":1}');
    expect(outputs(events)[1]).toContain('"SECRET":"[redacted]"');
    const { servers } = await app.client.sessionMcpServers(session.id);
    expect(servers.map(({ name, from, state, tools }) => ({ name, from, state, tools }))).toEqual([
      { name: "everywhere", from: "settings", state: "ready", tools: [{ name: "mcp__everywhere__act", tier: "read" }] },
      { name: "named", from: "profile", state: "ready", tools: [{ name: "mcp__named__act", tier: "execute" }] },
    ]);
    const bare = await app.client.createSession({ profile: "bare" });
    expect((await app.client.sessionMcpServers(bare.id)).servers.map(({ name }) => name)).toEqual(["everywhere"]);
  });

  it("can be asked for by name, and cannot be replaced", async () => {
    await using app = await openWith({ settings, policy }, { NAMED_SECRET: "a-secret-of-the-server" });
    const asked = await app.client.createSession({ profile: "bare", mcp_servers: { named: { type: "settings" } } });
    expect((await app.client.sessionMcpServers(asked.id)).servers.map(({ name }) => name)).toEqual([
      "everywhere",
      "named",
    ]);
    await expect(app.client.createSession({ mcp_servers: { named: scriptedServer() } })).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("mcp_servers.named: the settings of this server have an MCP server named"),
    });
    await expect(app.client.createSession({ mcp_servers: { unheard_of: { type: "settings" } } })).rejects.toMatchObject(
      {
        message: "mcp_servers.unheard_of: sallyport.yaml has no MCP server unheard_of; it has: everywhere, named",
      },
    );
  });
});
