import {
  methods,
  RequestError,
  type SessionConfigOption,
  type SetSessionConfigOptionResponse,
} from "@agentclientprotocol/sdk";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { script } from "../../support/app.ts";
import { allow } from "./editor.ts";
import { editorWorld } from "./world.ts";

const world = editorWorld();

const BASH = script({ tool: "Bash", input: { command: "echo hi" } }, { say: "never" });

/** What became of the session's only question. */
async function questionOf(session_id: string): Promise<unknown> {
  const { approvals } = await world.app.client.approvals({ session_id });
  return approvals.map(({ status, feedback, interrupt, resolved_by }) => ({
    status,
    feedback,
    interrupt,
    by: resolved_by?.name,
  }));
}

describe("a question that the editor does not answer", () => {
  it.each([
    ["closed", async () => ({ outcome: { outcome: "cancelled" as const } }), "the editor closed the question"],
    [
      "answered with an error",
      () => Promise.reject(new RequestError(-32_000, "nobody is here")),
      "the editor closed the question",
    ],
    ["answered with what was not offered", allow("allow_all"), "the editor gave an answer that was not offered"],
  ])("ends the turn when it is %s, and says why", async (_how, permission, feedback) => {
    const editor = await world.open({ permission });
    const { sessionId } = await editor.newSession(world.app.place.workspace);
    expect(await editor.prompt(sessionId, BASH)).toEqual({ stopReason: "cancelled" });
    expect(await questionOf(sessionId)).toEqual([{ status: "rejected", feedback, interrupt: true, by: "first admin" }]);
    // The session is still good.
    expect(await editor.prompt(sessionId, script({ say: "again" }))).toEqual({ stopReason: "end_turn" });
    expect(editor.spoken()).toBe("again");
  });

  it("ends the prompts of the editor that wait behind it, too", async () => {
    let close: (() => void) | undefined;
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    const editor = await world.open({
      permission: async () => {
        await closed;
        return { outcome: { outcome: "cancelled" } };
      },
    });
    const { sessionId } = await editor.newSession(world.app.place.workspace);
    const first = editor.prompt(sessionId, BASH);
    await editor.until(() => editor.asked.length > 0);
    const second = editor.prompt(sessionId, script({ say: "never" }));
    for await (const frame of world.app.client.watch(sessionId)) if (frame.type === "turn.queued") break;
    close?.();
    expect([await first, await second]).toEqual([{ stopReason: "cancelled" }, { stopReason: "cancelled" }]);
    expect((await world.app.client.session(sessionId)).queue).toEqual([]);
  });

  it("of a turn that somebody else began, leaves it open for others", async () => {
    const session = await world.app.client.createSession({ workspace: world.app.place.workspace });
    const { turn_id } = await world.app.client.prompt(session.id, { text: BASH });
    const editor = await world.open();
    await editor.connection.agent.request(methods.agent.session.load, {
      sessionId: session.id,
      cwd: world.app.place.workspace,
      mcpServers: [],
    });
    await editor.until(() => editor.asked.length > 0);
    // Its answer has been taken once a later request of the editor is answered.
    await editor.connection.agent.request(methods.agent.session.list, {});
    expect(await world.app.client.session(session.id)).toMatchObject({ status: "pending_approval", turn_id });
    await world.app.client.control(session.id, "interrupt");
  });
});

describe("what an editor can choose", () => {
  const values = (options: readonly SessionConfigOption[] | null | undefined): Record<string, unknown> =>
    Object.fromEntries((options ?? []).map(({ id, currentValue }) => [id, currentValue]));

  it("offers mode, model and reading, and changes each", async () => {
    const editor = await world.open();
    const { sessionId, configOptions } = await editor.newSession(world.app.place.workspace);
    expect(configOptions).toMatchObject([
      { id: "mode", category: "mode", type: "select", currentValue: "default" },
      { id: "model", category: "model", type: "select", currentValue: "sim", options: [{ value: "sim", name: "sim" }] },
      { id: "reads", type: "select", currentValue: "allow" },
    ]);
    const set = async (configId: string, value: string): Promise<Record<string, unknown>> => {
      const answer = await editor.connection.agent.request<SetSessionConfigOptionResponse>(
        methods.agent.session.setConfigOption,
        { sessionId, configId, value },
      );
      return values(answer.configOptions);
    };
    expect(await set("mode", "plan")).toEqual({ mode: "plan", model: "sim", reads: "allow" });
    expect(await set("model", "sim-2")).toEqual({ mode: "plan", model: "sim-2", reads: "allow" });
    expect(await set("reads", "ask")).toEqual({ mode: "plan", model: "sim-2", reads: "ask" });
    expect((await world.app.client.session(sessionId)).settings).toMatchObject({
      permission_mode: "plan",
      model: "sim-2",
      ask_reads: true,
    });
  });

  it("tells of changes that others made, and of none twice", async () => {
    const editor = await world.open();
    const { sessionId } = await editor.newSession(world.app.place.workspace);
    await world.app.client.configure(sessionId, { model: "sim-3" });
    await world.app.client.configure(sessionId, { permission_mode: "acceptEdits" });
    const told = (): readonly unknown[] =>
      editor.updates.flatMap((update) =>
        update.sessionUpdate === "config_option_update" ? [values(update.configOptions)] : [],
      );
    await editor.until(() => told().length === 2);
    expect(told()).toEqual([
      { mode: "default", model: "sim-3", reads: "allow" },
      { mode: "acceptEdits", model: "sim-3", reads: "allow" },
    ]);
    const again = await editor.connection.agent.request(methods.agent.session.resume, {
      sessionId,
      cwd: world.app.place.workspace,
      mcpServers: [],
    });
    expect(values(again.configOptions)).toEqual({ mode: "acceptEdits", model: "sim-3", reads: "allow" });
  });

  it.each([
    ["mode", "wild", "there is no mode wild"],
    ["reads", "never", "reads cannot be never"],
    ["colour", "red", "there are: mode, model, reads"],
  ])("refuses %s %s, and changes nothing", async (configId, value, words) => {
    const editor = await world.open();
    const { sessionId } = await editor.newSession(world.app.place.workspace);
    const before = (await world.app.client.session(sessionId)).settings;
    await expect(
      editor.connection.agent.request(methods.agent.session.setConfigOption, { sessionId, configId, value }),
    ).rejects.toMatchObject({ code: -32_602, message: expect.stringContaining(words) as unknown });
    expect((await world.app.client.session(sessionId)).settings).toEqual(before);
  });
});

describe("commands", () => {
  it("tells them after the session is there", async () => {
    const editor = await world.open();
    await editor.newSession(world.app.place.workspace);
    const told = (): readonly unknown[] =>
      editor.updates.flatMap((update) =>
        update.sessionUpdate === "available_commands_update" ? [update.availableCommands.map(({ name }) => name)] : [],
      );
    await editor.until(() => told().length > 0);
    expect(told()).toEqual([["plan", "mode", "model", "context", "usage"]]);
  });

  it("tells those of the workspace too, and shows what it tells the agent", async () => {
    const workspace = join(world.app.place.workspace, "instructed");
    await mkdir(join(workspace, ".claude/commands"), { recursive: true });
    await writeFile(join(workspace, "CLAUDE.md"), "Be brief.\n");
    await writeFile(join(workspace, ".claude/commands/review.md"), "---\nargument-hint: <file>\n---\nReview $1.\n");
    const editor = await world.open();
    const { sessionId } = await editor.newSession(workspace);
    const told = (): readonly unknown[] =>
      editor.updates.flatMap((update) =>
        update.sessionUpdate === "available_commands_update" ? [update.availableCommands.at(-1)] : [],
      );
    await editor.until(() => told().length > 1);
    expect(told().at(-1)).toEqual({ name: "review", description: "Review $1.", input: { hint: "<file>" } });
    await editor.prompt(sessionId, "/context");
    expect(editor.spoken()).toContain("- CLAUDE.md (instructions): ");
  });

  it("runs them without the model, and sends every other word to it", async () => {
    const editor = await world.open();
    const { sessionId } = await editor.newSession(world.app.place.workspace);
    const said = async (text: string): Promise<string> => {
      const before = editor.spoken().length;
      expect(await editor.prompt(sessionId, text)).toEqual({ stopReason: "end_turn" });
      return editor.spoken().slice(before);
    };
    expect(await said("/model sim-9")).toBe("The model is sim-9. Change it with `/model <model>`:\n- sim");
    expect(await said("/mode acceptEdits")).toContain("- **acceptEdits**: Changes files without asking");
    expect(await said("/usage")).toBe(
      [
        "- Requests: 0",
        "- Tokens: 0 in, 0 out, 0 read from the cache, 0 written to it",
        "- Cost: spent $0.00",
        "- Budget: no limit of its own",
      ].join("\n"),
    );
    expect((await world.app.client.session(sessionId)).turns).toBe(0);
    expect(await said("/plan")).toContain("The mode is plan");
    expect(await said(`/plan ${script({ say: "a plan" })}`)).toBe("a plan");
    await said("/review the code");
    const { settings, turns } = await world.app.client.session(sessionId);
    expect({ mode: settings.permission_mode, model: settings.model, turns }).toEqual({
      mode: "plan",
      model: "sim-9",
      turns: 2,
    });
    const { events } = await world.app.client.events(sessionId);
    expect(events.flatMap((event) => (event.type === "turn.started" ? [event.prompt.text] : []))).toEqual([
      script({ say: "a plan" }),
      "/review the code",
    ]);
  });

  it("refuses a mode that there is not, and changes nothing", async () => {
    const editor = await world.open();
    const { sessionId } = await editor.newSession(world.app.place.workspace);
    await expect(editor.prompt(sessionId, "/mode wild")).rejects.toMatchObject({ code: -32_602 });
    expect((await world.app.client.session(sessionId)).settings.permission_mode).toBeUndefined();
  });
});
