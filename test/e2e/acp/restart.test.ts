import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { openTestApp, script } from "../../support/app.ts";
import { ownPort } from "../../support/port.ts";
import { makePlace, startServer } from "../../support/server.ts";
import { allow, Editor } from "./editor.ts";

describe("an editor that comes back", () => {
  it("loads a session after the server was restarted: all of it, once, and the question that waited", async () => {
    await using app = await openTestApp();
    const open = (permission?: Parameters<typeof allow>[0]): Promise<Editor> =>
      Editor.open({
        words: ["--server", app.serving.url, "--token", app.serving.token, "acp"],
        folder: app.place.workspace,
        ...(permission === undefined ? {} : { permission: allow(permission) }),
      });
    const first = await open();
    const { sessionId } = await first.newSession(app.place.workspace);
    await first.prompt(
      sessionId,
      script({ think: "Hm." }, { say: "One. " }, { tool: "Glob", input: { pattern: "*" } }, { say: "Two." }),
    );
    const target = join(app.place.workspace, "late.txt");
    const lost = first.prompt(
      sessionId,
      script({ say: "Three. " }, { tool: "Write", input: { file_path: target, content: "late\n" } }, { say: "Four." }),
    );
    lost.catch(() => undefined);
    await first.until(() => first.asked.length > 0);
    await first.leave();
    await app.restart();

    const second = await open("allow_once");
    const { modes } = await second.connection.agent.request(methods.agent.session.load, {
      sessionId,
      cwd: app.place.workspace,
      mcpServers: [],
    });
    expect(modes?.currentModeId).toBe("default");
    expect(second.spoken("user_message_chunk").match(/Do as told/g)?.length).toBe(2);
    await second.until(() => second.spoken().endsWith("Four."));
    expect(second.spoken()).toBe("One. Two.Three. Four.");
    expect(second.spoken("agent_thought_chunk")).toBe("Hm.");
    expect(await readFile(target, "utf8")).toBe("late\n");
    expect(second.calls()).toMatchObject([
      { name: "Glob", status: "completed" },
      { name: "Write", status: "completed", content: [{ type: "diff", path: target, oldText: null, newText: "late" }] },
    ]);
    expect(second.asked.length).toBe(1);
    expect(await second.prompt(sessionId, script({ say: "Five." }))).toEqual({ stopReason: "end_turn" });
    await second.leave();
  });

  it("goes on by itself when the server is killed under it and comes back", async () => {
    const place = await makePlace();
    const environment = { SALLYPORT_PORT: String(await ownPort()) };
    let server = await startServer(place, environment);
    try {
      const editor = await Editor.open({
        words: ["--server", server.url, "--token", server.token, "acp"],
        folder: place.workspace,
      });
      const { sessionId } = await editor.newSession(place.workspace);
      const turn = editor.prompt(
        sessionId,
        script({ say: "Before. " }, { tool: "Glob", input: { pattern: "*" } }, { delay_ms: 4_000 }, { say: "After." }),
      );
      await editor.until(() => editor.calls()[0]?.["status"] === "completed");
      await server.kill();
      server = await startServer(place, environment);
      expect(await turn).toEqual({ stopReason: "end_turn" });
      expect(editor.spoken()).toBe("Before. After.");
      expect(editor.calls().length).toBe(1);
      await editor.leave();
    } finally {
      await server.stop();
      await place.remove();
    }
  });
});

describe("the real command", () => {
  it("is a whole conversation without a server, over standard input and output alone", async () => {
    const place = await makePlace();
    try {
      const environment = { SALLYPORT_HOME: place.home };
      const target = join(place.workspace, "hello.txt");
      const editor = await Editor.open({
        words: ["acp"],
        folder: place.workspace,
        environment,
        permission: allow("allow_once"),
        spawned: true,
      });
      const { sessionId } = await editor.newSession(place.workspace);
      const turn = await editor.prompt(
        sessionId,
        script({ tool: "Write", input: { file_path: target, content: "hello\n" } }, { say: "Written." }),
      );
      expect(turn).toEqual({ stopReason: "end_turn" });
      expect(await readFile(target, "utf8")).toBe("hello\n");
      const working = editor.prompt(sessionId, script({ say: "Long." }, { delay_ms: 60_000 }));
      await editor.until(() => editor.spoken().endsWith("Long."));
      await editor.cancel(sessionId);
      expect(await working).toEqual({ stopReason: "cancelled" });
      expect(await editor.leave()).toEqual({ code: 0, stderr: "" });
      for (const line of editor.stdout.trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });

      const again = await Editor.open({ words: ["acp"], folder: place.workspace, environment, spawned: true });
      await again.connection.agent.request(methods.agent.session.load, {
        sessionId,
        cwd: place.workspace,
        mcpServers: [],
      });
      expect(again.spoken()).toBe("Written.Long.");
      // An editor that is closed in the middle of a turn: the turn that only this process drove has ended.
      const dropped = again.prompt(sessionId, script({ say: "Dropped." }, { delay_ms: 60_000 }));
      dropped.catch(() => undefined);
      await again.until(() => again.spoken().endsWith("Dropped."));
      expect(await again.leave()).toMatchObject({ code: 0 });
    } finally {
      await place.remove();
    }
  });

  it("leaves a turn to the server that drives it", async () => {
    const place = await makePlace();
    const server = await startServer(place);
    try {
      const editor = await Editor.open({
        words: ["--server", server.url, "--token", server.token, "acp"],
        folder: place.workspace,
        spawned: true,
      });
      const { sessionId } = await editor.newSession(place.workspace);
      const turn = editor.prompt(sessionId, script({ say: "Working." }, { delay_ms: 60_000 }));
      turn.catch(() => undefined);
      await editor.until(() => editor.spoken() === "Working.");
      expect(await editor.leave()).toMatchObject({ code: 0 });
      expect((await server.client.session(sessionId)).status).toBe("working");
      await server.client.control(sessionId, "close");
    } finally {
      await server.stop();
      await place.remove();
    }
  });

  it("says on standard error what is wrong, and nothing on standard output", async () => {
    const place = await makePlace();
    try {
      const { spawnSync } = await import("node:child_process");
      const ended = spawnSync(
        process.execPath,
        ["dist/cli/main.js", "--server", "http://127.0.0.1:9", "--token", "x", "acp"],
        { env: { PATH: process.env["PATH"], HOME: place.home }, encoding: "utf8", timeout: 20_000 },
      );
      expect({ status: ended.status, stdout: ended.stdout }).toEqual({ status: 1, stdout: "" });
      expect(ended.stderr).toContain("no Sallyport server answers");
    } finally {
      await place.remove();
    }
  });
});
