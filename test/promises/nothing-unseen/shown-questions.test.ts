import { mkdir, readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { Approval } from "../../../src/protocol/index.ts";
import { openTestApp, script, type TestApp } from "../../support/app.ts";
import { connect } from "../../surfaces/mcp/world.ts";
import { Files } from "../../surfaces/mount/world.ts";

type Message = Record<string, unknown> & { readonly type: string };

let app: TestApp;
let files: Files;
beforeAll(async () => {
  app = await openTestApp();
  files = new Files(app.serving.url, app.serving.token);
});
afterAll(() => app[Symbol.asyncDispose]());

const bash = (command: string): object => ({ tool: "Bash", input: { command } });
const written = (...names: readonly string[]): Promise<string> =>
  readFile(join(app.place.workspace, ...names), "utf8").catch(() => "(absent)");

/** A call that writes through a link which leads to `<name>-docs` at first, and the way to turn that to the hooks of Git. */
async function linkedWrite(name: string): Promise<{ readonly call: object; readonly turn: () => Promise<void> }> {
  const { workspace } = app.place;
  await mkdir(join(workspace, `${name}-docs`));
  await mkdir(join(workspace, ".git", "hooks"), { recursive: true });
  const link = join(workspace, name);
  await symlink(`${name}-docs`, link);
  return {
    call: { tool: "Write", input: { file_path: join(link, name), content: "#!/bin/sh\n" } },
    turn: async () => {
      await rm(link);
      await symlink(join(".git", "hooks"), link);
    },
  };
}

/** The next question of a session, other than those before it. */
async function question(folder: string, before: readonly string[] = []): Promise<Approval> {
  const id = folder.split("/").at(-1) ?? "";
  for await (const frame of app.client.watch(id))
    if (frame.type === "approval.requested" && !before.includes(frame.approval.id)) return frame.approval;
  throw new Error("nothing was asked");
}

/** What became of an answer. */
const answer = (folder: string, words: unknown): Promise<string> =>
  files.write(`${folder}/tools/approve`, words).then(
    () => "taken",
    (error: { errno: string }) => error.errno,
  );

describe("an answer by its hash", () => {
  it("does not reach the question that replaced a changed one: it has the same hash", async () => {
    const { call, turn } = await linkedWrite("hashed");
    const folder = await files.create({ initial_prompt: script(call, { say: "." }) });
    const first = await question(folder);
    const [shown] = await files.json<{ request_id: string; input_hash: string }[]>(`${folder}/tools/pending`);
    expect(shown?.request_id).toBe(first.id);
    await turn();
    const yes = { approved: true, input_hash: shown?.input_hash };
    expect(await answer(folder, yes)).toBe("EBUSY");
    const second = await question(folder, [first.id]);
    expect(second).toMatchObject({ input_hash: first.input_hash, replaces: first.id });
    expect(await answer(folder, yes)).toBe("ESTALE");
    expect(await answer(folder, "approve")).toBe("ESTALE");
    expect(await answer(folder, { ...yes, request_id: first.id })).not.toBe("taken");
    expect(await written(".git", "hooks", "hashed")).toBe("(absent)");
    // It is open, and its hash counts once it was read.
    expect(await files.json(`${folder}/tools/pending`)).toMatchObject([{ request_id: second.id, replaces: first.id }]);
    expect(await answer(folder, { ...yes, approved: false })).toBe("taken");
    await files.until(folder, "idle");
    expect(await written(".git", "hooks", "hashed")).toBe("(absent)");
  });

  it("reaches no question that only another caller was shown, and none that nobody was shown", async () => {
    const folder = await files.create({ initial_prompt: script(bash("echo a > none"), { say: "." }) });
    const { input_hash } = await question(folder);
    const other = new Files(app.serving.url, (await app.as("operator")).token);
    await other.json(`${folder}/tools/pending`);
    expect(await answer(folder, { approved: true, input_hash })).toBe("ESTALE");
    await other.write(`${folder}/tools/approve`, { approved: true, input_hash });
    await files.until(folder, "idle");
    expect(await written("none")).toBe("a\n");
  });
});

describe("a question counts as shown", () => {
  it("where all of it was sent, and not where a part of it was", async () => {
    const { call, turn } = await linkedWrite("parted");
    await turn();
    const folder = await files.create({ initial_prompt: script(call, { say: "." }) });
    const asked = await question(folder);
    const pending = `${folder}/tools/pending`;
    const mcp = await connect(app, { door: "http", era: "older" }, app.serving.token);
    const parts: readonly (() => Promise<unknown>)[] = [
      () => files.http("HEAD", pending),
      () => files.http("HEAD", `${folder}/status`),
      () => files.http("GET", `${pending}?offset=1`),
      () => files.http("GET", `${folder}/status?offset=100`),
      () => files.http("GET", `${pending}?peek=1`),
      () => files.http("GET", `${pending}?stat=1`),
      () => mcp.client.callTool({ name: "claude_read", arguments: { path: pending, limit: 10 } }),
    ];
    for (const part of parts) {
      await part();
      expect([part.toString(), await answer(folder, "approve")]).toEqual([part.toString(), "ESTALE"]);
    }
    await mcp.close();
    // `status` has all that `tools/pending` has.
    const [listed] = await files.json<Record<string, unknown>[]>(pending);
    const status = await files.json(`${folder}/status`);
    expect(status).toMatchObject({ ...listed, request_id: asked.id, reason: asked.reason });
    expect(listed?.["effects"]).not.toEqual([]);
    expect(await answer(folder, "reject")).toBe("taken");
    await files.until(folder, "idle");
  });

  it("in a list until that is answered: a program that reads status meanwhile changes nothing", async () => {
    const folder = await files.create({
      initial_prompt: script(bash("echo a > p1"), bash("echo b > p2"), { say: "." }),
    });
    const first = await question(folder);
    await files.json(`${folder}/tools/pending`);
    await app.client.decide(first.id, { decision: "approve", input_hash: first.input_hash });
    await question(folder, [first.id]);
    await files.json(`${folder}/status`);
    expect(await answer(folder, "approve")).toBe("ESTALE");
    expect(await written("p2")).toBe("(absent)");
    await files.json(`${folder}/tools/pending`);
    expect(await answer(folder, "approve")).toBe("taken");
    await files.until(folder, "idle");
    expect(await written("p2")).toBe("b\n");
  });

  it("goes to the writer that an answer names, and to nobody else", async () => {
    const folder = await files.create({ initial_prompt: script(bash("echo a > q1"), { say: "." }) });
    const { id } = await question(folder);
    await files.json(`${folder}/tools/pending`);
    const put = async (shown: string): Promise<unknown> => {
      const { status, errno } = await files.http("PUT", `${folder}/tools/approve?shown=${shown}`, { body: "approve" });
      return [status, errno];
    };
    expect(await put("")).toEqual([409, "ESTALE"]);
    expect(await put("apr_other")).toEqual([409, "ESTALE"]);
    const called = await files.http("POST", `${folder}/tools/approve?shown=`, {
      body: "approve",
      headers: { accept: "application/json" },
    });
    expect(called.errno).toBe("ESTALE");
    expect(await put("nonsense")).toEqual([400, "EINVAL"]);
    expect(await put(Array.from({ length: 101 }, () => id).join(","))).toEqual([400, "EINVAL"]);
    expect(await put(id)).toEqual([204, null]);
    await files.until(folder, "idle");
  });

  it("with every character to be seen", async () => {
    const command = "echo a\u200Bb \u202E\u{E0041} \u0085é";
    const folder = await files.create({ initial_prompt: script(bash(command), { say: "." }) });
    await question(folder);
    for (const file of ["status", "tools/pending"]) {
      const text = await files.text(`${folder}/${file}`);
      expect([file, text]).toEqual([
        file,
        expect.stringContaining(String.raw`"command": "echo a\u200bb \u202e\udb40\udc41 \u0085é"`),
      ]);
      expect(JSON.stringify(JSON.parse(text))).toContain(JSON.stringify(command));
    }
    expect(await answer(folder, "reject")).toBe("taken");
    await files.until(folder, "idle");
    expect(await files.text(`${folder}/tools/log`)).toContain(String.raw`a\u200bb`);
  });
});

describe("on document 001's socket", () => {
  it("an answer whose question had changed does not reach the one that took its place", async () => {
    const { call, turn } = await linkedWrite("socket");
    const { url, token } = app.serving;
    const socket = new WebSocket(`${url.replace("http", "ws")}/api/terminal/ws/agent?token=${token}`);
    const said: Message[] = [];
    let changed: () => void = () => undefined;
    socket.on("message", (data: Buffer) => {
      said.push(JSON.parse(data.toString()) as Message);
      changed();
    });
    const next = async (...types: readonly string[]): Promise<Message> => {
      for (;;) {
        const at = said.findIndex(({ type }) => types.includes(type));
        const [found] = at === -1 ? [] : said.splice(0, at + 1).slice(-1);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => {
          changed = resolve;
        });
      }
    };
    const say = (message: object): void => socket.send(JSON.stringify(message));
    await next("connected");
    say({ command: "run", prompt: script(call, { say: "." }) });
    const shown = await next("tool_approval_request");
    await turn();
    say({ command: "permission_response", approved: true });
    const replacing = await next("tool_approval_request");
    expect(replacing["request_id"]).not.toBe(shown["request_id"]);
    say({ command: "permission_response", approved: true });
    // Shown again, and not taken.
    expect((await next("tool_approval_request"))["request_id"]).toBe(replacing["request_id"]);
    expect(await next("error")).toMatchObject({ code: "input_changed" });
    expect(await written(".git", "hooks", "socket")).toBe("(absent)");
    say({ command: "permission_response", approved: false });
    await next("done");
    expect(await written(".git", "hooks", "socket")).toBe("(absent)");
    socket.close();
  });
});
