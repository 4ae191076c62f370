import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { caller } from "../../support/caller.ts";
import { openTestApp, script } from "../../support/app.ts";
import type { Gateway } from "../../../src/sessions/index.ts";
import type { MountContext } from "../../../src/surfaces/mount/context.ts";
import { create } from "../../../src/surfaces/mount/create.ts";
import { worldOf, type Files, type MountWorld } from "./world.ts";

const TUNNEL = `
mounts:
  /claude:
    type: claude
    access: budgeted
    tunnels: [{ id: here, url: "ws://127.0.0.1:9/claude", auth: none }]
`;

let world: MountWorld;
let files: Files;
beforeAll(async () => {
  const app = await openTestApp();
  await writeFile(join(app.place.home, "sallyport.yaml"), TUNNEL);
  await app.restart();
  world = worldOf(app);
  files = world.admin;
});
afterAll(() => world[Symbol.asyncDispose]());

describe("a session's files", () => {
  it("status tells what a session does", async () => {
    const folder = await files.create({ initial_prompt: script({ delay_ms: 60_000 }, { say: "never" }) });
    const session_id = folder.split("/").at(-1);
    expect(await files.until(folder, "working")).toMatchObject({ session_id, status: "working" });
    await files.write(`${folder}/ctl`, "interrupt");
    await files.until(folder, "idle");
    await files.write(
      `${folder}/prompt`,
      script({ say: "a" }, { error: { status: 400, message: "it is odd", times: 9 } }),
    );
    await files.outputUntilIdle(folder);
    // A turn that failed does not end its session; what went wrong stands in `error`.
    expect(await files.json(`${folder}/status`)).toMatchObject({ session_id, status: "idle" });
    expect(await files.text(`${folder}/error`)).toContain("it is odd");
    await files.write(`${folder}/ctl`, "stop");
    expect(await files.json(`${folder}/status`)).toMatchObject({ session_id, status: "complete" });
  });

  it("a turn that fails is told by an error chunk", async () => {
    const prompt = script({ say: "a" }, { error: { status: 400, message: "it is odd", times: 9 } });
    const folder = await files.create({ initial_prompt: prompt });
    for await (const { chunk } of files.mount.watch(`${folder}/output`)) {
      if (chunk.chunk_type !== "error") continue;
      expect(JSON.stringify(chunk)).toContain("it is odd");
      return;
    }
    throw new Error("no error was told");
  });

  it("a session has what its request says", async () => {
    const folder = await files.create({
      model: "claude-sonnet-4-20250514",
      provider: "sim",
      system_prompt: "Speak Latin.",
      tools: [{ name: "Read", description: "reads files" }, { name: "Grep" }],
      max_context_tokens: 50_000,
      max_cost_usd: 2_000_000,
      autonomy: "restricted",
    });
    const { settings } = await world.app.client.session(folder.split("/").at(-1) ?? "");
    expect(settings).toMatchObject({
      model: "claude-sonnet-4-20250514",
      provider: "sim",
      system_prompt: "Speak Latin.\n\nWhat your tools are for here:\n- Read: reads files",
      tools: ["Read", "Grep"],
      max_context_tokens: 50_000,
      max_cost_microusd: 2_000_000,
      autonomy: "restricted",
    });
    const plain = await files.create({});
    const { settings: left } = await world.app.client.session(plain.split("/").at(-1) ?? "");
    expect([left.autonomy, left.system_prompt, left.tools]).toEqual(["supervised", undefined, undefined]);
  });

  it("context sums up the conversation", async () => {
    const folder = await files.create({ tools: [{ name: "Read" }], initial_prompt: script({ say: "It is blue." }) });
    await files.outputUntilIdle(folder);
    expect(await files.json(`${folder}/context`)).toMatchObject({
      session_id: folder.split("/").at(-1),
      latest_response: "It is blue.",
      turns: 1,
      queued: [],
      model: "sim",
      tools: ["Read"],
    });
  });

  it("goes on with the session that the request names", async () => {
    const first = await files.create({ initial_prompt: script({ say: "The first half." }) });
    await files.outputUntilIdle(first);
    const again = await files.create({
      resume_session_id: first.split("/").at(-1),
      initial_prompt: script({ say: "The second half." }),
    });
    expect(await files.outputUntilIdle(again)).toBe("The first half.\nThe second half.\n");
  });
});

describe("what stands around sessions", () => {
  it("a tunnel without authentication counts as authorised", async () => {
    expect(await files.json("/claude/auth/status")).toEqual([
      { tunnel_id: "here", auth_type: "none", authorized: true },
    ]);
  });

  it("the tunnel provider says what it is", async () => {
    expect(await files.json("/claude/providers/tunnel/info")).toMatchObject({
      id: "tunnel",
      name: "Tunnel to Local Proxy",
      capabilities: { streaming: true, resume: true, fork: true, tools: true, vision: true },
      pricing: null,
      status: "unavailable",
    });
  });

  it("the cloud provider knows the document's models", async () => {
    const models = await files.json<{ id: string; context_length: number; pricing: object }[]>(
      "/claude/providers/cloud/models",
    );
    const known = models.filter(({ id }) => /^claude-(sonnet-4|opus-4-5)/.test(id));
    expect(known.length).toBeGreaterThanOrEqual(2);
    for (const { context_length } of known) expect(context_length).toBeGreaterThanOrEqual(200_000);
  });
});

describe("making a session", () => {
  it("a session that is not made in time is refused, and ended when it comes", async () => {
    const ended: string[] = [];
    let made: (view: { readonly id: string }) => void = () => undefined;
    const closed = new Promise<void>((resolve) => {
      const sessions = {
        create: () =>
          new Promise((answer) => {
            made = answer;
          }),
        close: async (_caller: unknown, id: string) => {
          ended.push(id);
          resolve();
        },
      };
      const gateway = {
        sessions,
        policy: { get: () => ({ default_profile: "full", profiles: { full: {} } }) },
        providers: {
          offered: async () => [
            { id: "sim", available: true, hosts: [], isDefault: true, defaultModel: "sim", priced: { from: "free" } },
          ],
        },
      } as unknown as Gateway;
      const context = { gateway, path: "/claude", setting: undefined, making: new Map() } as unknown as MountContext;
      const request = JSON.stringify({ model: "sim", timeout_ms: 1 });
      void expect(create(context, caller("tok_1", "admin"), request))
        .rejects.toMatchObject({ code: "timed_out", message: expect.stringContaining("within 1 ms; try again") })
        .then(() => made({ id: "ses_late" }), resolve);
    });
    await closed;
    expect(ended).toEqual(["ses_late"]);
  });
});
