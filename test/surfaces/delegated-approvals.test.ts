import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SallyportClient } from "../../src/client/index.ts";
import type { Approval, CreateSession, Policy } from "../../src/protocol/index.ts";
import { openTestApp, script, untilTurnEnds, type TestApp } from "../support/app.ts";
import { connect } from "./mcp/world.ts";
import { Files } from "./mount/world.ts";

type Agent = SallyportClient & { readonly token: string };

const POLICY: Policy = {
  default_profile: "work",
  profiles: {
    work: { autonomy: "supervised", approvers: ["parent"] },
    "no-shell": { tools: ["Read", "Write"], for_agents: true, approvers: ["parent"] },
    quiet: { autonomy: "read_only", for_agents: true, approvers: ["parent"] },
    outside: { for_agents: true, approvers: ["creator"] },
    people: { for_agents: true },
  },
};
const BASH = { tool: "Bash", input: { command: "echo hi" } };

let app: TestApp;
let agent: Agent;
beforeAll(async () => {
  app = await openTestApp();
  await app.client.setPolicy(POLICY);
  agent = await app.as("agent", "mother");
});
afterAll(() => app[Symbol.asyncDispose]());

/** A session of an agent that waits for an answer. */
async function asking(
  settings: CreateSession,
  { by = agent, call = BASH }: { readonly by?: SallyportClient; readonly call?: object } = {},
): Promise<Approval> {
  const { id } = await by.createSession({ ...settings, prompt: { text: script(call, { say: "end" }) } });
  return questionOf(id);
}

/** A session that goes on from another one begins with its questions, too. */
async function questionOf(session_id: string): Promise<Approval> {
  for await (const frame of app.client.watch(session_id)) {
    if (!("seq" in frame) || frame.type !== "approval.requested") continue;
    if (frame.approval.session_id === session_id) return frame.approval;
  }
  throw new Error("nothing was asked");
}

async function childAsking(parent: CreateSession, child: CreateSession = {}, call: object = BASH): Promise<Approval> {
  const { id } = await agent.createSession(parent);
  return asking({ ...child, parent_session_id: id }, { call });
}

const yes = ({ input_hash }: Approval) => ({ decision: "approve" as const, input_hash });

/** An answer that is refused leaves the question open, for a person. */
async function refused(by: SallyportClient, approval: Approval, words: RegExp, more: object = {}): Promise<void> {
  await expect(by.decide(approval.id, { ...yes(approval), ...more })).rejects.toThrow(words);
  expect(await app.client.approval(approval.id)).toMatchObject({ status: "pending" });
  const answered = await app.client.decide(approval.id, { decision: "reject", input_hash: approval.input_hash });
  expect(answered).toMatchObject({ status: "rejected", resolved_by: { role: "admin" } });
}

describe("an agent that answers for the sessions that it began", () => {
  it("as their parent: the call runs, and everybody sees who decided", async () => {
    const approval = await childAsking({});
    const parent_session_id = await parentOf(approval);
    expect(await agent.decide(approval.id, yes(approval))).toMatchObject({
      status: "approved",
      resolved_by: { name: "mother", role: "agent" },
    });
    const events = await untilTurnEnds(app.client, approval.session_id);
    expect(events.find(({ type }) => type === "approval.resolved")).toMatchObject({ by: { name: "mother" } });
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    const { entries } = await app.client.audit({ action: "approval.decide", limit: 1 });
    expect(entries).toMatchObject([
      { by: { name: "mother", role: "agent" }, target: approval.id, details: { as: "parent", parent_session_id } },
    ]);
  });

  it("rejects, with a reason that its child reads", async () => {
    const approval = await childAsking({});
    await agent.decide(approval.id, { decision: "reject", input_hash: approval.input_hash, feedback: "use ls" });
    const events = await untilTurnEnds(app.client, approval.session_id);
    expect(JSON.stringify(events)).toContain("User rejected: use ls");
  });

  it("for a grandchild that it began in a child", async () => {
    const approval = await childAsking({});
    const grandchild = await asking({ parent_session_id: approval.session_id });
    expect(await agent.decide(grandchild.id, yes(grandchild))).toMatchObject({ status: "approved" });
    await agent.decide(approval.id, yes(approval));
  });

  it("as the creator: through the mount's file and the MCP tool, with what it was shown", async () => {
    const files = new Files(app.serving.url, agent.token);
    const first = await asking({ profile: "outside" });
    const folder = `/claude/sessions/${first.session_id}`;
    expect(await files.json(`${folder}/status`)).toMatchObject({ status: "pending_approval", tool: "Bash" });
    await files.write(`${folder}/tools/approve`, { approved: true });
    expect(await app.client.approval(first.id)).toMatchObject({
      status: "approved",
      resolved_by: { name: "mother" },
    });
    const second = await asking({ profile: "outside" });
    const mcp = await connect(app, { door: "http", era: "older" }, agent.token);
    const { session_id, id: request_id, input_hash } = second;
    const answer = { session_id, request_id, input_hash, approved: true };
    await mcp.client.callTool({ name: "claude_approve", arguments: answer });
    expect(await app.client.approval(second.id)).toMatchObject({ status: "approved" });
    const { entries } = await app.client.audit({ action: "approval.decide", limit: 1 });
    expect(entries).toMatchObject([{ details: { as: "creator" } }]);
    await mcp.close();
  });
});

/** The session that an approval's session names as its parent: the newest other one of the same agent. */
async function parentOf({ session_id }: Approval): Promise<string> {
  const { sessions } = await agent.sessions({});
  return sessions.find(({ id }) => id !== session_id)?.id ?? "";
}

describe("never more than it may do itself", () => {
  it.each<[string, CreateSession, RegExp]>([
    ["its profile lacks the tool", { profile: "no-shell" }, /does not give the tool Bash/],
    ["its session was started without the tool", { tools: ["Read"] }, /started without the tool Bash/],
    ["its mode only reads", { permission_mode: "plan" }, /plan mode/],
    ["its session is read-only", { profile: "quiet" }, /read-only/],
    ["its session never asks", { permission_mode: "dontAsk" }, /never asks/],
  ])("where %s", async (_why, parent, words) => {
    await refused(agent, await childAsking(parent, { profile: "work" }), words);
  });

  it("where its session works in another folder", async () => {
    const inner = join(app.place.workspace, "inner");
    await mkdir(inner, { recursive: true });
    const call = { tool: "Write", input: { file_path: join(app.place.workspace, "outer.txt"), content: "x" } };
    const approval = await childAsking({ workspace: inner }, { workspace: app.place.workspace }, call);
    await refused(agent, approval, /outside of the workspace/);
  });

  it("where the policy has become stricter since it was asked", async () => {
    const approval = await childAsking({});
    const work = { ...POLICY.profiles["work"], deny: ["Bash(echo:*)"] };
    await app.client.setPolicy({ ...POLICY, profiles: { ...POLICY.profiles, work } });
    await refused(agent, approval, /denies Bash/);
    await app.client.setPolicy(POLICY);
  });

  it("once, as it was shown, and nothing that only people answer", async () => {
    const broader = await childAsking({});
    await refused(agent, broader, /yes or no, once/, { scope: "session" });
    const edited = await childAsking({});
    await refused(agent, edited, /yes or no, once/, { updated_input: { command: "ls" } });
    const question = {
      question: "Which?",
      header: "H",
      options: [
        { label: "a", description: "a" },
        { label: "b", description: "b" },
      ],
      multiSelect: false,
    };
    const asked = await childAsking({}, {}, { tool: "AskUserQuestion", input: { questions: [question] } });
    await refused(agent, asked, /only a person answers for AskUserQuestion/);
  });
});

describe("never for others, and never for itself", () => {
  it("a session that it began without a parent session is answered by people", async () => {
    await refused(agent, await asking({}), /a person answers for the profile work/);
  });

  it("nothing where the policy does not say so", async () => {
    await refused(agent, await childAsking({}, { profile: "people" }), /a person answers for the profile people/);
  });

  it("another agent sees nothing of it, and cannot name the session as its parent", async () => {
    const approval = await childAsking({});
    const stranger = await app.as("agent", "stranger");
    const parent_session_id = await parentOf(approval);
    await expect(stranger.createSession({ parent_session_id })).rejects.toMatchObject({ code: "not_found" });
    await refused(stranger, approval, /there is no approval/);
  });

  it("a child's own token does not answer for the child", async () => {
    const approval = await childAsking({});
    const child = await app.as("agent", "child");
    await refused(child, approval, /there is no approval/);
  });

  it("sessions of a person are not its children, though they name its session", async () => {
    const { id } = await agent.createSession({});
    const approval = await asking({ parent_session_id: id }, { by: app.client });
    await refused(agent, approval, /there is no approval/);
  });

  it("a fork has no parent, nor has a session that goes on from its own parent", async () => {
    const child = await childAsking({});
    await app.client.decide(child.id, { decision: "reject", input_hash: child.input_hash });
    await untilTurnEnds(app.client, child.session_id);
    const fork = await agent.fork(child.session_id);
    await agent.prompt(fork.id, { text: script(BASH) });
    await refused(agent, await questionOf(fork.id), /a person answers/);
    const { session_id } = child;
    const circle = await asking({ parent_session_id: session_id, resume_session_id: session_id });
    await refused(agent, circle, /a person answers/);
  });

  it("not after its session has ended", async () => {
    const approval = await childAsking({});
    await agent.control(await parentOf(approval), "close");
    await refused(agent, approval, /has ended; a person answers now/);
  });

  it("not after its token is revoked", async () => {
    const revoked = await app.as("agent", "revoked");
    const { id } = await revoked.createSession({});
    const approval = await asking({ parent_session_id: id }, { by: revoked });
    await app.client.deleteToken((await revoked.me()).id);
    await refused(revoked, approval, /token/);
  });

  it("not after the policy was taken back", async () => {
    const approval = await childAsking({});
    await app.client.setPolicy({ ...POLICY, profiles: { ...POLICY.profiles, work: { autonomy: "supervised" } } });
    await refused(agent, approval, /a person answers for the profile work/);
    await app.client.setPolicy(POLICY);
  });

  it("viewers answer nothing, and people's tokens do not answer through a model's tool", async () => {
    const approval = await childAsking({});
    await expect((await app.as("viewer")).decide(approval.id, yes(approval))).rejects.toMatchObject({
      code: "forbidden",
    });
    const mcp = await connect(app, { door: "http", era: "older" }, app.serving.token);
    const { session_id, id: request_id, input_hash } = approval;
    const answer = await mcp.client.callTool({
      name: "claude_approve",
      arguments: { session_id, request_id, input_hash, approved: true },
    });
    expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: "forbidden" } } });
    await mcp.close();
    await app.client.decide(approval.id, yes(approval));
  });
});
