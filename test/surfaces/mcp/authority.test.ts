import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Role } from "../../../src/protocol/index.ts";
import { openTestApp, script, type TestApp } from "../../support/app.ts";
import { call, connect, DOORS, type Connected } from "./world.ts";

let app: TestApp;
/** Somebody else's session, with a question that waits. */
let others: string;

beforeAll(async () => {
  app = await openTestApp();
  const stranger = await app.as("agent", "stranger");
  const view = await stranger.createSession({ prompt: { text: script({ tool: "Bash", input: { command: "true" } }) } });
  others = view.id;
  for await (const frame of app.client.watch(others)) if (frame.type === "approval.requested") break;
});

afterAll(() => app[Symbol.asyncDispose]());

/** Each tool with an input that is right, so that only who calls decides. `claude_stop` comes last. */
const CALLS: readonly { readonly tool: string; readonly input: (session_id: string) => object }[] = [
  { tool: "claude_prompt", input: (session_id) => ({ session_id, prompt: script({ say: "hi" }) }) },
  { tool: "claude_wait", input: (session_id) => ({ session_id, timeout_ms: 0 }) },
  { tool: "claude_read", input: (session_id) => ({ path: `/claude/sessions/${session_id}/status` }) },
  { tool: "claude_fork", input: (session_id) => ({ session_id }) },
  { tool: "claude_stop", input: (session_id) => ({ session_id }) },
];

async function outcomes(mcp: Connected, session_id: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const { tool, input } of CALLS) found[tool] = outcome(await call(mcp, tool, input(session_id)));
  return found;
}

function outcome(answer: Readonly<Record<string, unknown>>): string {
  return answer["failed"] === true ? (answer["error"] as { readonly code: string }).code : "ok";
}

const all = (word: string): Readonly<Record<string, string>> =>
  Object.fromEntries(CALLS.map(({ tool }) => [tool, word]));

describe.each(DOORS)("who may use which tool, over $door in the $era form", (door) => {
  it.each([
    { role: "admin", create: "ok", anothers: all("ok") },
    { role: "operator", create: "ok", anothers: all("ok") },
    { role: "agent", create: "ok", anothers: all("not_found") },
    { role: "viewer", create: "forbidden", anothers: { ...all("forbidden"), claude_wait: "ok", claude_read: "ok" } },
  ] as const satisfies readonly { readonly role: Role; readonly create: string; readonly anothers: object }[])(
    "$role",
    async ({ role, create, anothers }) => {
      const { token } = await app.as(role, `${role} ${door.door} ${door.era}`);
      const mcp = await connect(app, door, token);
      const created = await call(mcp, "claude_new", { model: "sim" });
      expect(outcome(created)).toBe(create);
      if (create === "ok") expect(await outcomes(mcp, String(created["session_id"]))).toEqual(all("ok"));
      const { id } = await app.client.createSession({});
      expect(await outcomes(mcp, id)).toEqual(anothers);
      await mcp.close();
    },
  );

  it("shows an agent its own sessions only, in lists, files and subscriptions", async () => {
    const { token } = await app.as("agent", `reader ${door.door} ${door.era}`);
    const mcp = await connect(app, door, token);
    const own = String((await call(mcp, "claude_new", { model: "sim" }))["session_id"]);
    const { resources } = await mcp.client.listResources();
    const sessions = resources.flatMap(({ uri }) => /^claude:\/\/\/sessions\/([^/]+)/.exec(uri)?.[1] ?? []);
    expect(new Set(sessions)).toEqual(new Set([own]));
    const folder = await call(mcp, "claude_read", { path: "/claude/sessions" });
    expect(folder).toMatchObject({ entries: [{ name: own }] });
    for (const file of ["status", "response", "output", "context", "error", "usage", "tools/log", "tools/pending"]) {
      const uri = `claude:///sessions/${others}/${file}`;
      await expect(mcp.client.readResource({ uri })).rejects.toThrow(/there is no/);
      await expect(mcp.subscribe(uri)).rejects.toThrow(/there is no/);
      expect(outcome(await call(mcp, "claude_read", { path: uri }))).toBe("not_found");
    }
    await mcp.close();
  });

  it("lets no agent approve, widen what it may do, or spend more than it has", async () => {
    const { token } = await app.as("agent", `child ${door.door} ${door.era}`);
    const mcp = await connect(app, door, token);
    const asking = script({ tool: "Bash", input: { command: "echo hi" } }, { say: "end" });
    const created = await call(mcp, "claude_new", { model: "sim", initial_prompt: asking, max_cost_usd: 1_000_000 });
    const session_id = String(created["session_id"]);
    expect(await call(mcp, "claude_wait", { session_id })).toMatchObject({ status: "pending_approval" });
    const tried: Readonly<Record<string, object>> = {
      "read the file to approve": { tool: "claude_read", input: { path: `sessions/${session_id}/tools/approve` } },
      "more autonomy": { tool: "claude_new", input: { model: "sim", autonomy: "full" } },
      "the whole disk": { tool: "claude_new", input: { model: "sim", workspace: "/" } },
      "another's budget": { tool: "claude_new", input: { model: "sim", parent_session_id: others } },
      "another's past": { tool: "claude_new", input: { model: "sim", resume_session_id: others } },
      "more than its parent has": {
        tool: "claude_new",
        input: { model: "sim", parent_session_id: session_id, max_cost_usd: 1_000_001 },
      },
    };
    const found: Record<string, string> = {};
    for (const [what, { tool, input }] of Object.entries(tried) as [string, { tool: string; input: object }][])
      found[what] = outcome(await call(mcp, tool, input));
    expect(found).toEqual({
      "read the file to approve": "forbidden",
      "more autonomy": "forbidden",
      "the whole disk": "forbidden",
      "another's budget": "not_found",
      "another's past": "not_found",
      "more than its parent has": "budget_exceeded",
    });
    const child = await call(mcp, "claude_new", { model: "sim", parent_session_id: session_id, max_cost_usd: 400_000 });
    const usage = await app.client.sessionUsage(String(child["session_id"]));
    expect(usage.budgets.map(({ kind }) => kind)).toContain("parent");
    expect((await app.client.approvals({ status: "pending", session_id })).approvals.length).toBe(1);
    await mcp.close();
  });
});
