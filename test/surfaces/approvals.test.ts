import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Approval, JournalEvent } from "../../src/protocol/index.ts";
import { approveWith, openTestApp, runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";
import { TEST_TOKEN } from "../support/server.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const write = (name: string, content: string): object => ({
  tool: "Write",
  input: { file_path: join(app.place.workspace, name), content },
});
const results = (events: readonly JournalEvent[]): readonly unknown[] =>
  events.flatMap((event) =>
    event.type === "item.completed" && "tool_use_id" in event.item ? [[event.item.status, event.item.output?.[0]]] : [],
  );

describe("approvals", () => {
  it("rejects with feedback that the model reads, and goes on", async () => {
    const { events } = await runScript(
      app.client,
      { prompt: { text: script(write("r.txt", "x"), { say: "understood" }) } },
      ({ id, input_hash }) => app.client.decide(id, { decision: "reject", input_hash, feedback: "use another file" }),
    );
    expect(results(events)).toEqual([["declined", { type: "text", text: "User rejected: use another file" }]]);
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    await expect(readFile(join(app.place.workspace, "r.txt"))).rejects.toThrow("ENOENT");
  });

  it("rejects and stops", async () => {
    const { events } = await runScript(
      app.client,
      { prompt: { text: script(write("s.txt", "x"), { say: "never said" }) } },
      ({ id, input_hash }) => app.client.decide(id, { decision: "reject", input_hash, interrupt: true }),
    );
    expect(events.at(-1)).toMatchObject({ type: "turn.failed", error: { code: "rejected_and_stopped" } });
  });

  it("runs what a person made of it", async () => {
    const { events } = await runScript(
      app.client,
      { prompt: { text: script(write("e.txt", "draft"), { say: "ok" }) } },
      ({ id, input_hash, input }) =>
        app.client.decide(id, { decision: "approve", input_hash, updated_input: { ...input, content: "edited" } }),
    );
    expect(await readFile(join(app.place.workspace, "e.txt"), "utf8")).toBe("edited");
    expect(
      events.findLast((event) => event.type === "item.completed" && event.item.type === "file_change"),
    ).toMatchObject({
      item: { input: { content: "draft" }, approved_input: { content: "edited" }, status: "completed" },
    });
  });

  it("does not let an edit walk around the policy", async () => {
    const refusals: unknown[] = [];
    await runScript(
      app.client,
      { prompt: { text: script(write("w.txt", "x"), { say: "ok" }) } },
      async ({ id, input_hash, input }) => {
        for (const updated_input of [{ ...input, file_path: "/etc/sallyport-test" }, { nonsense: 1 }, {}]) {
          refusals.push(
            await app.client
              .decide(id, { decision: "approve", input_hash, updated_input })
              .catch((error: unknown) => error),
          );
        }
        await app.client.decide(id, { decision: "reject", input_hash });
      },
    );
    expect(refusals).toMatchObject([
      { code: "invalid_request" },
      { code: "invalid_request" },
      { code: "invalid_request" },
    ]);
  });

  it("grants exactly the shown rule for the session", async () => {
    const command = { tool: "Bash", input: { command: "echo granted" } };
    const asked: Approval[] = [];
    const { session, events } = await runScript(
      app.client,
      { prompt: { text: script(command, command, { tool: "Bash", input: { command: "echo other" } }, { say: "ok" }) } },
      (approval) => {
        asked.push(approval);
        return app.client.decide(approval.id, {
          decision: "approve",
          input_hash: approval.input_hash,
          scope: "session",
        });
      },
    );
    expect(asked.map(({ input, session_rule }) => [input["command"], session_rule])).toEqual([
      ["echo granted", "Bash(echo granted)"],
      ["echo other", "Bash(echo other)"],
    ]);
    expect((await app.client.session(session.id)).grants).toEqual(["Bash(echo granted)", "Bash(echo other)"]);
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
  });

  it("takes the first answer only, and only for what was shown", async () => {
    const answers: unknown[] = [];
    await runScript(
      app.client,
      { prompt: { text: script({ tool: "Bash", input: { command: "true" } }, { say: "ok" }) } },
      async ({ id, input_hash }) => {
        answers.push(
          await app.client
            .decide(id, { decision: "approve", input_hash: "0".repeat(64) })
            .catch((error: unknown) => error),
        );
        const both = await Promise.allSettled([
          app.client.decide(id, { decision: "approve", input_hash }),
          app.client.decide(id, { decision: "reject", input_hash }),
        ]);
        answers.push(
          ...both.map((settled) => (settled.status === "fulfilled" ? settled.value.status : settled.reason)),
        );
        answers.push(await app.client.decide(id, { decision: "approve", input_hash }).catch((error: unknown) => error));
      },
    );
    expect(answers).toMatchObject([
      { code: "input_changed" },
      "approved",
      { code: "already_answered" },
      { code: "already_answered" },
    ]);
    await expect(app.client.decide("apr_unknown", { decision: "approve", input_hash: "x" })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  it("asks a person a question and gives the answer to the model", async () => {
    const questions = [
      {
        question: "Which one?",
        header: "Pick",
        options: [
          { label: "A", description: "a" },
          { label: "B", description: "b" },
        ],
        multiSelect: false,
      },
    ];
    const { events } = await runScript(
      app.client,
      { autonomy: "full", prompt: { text: script({ tool: "AskUserQuestion", input: { questions } }, { say: "ok" }) } },
      (approval) => {
        expect(approval.preview).toMatchObject({ type: "question", questions });
        return app.client.decide(approval.id, {
          decision: "approve",
          input_hash: approval.input_hash,
          updated_input: { questions, answers: { "Which one?": "B" } },
        });
      },
    );
    expect(JSON.stringify(results(events))).toContain("B");
  });

  it("does not take the model's own answer for a person's", async () => {
    const questions = [
      {
        question: "May I?",
        header: "Leave",
        options: [
          { label: "Yes", description: "y" },
          { label: "No", description: "n" },
        ],
        multiSelect: false,
      },
    ];
    const { events } = await runScript(
      app.client,
      {
        prompt: {
          text: script({ tool: "AskUserQuestion", input: { questions, answers: { "May I?": "Yes" } } }, { say: "ok" }),
        },
      },
      approveWith(app.client),
    );
    expect(results(events)).toEqual([["failed", { type: "text", text: "No answer was given." }]]);
  });

  it("knows a tool by its other names too", async () => {
    const full = (await app.client.policy()).profiles["full"] ?? {};
    await app.client.setPolicy({ default_profile: "full", profiles: { lonely: { ...full, deny: ["Task"] } } });
    const task = { description: "below", prompt: "hi", subagent_type: "general-purpose" };
    for (const tool of ["Task", "Agent"]) {
      const { events } = await runScript(app.client, {
        profile: "lonely",
        autonomy: "full",
        prompt: { text: script({ tool, input: task }, { say: "ok" }) },
      });
      expect(JSON.stringify(results(events))).toContain("Denied by policy");
    }
  });

  it("times out by name, and the model is told", async () => {
    const impatient = { ...(await app.client.policy()).profiles["full"], approval_timeout_ms: 1_000 };
    await app.client.setPolicy({ default_profile: "full", profiles: { impatient } });
    const asked: Approval[] = [];
    const { events } = await runScript(
      app.client,
      { profile: "impatient", prompt: { text: script({ tool: "Bash", input: { command: "true" } }, { say: "ok" }) } },
      async (approval) => {
        asked.push(approval);
      },
    );
    const [approval] = asked;
    if (approval === undefined) throw new Error("nothing was asked");
    expect(events.find(({ type }) => type === "approval.resolved")).toMatchObject({
      outcome: "timed_out",
      by: { role: "system" },
    });
    expect(JSON.stringify(results(events))).toContain("Approval timeout");
    expect((await app.client.approval(approval.id)).status).toBe("timed_out");
    await expect(
      app.client.decide(approval.id, { decision: "approve", input_hash: approval.input_hash }),
    ).rejects.toMatchObject({ code: "timed_out" });
  });

  it("waits across a restart with its preview, and the turn goes on with the answer", async () => {
    const session = await app.client.createSession({
      unattended: "park",
      prompt: { text: script(write("restart.txt", "kept\n"), { say: "after the restart" }) },
    });
    let asked: Approval | undefined;
    for await (const frame of app.client.watch(session.id)) {
      if (frame.type !== "approval.requested") continue;
      asked = frame.approval;
      break;
    }
    await app.restart();
    const { approvals } = await app.client.approvals({ status: "pending", session_id: session.id });
    expect(approvals).toEqual([asked]);
    expect((await app.client.session(session.id)).status).toBe("pending_approval");
    const events = await untilTurnEnds(app.client, session.id, { answer: approveWith(app.client) });
    expect(await readFile(join(app.place.workspace, "restart.txt"), "utf8")).toBe("kept\n");
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    expect(events.filter(({ type }) => type === "turn.resumed")).toMatchObject([{ restarts: 0, synthetic: true }]);
  });

  it("does not run what a restart could not keep whole, nor take an edit that could not be kept", async () => {
    const secret = TEST_TOKEN;
    const session = await app.client.createSession({
      prompt: { text: script(write("secret.txt", secret), { say: "understood" }) },
    });
    const nextQuestion = async (): Promise<Approval> => {
      for await (const frame of app.client.watch(session.id))
        if (frame.type === "approval.requested") return frame.approval;
      throw new Error("nothing was asked");
    };
    const { id, input, input_hash } = await nextQuestion();
    const updated_input = { ...input, content: secret };
    await expect(app.client.decide(id, { decision: "approve", input_hash, updated_input })).rejects.toMatchObject({
      code: "invalid_request",
    });
    await app.restart();
    await app.client.decide(id, { decision: "approve", input_hash }).catch(() => undefined);
    const events = await untilTurnEnds(app.client, session.id);
    expect(JSON.stringify(results(events))).toContain("held a secret");
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    await expect(readFile(join(app.place.workspace, "secret.txt"))).rejects.toThrow("ENOENT");
  });

  it("takes a sub-agent up again whose question waited across a restart", async () => {
    const inner = script({ tool: "Bash", input: { command: "echo below >> below.txt" } }, { say: "inner done" });
    const task = { tool: "Task", input: { description: "below", prompt: inner, subagent_type: "general-purpose" } };
    const session = await app.client.createSession({ prompt: { text: script(task, { say: "outer done" }) } });
    for await (const frame of app.client.watch(session.id)) {
      if (frame.type !== "approval.requested") continue;
      if (frame.approval.tool === "Bash") break;
      await approveWith(app.client)(frame.approval);
    }
    await app.restart();
    const { approvals } = await app.client.approvals({ status: "pending", session_id: session.id });
    expect(approvals.map(({ tool }) => tool)).toEqual(["Bash"]);
    const [waiting] = approvals;
    if (waiting !== undefined) await approveWith(app.client)(waiting);
    const events = await untilTurnEnds(app.client, session.id);
    expect(await readFile(join(app.place.workspace, "below.txt"), "utf8")).toBe("below\n");
    const said = events.flatMap((event) =>
      event.type === "item.completed" && event.item.type === "agent_message" ? [event.item.text] : [],
    );
    expect(said).toEqual(["inner done", "outer done"]);
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
  });

  it("cancels what waits when the turn is interrupted", async () => {
    const session = await app.client.createSession({
      prompt: { text: script({ tool: "Bash", input: { command: "true" } }) },
    });
    const events = await untilTurnEnds(app.client, session.id, {
      answer: () => app.client.control(session.id, "interrupt"),
    });
    expect(events.find(({ type }) => type === "approval.resolved")).toMatchObject({ outcome: "cancelled" });
    expect(events.at(-1)).toMatchObject({ type: "turn.failed", error: { code: "aborted" } });
  });

  it("brings a sub-agent's question to the same inbox", async () => {
    const inner = script({ tool: "Bash", input: { command: "echo from below" } }, { say: "inner done" });
    const { events } = await runScript(
      app.client,
      {
        prompt: {
          text: script(
            { tool: "Task", input: { description: "below", prompt: inner, subagent_type: "general-purpose" } },
            { say: "outer done" },
          ),
        },
      },
      approveWith(app.client),
    );
    const asked = events.flatMap((event) => (event.type === "approval.requested" ? [event.approval.tool] : []));
    expect(asked).toEqual(["Task", "Bash"]);
    const task = events.find((event) => event.type === "item.started" && event.item.type === "subagent");
    const below = events.filter(
      (event) =>
        event.type === "item.started" && task?.type === "item.started" && event.item.parent_id === task.item.id,
    );
    expect(below.length).toBeGreaterThan(1);
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
  });

  it("keeps an audit of who decided what", async () => {
    const response = await fetch(`${app.serving.url}/api/audit?action=approval.decide&limit=1`, {
      headers: { authorization: `Bearer ${app.serving.token}` },
    });
    expect(await response.json()).toMatchObject({
      entries: [
        {
          action: "approval.decide",
          by: { role: "admin" },
          details: { decision: expect.any(String), input_hash: expect.any(String) },
        },
      ],
    });
  });
});
