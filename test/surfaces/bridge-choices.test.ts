import { mkdir, realpath, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { EngineView } from "../../src/protocol/index.ts";
import { defaultProvider, engineOf, requireEngine } from "../../src/surfaces/bridge/providers.ts";
import { openTestApp, script, type TestApp } from "../support/app.ts";
import { makePlace, startServer } from "../support/server.ts";
import { BridgeClient } from "./bridge-client.ts";

const engine = (id: string, more: Partial<EngineView> = {}): EngineView => ({
  id,
  available: true,
  wires: ["anthropic"],
  capabilities: {},
  ...more,
});
const codex = engine("codex", { wires: ["openai"] });
const opencode = engine("opencode", { wires: ["anthropic", "openai"] });
const claude = engine("claude-cli");
const gone = (view: EngineView, advice: string): EngineView => ({ ...view, available: false, advice });

describe("the provider of a run", () => {
  it.each<[string, readonly EngineView[], readonly string[], string]>([
    ["Codex where it is installed", [claude, codex, opencode], ["anthropic", "openai"], "codex"],
    ["Claude where Codex is missing", [claude, gone(codex, "not found"), opencode], ["anthropic", "openai"], "claude"],
    ["Claude where the models do not speak Codex's wire", [claude, codex], ["anthropic"], "claude"],
    ["OpenCode where nothing else is", [gone(claude, "x"), opencode], ["anthropic"], "opencode"],
    ["Claude where there is nothing, which says what to do", [], ["anthropic"], "claude"],
  ])("is by default %s", (_, engines, wires, expected) => {
    expect(defaultProvider(engines, wires)).toBe(expected);
  });

  it("is refused with what the engine says about it", () => {
    const engines = [claude, gone(codex, "Codex was not found. Run: sallyport engine install codex")];
    expect(engineOf("codex", engines)).toBeUndefined();
    expect(() => requireEngine("codex", engines)).toThrow(
      "codex cannot be used here: Codex was not found. Run: sallyport engine install codex. " +
        "Or select another provider: claude",
    );
    expect(() => requireEngine("opencode", engines)).toThrow(
      "opencode cannot be used here: this server has no engine opencode. Or select another provider: claude",
    );
    expect(requireEngine("claude", engines)).toBe("claude-cli");
    expect(requireEngine("claude", [gone(claude, "x"), engine("loop")])).toBe("loop");
  });
});

let app: TestApp | undefined;
afterEach(() => app?.[Symbol.asyncDispose]());

/** An app with these settings. */
async function opened(settings: string): Promise<BridgeClient> {
  app = await openTestApp(
    {},
    {
      prepare: async ({ home }) => {
        await mkdir(home, { recursive: true, mode: 0o700 });
        await writeFile(join(home, "sallyport.yaml"), settings, { mode: 0o600 });
        return async () => undefined;
      },
    },
  );
  return new BridgeClient(app);
}

describe("the bridge's settings", () => {
  it("give new runs a profile, and clients a provider and a mapping", async () => {
    const client = await opened("bridge: { profile: reader, provider: claude, mapping: codex }\n");
    const policy = await app?.client.policy();
    if (app === undefined || policy === undefined) throw new Error("no app");
    await app.client.setPolicy({
      ...policy,
      profiles: { ...policy.profiles, reader: { tools: ["Read", "Grep"] } },
    });
    expect(await client.status()).toMatchObject({ provider: "claude", mapping: "codex" });
    await client.submit(script({ say: "hello" }));
    await client.turn();
    expect((await app.client.session(client.thread)).settings.profile).toBe("reader");
    client.close();
  });

  it("are refused with the place that is wrong", async () => {
    await expect(opened("bridge: { provider: grok }\n")).rejects.toThrow(/bridge/);
    await expect(opened("bridge: { colour: red }\n")).rejects.toThrow(/colour/);
  });
});

describe("the folder of a run", () => {
  it("is the root of the repository that the server was started in, unless a setting or `cwd` says otherwise", async () => {
    const place = await makePlace();
    const inside = join(place.workspace, "packages", "app");
    await mkdir(inside, { recursive: true });
    await mkdir(join(place.workspace, ".git"));
    const [root, own] = [await realpath(place.workspace), await realpath(inside)];
    const folders = async (settings: string): Promise<readonly unknown[]> => {
      await mkdir(place.home, { recursive: true, mode: 0o700 });
      await writeFile(join(place.home, "sallyport.yaml"), settings, { mode: 0o600 });
      const server = await startServer({ ...place, workspace: inside });
      const client = new BridgeClient({ serving: server });
      const agent = new BridgeClient({
        serving: { ...server, token: (await server.client.createToken({ role: "agent", name: settings })).token },
      });
      const shown = [(await client.status())["cwd"], (await agent.status())["cwd"]];
      const used: string[] = [];
      for (const more of [{}, { cwd: inside }]) {
        await client.submit(script({ say: "hi" }), more);
        await client.turn();
        used.push((await server.client.session(client.thread)).settings.workspace);
      }
      for (const one of [client, agent]) one.close();
      await server.stop();
      return [...shown, ...used];
    };
    // An agent may not work above the server's own folder.
    expect(await folders("{}\n")).toEqual([root, own, root, own]);
    expect(await folders("bridge: { repository_root: false }\n")).toEqual([own, own, own, own]);
    await place.remove();
  });

  it("is the server's own where nothing around it is a repository, or Sallyport's folder is in it", async () => {
    const client = await opened("{}\n");
    if (app === undefined) throw new Error("no app");
    // The home is beside the workspace: a repository around both is not taken.
    await mkdir(join(dirname(app.place.workspace), ".git"));
    expect((await client.status())["cwd"]).toBe(app.place.workspace);
    client.close();
  });
});

describe("output style and verbosity", () => {
  it("reach the agent's instructions and the rows", async () => {
    const client = await opened("{}\n");
    if (app === undefined) throw new Error("no app");
    await client.say({ control: "options.select", outputStyle: "concise", model: "sim", verbosity: "quiet" });
    expect((await client.until("bridge.status")).at(-1)).toMatchObject({
      output_style: "concise",
      model: "sim",
      verbosity: "quiet",
    });
    await writeFile(join(app.place.workspace, "notes.txt"), "milk\n");
    await client.submit(script({ think: "hm" }, { tool: "Read", input: { file_path: "notes.txt" } }, { say: "end" }));
    const rows = await client.turn();
    expect(rows.map(({ type }) => type)).toEqual([
      "thread.started",
      "turn.started",
      "item.started",
      "item.completed",
      "item.completed",
      "turn.completed",
    ]);
    expect(rows[3]?.["item"]).toMatchObject({
      aggregated_output: expect.stringMatching(/^\[\d+ bytes\]$/),
      exit_code: 0,
    });
    const { settings } = await app.client.session(client.thread);
    expect(settings).toMatchObject({ model: "sim", system_prompt: expect.stringContaining("few words") });
    await client.say({ control: "options.select", outputStyle: null, verbosity: null });
    expect((await client.until("bridge.status")).at(-1)).toMatchObject({
      output_style: "default",
      verbosity: "normal",
    });
    await client.submit(script({ say: "hi" }), { outputStyle: "explanatory" });
    await client.turn();
    expect((await app.client.session(client.thread)).settings.system_prompt).toContain("explain");
    client.close();
  });
});
