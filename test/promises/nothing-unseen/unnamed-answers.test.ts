import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { Approval } from "../../../src/protocol/index.ts";
import { openTestApp, script, type TestApp } from "../../support/app.ts";
import { Files } from "../../surfaces/mount/world.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

type Message = Record<string, unknown> & { readonly type: string };

const bash = (command: string): object => ({ tool: "Bash", input: { command } });
const written = (name: string): Promise<string> =>
  readFile(join(app.place.workspace, name), "utf8").catch(() => "(absent)");

/** The next question of a session, other than those before it. */
async function question(session_id: string, before: readonly string[] = []): Promise<Approval> {
  for await (const frame of app.client.watch(session_id))
    if (frame.type === "approval.requested" && !before.includes(frame.approval.id)) return frame.approval;
  throw new Error("nothing was asked");
}

const approve = ({ id, input_hash }: Approval): Promise<Approval> =>
  app.client.decide(id, { decision: "approve", input_hash });

class Socket {
  readonly #socket: WebSocket;
  readonly #said: Message[] = [];
  #changed: () => void = () => undefined;

  constructor() {
    const { url, token } = app.serving;
    this.#socket = new WebSocket(`${url.replace("http", "ws")}/api/terminal/ws/agent?token=${token}`);
    this.#socket.on("message", (data: Buffer) => {
      this.#said.push(JSON.parse(data.toString()) as Message);
      this.#changed();
    });
  }

  say(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  async next(...types: readonly string[]): Promise<Message> {
    for (;;) {
      const at = this.#said.findIndex(({ type }) => types.includes(type));
      const [found] = at === -1 ? [] : this.#said.splice(0, at + 1).slice(-1);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  close(): void {
    this.#socket.close();
  }
}

describe("an answer that names no question means what its sender was shown", () => {
  it("at the mount: not a question that came after the one that was read", async () => {
    const files = new Files(app.serving.url, app.serving.token);
    const folder = await files.create({
      initial_prompt: script(bash("echo a > m1"), bash("echo b > m2"), { say: "." }),
    });
    const id = folder.split("/").at(-1) ?? "";
    const first = await question(id);
    const refused = (text: string): Promise<unknown> =>
      files.write(`${folder}/tools/approve`, text).then(
        () => "taken",
        (error: { errno: string }) => error.errno,
      );
    expect(await refused("approve")).toBe("ESTALE");
    expect(await files.json(`${folder}/tools/pending`)).toMatchObject([{ request_id: first.id, tool: "Bash" }]);
    await approve(first);
    const second = await question(id, [first.id]);
    expect(await refused("approve")).toBe("ESTALE");
    expect(await refused('{"approved": true}')).toBe("ESTALE");
    expect(await written("m2")).toBe("(absent)");
    expect(await files.text(`${folder}/error`)).toContain(second.id);
    // Named, or read again, it counts.
    expect(await files.json(`${folder}/status`)).toMatchObject({ tool: "Bash", params: { command: "echo b > m2" } });
    // Whoever was shown a list answers that list: a program may read status beside it.
    expect(await refused("approve")).toBe("ESTALE");
    expect(await files.json(`${folder}/tools/pending`)).toMatchObject([{ params: { command: "echo b > m2" } }]);
    expect(await refused("approve")).toBe("taken");
    await files.until(folder, "idle");
    expect([await written("m1"), await written("m2")]).toEqual(["a\n", "b\n"]);
  });

  it("on document 001's socket: not the one that took the place of what was on show", async () => {
    const socket = new Socket();
    await socket.next("connected");
    socket.say({ command: "run", prompt: script(bash("echo a > s1"), bash("echo b > s2"), { say: "." }) });
    const shown = await socket.next("tool_approval_request");
    await approve(await app.client.approval(String(shown["request_id"])));
    const next = await socket.next("tool_approval_request");
    socket.say({ command: "permission_response", approved: true });
    // It is shown again, and the answer was not taken.
    expect((await socket.next("tool_approval_request"))["request_id"]).toBe(next["request_id"]);
    expect(await socket.next("error")).toMatchObject({ code: "input_changed" });
    expect(await written("s2")).toBe("(absent)");
    socket.say({ command: "permission_response", approved: true });
    await socket.next("done");
    expect([await written("s1"), await written("s2")]).toEqual(["a\n", "b\n"]);
    socket.close();
  });

  it("on document 001's socket: one answer is not taken for two questions", async () => {
    const socket = new Socket();
    await socket.next("connected");
    socket.say({ command: "run", prompt: script(bash("echo a > t1"), bash("echo b > t2"), { say: "." }) });
    await socket.next("tool_approval_request");
    socket.say({ command: "permission_response", approved: true });
    socket.say({ command: "permission_response", approved: true });
    expect(await socket.next("error")).toMatchObject({ type: "error" });
    expect(await written("t2")).toBe("(absent)");
    socket.say({ command: "cancel" });
    await socket.next("done");
    socket.close();
  });
});

describe("document 001's modes", () => {
  it("hold for each run, continued or not, and status says which one is in force", async () => {
    const socket = new Socket();
    await socket.next("connected");
    const status = async (): Promise<unknown> => {
      socket.say({ command: "status" });
      const { permission_mode, auto_approve_safe } = (await socket.next("status"))["session_info"] as Message;
      return [permission_mode, auto_approve_safe];
    };
    const read = { tool: "Grep", input: { pattern: "x", path: "." } };
    socket.say({ command: "run", prompt: script({ say: "." }), permission_mode: "bypassPermissions" });
    await socket.next("done");
    expect(await status()).toEqual(["bypassPermissions", true]);
    socket.say({ command: "run", prompt: script(bash("echo free > u1"), { say: "." }) });
    await socket.next("done");
    socket.say({ command: "run", prompt: script(bash("echo asked > u2"), { say: "." }), permission_mode: "default" });
    expect(await socket.next("tool_approval_request", "done")).toMatchObject({ tool_name: "Bash" });
    expect(await status()).toEqual(["default", true]);
    socket.say({ command: "permission_response", approved: false });
    await socket.next("done");
    socket.say({ command: "run", prompt: script(read, { say: "." }), auto_approve_safe: false });
    expect(await socket.next("tool_approval_request", "done")).toMatchObject({ tool_name: "Grep" });
    expect(await status()).toEqual(["default", false]);
    socket.say({ command: "permission_response", approved: true });
    await socket.next("done");
    socket.say({ command: "run", prompt: script(read, { say: "." }), auto_approve_safe: true });
    expect(await socket.next("tool_approval_request", "done")).toMatchObject({ type: "done" });
    expect([await written("u1"), await written("u2")]).toEqual(["free\n", "(absent)"]);
    socket.close();
  });
});
