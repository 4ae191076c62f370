import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { LiveConnection, SallyportClient } from "../../src/client/index.ts";
import type { CreateToken, Policy, TokenCreated } from "../../src/protocol/index.ts";
import { approveWith, openTestApp, runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";

let app: TestApp;
let shipped: Policy;
beforeAll(async () => {
  app = await openTestApp();
  shipped = await app.client.policy();
});
beforeEach(() => app.client.setPolicy(shipped));
afterAll(() => app[Symbol.asyncDispose]());

type Holder = SallyportClient & { readonly made: TokenCreated };

async function make(wanted: CreateToken, maker: SallyportClient = app.client): Promise<Holder> {
  const made = await maker.createToken(wanted);
  return Object.assign(new SallyportClient({ url: app.serving.url, token: made.token }), { made });
}

async function outcome(act: Promise<unknown>): Promise<string> {
  return act.then(
    () => "done",
    (error: { code: string }) => error.code,
  );
}

const say = { text: script({ say: "hi" }) };

describe("what a token is bound to", () => {
  it("is told with it, and holds for its sessions", async () => {
    const root = join(app.place.workspace, "inner");
    await mkdir(root, { recursive: true });
    const bounds = {
      profile: "readonly",
      max_autonomy: "restricted",
      tools: ["Read", "mcp__*"],
      workspace_roots: [root],
      system_prompt: "Be brief.",
      max_cost_microusd: 5_000_000,
      max_cost_microusd_per_day: 1_000_000,
      max_cost_microusd_per_session: 300_000,
      max_concurrent: 9,
      model_rate: { requests_per_minute: 30 },
    } as const;
    const { made, ...agent } = await make({
      role: "agent",
      name: "ci",
      expires_in_s: 600,
      ...bounds,
      tools: [...bounds.tools],
      workspace_roots: [...bounds.workspace_roots],
    });
    expect(made).toMatchObject({ role: "agent", name: "ci", bounds, expires_at: expect.any(String) as unknown });
    expect(Object.keys(agent)).not.toContain("token");
    const client = new SallyportClient({ url: app.serving.url, token: made.token });
    expect(await client.me()).toMatchObject({ bounds, expires_at: made.expires_at });
    const session = await client.createSession({
      tools: ["Read", "Bash", "mcp__shop__cart"],
      max_cost_microusd: 900_000_000,
    });
    expect(session.settings).toMatchObject({
      profile: "readonly",
      autonomy: "restricted",
      tools: ["Read", "mcp__shop__cart"],
      workspace: root,
      system_prompt: "Be brief.",
      max_cost_microusd: 300_000,
    });
    const refused = [
      client.createSession({ profile: "full" }),
      client.createSession({ autonomy: "supervised" }),
      client.createSession({ workspace: app.place.workspace }),
      client.createSession({ system_prompt: "Be long." }),
    ];
    expect(await Promise.all(refused.map(outcome))).toEqual(refused.map(() => "forbidden"));
  });

  it("holds a folder for what it was, wherever a link leads later", async () => {
    const [real, link] = [join(app.place.workspace, "real"), join(app.place.workspace, "link")];
    await mkdir(real);
    await symlink(real, link);
    const agent = await make({ role: "agent", name: "linked", workspace_roots: [link] });
    expect(agent.made.bounds.workspace_roots).toEqual([real]);
    expect(await outcome(make({ role: "agent", name: "x", workspace_roots: ["/nowhere/at/all"] }))).toBe(
      "invalid_request",
    );
  });

  it("holds after the token is gone, whoever changes the session", async () => {
    const agent = await make({ role: "agent", name: "short", max_autonomy: "supervised", max_cost_microusd: 7 });
    const { id } = await agent.createSession({});
    await app.client.deleteToken(agent.made.id);
    await app.client.configure(id, { autonomy: "full" });
    const ruling = await app.client.testPolicy({ session: id, tool: "Bash", input: { command: "true" } });
    expect([
      ruling.effect,
      (await app.client.sessionUsage(id)).budgets.find(({ kind }) => kind === "agent"),
    ]).toMatchObject(["ask", { limit_microusd: 7 }]);
  });

  it("is told to be wrong where it is", async () => {
    const wrong: readonly CreateToken[] = [
      { role: "agent", name: "x", profile: "nope" },
      { role: "agent", name: "x", origins: ["https://a.example/"] },
      { role: "agent", name: "x", origins: ["a.example"] },
      { role: "agent", name: "x", tools: ["Bash(ls)"] },
      { role: "agent", name: "x", workspace_roots: ["relative"] },
      { role: "agent", name: "x", max_cost_microusd: 0.5 },
      { role: "agent", name: "x", subject: "me" },
      { role: "admin", name: "x", max_cost_microusd: 5 },
    ];
    const before = (await app.client.tokens()).tokens.length;
    for (const each of wrong) expect([each, await outcome(make(each))]).toEqual([each, "invalid_request"]);
    expect((await app.client.tokens()).tokens).toHaveLength(before);
  });
});

describe("a token that makes tokens", () => {
  it("makes them for no more than it has, and what it leaves out is its own", async () => {
    const bounds = {
      max_cost_microusd: 1_000,
      max_concurrent: 2,
      tools: ["Read", "mcp__*"],
      max_autonomy: "supervised" as const,
    };
    const operator = await make({ role: "operator", name: "lead", expires_in_s: 1_000, ...bounds });
    const child = await make({ role: "agent", name: "child", tools: ["mcp__shop__*"] }, operator);
    expect(child.made).toMatchObject({
      made_with: operator.made.id,
      expires_at: operator.made.expires_at,
      bounds: { ...bounds, tools: ["mcp__shop__*"] },
    });
    const wider: readonly Partial<CreateToken>[] = [
      { max_cost_microusd: 1_001 },
      { max_concurrent: 3 },
      { tools: ["Bash"] },
      { tools: ["*"] },
      { max_autonomy: "full" },
      { role: "admin" },
    ];
    for (const more of wider)
      expect([more, await outcome(make({ role: "agent", name: "x", ...more }, operator))]).toEqual([more, "forbidden"]);
    expect(await outcome(make({ role: "agent", name: "x" }, child))).toBe("forbidden");
    await app.client.deleteToken(operator.made.id);
    expect(await outcome(child.me())).toBe("unauthenticated");
  });

  it("shares its limits with them: many small ones are not more", async () => {
    const operator = await make({ role: "operator", name: "team lead", max_concurrent: 2, max_cost_microusd: 1_000 });
    const [one, two] = [
      await make({ role: "agent", name: "one" }, operator),
      await make({ role: "agent", name: "two" }, operator),
    ];
    const { id } = await one.createSession({});
    await two.createSession({});
    expect(await Promise.all([one, two, operator].map((each) => outcome(each.createSession({}))))).toEqual([
      "limit_reached",
      "limit_reached",
      "limit_reached",
    ]);
    const { budgets } = await app.client.sessionUsage(id);
    expect(
      budgets.filter(({ kind }) => kind === "agent").map(({ of, limit_microusd }) => [of, limit_microusd]),
    ).toEqual([
      [one.made.id, 1_000],
      [operator.made.id, 1_000],
    ]);
    // An agent is not shown what others spent.
    const own = (await one.sessionUsage(id)).budgets.filter(({ kind }) => kind === "agent");
    expect(own.map(({ of }) => of)).toEqual([one.made.id]);
  });

  it("acts in its own sessions and theirs, not in those of others", async () => {
    const operator = await make({ role: "operator", name: "bound", max_autonomy: "supervised" });
    const child = await make({ role: "agent", name: "its child" }, operator);
    const [foreign, own] = [await app.client.createSession({}), await child.createSession({})];
    expect(await outcome(operator.prompt(foreign.id, say))).toBe("forbidden");
    expect(await outcome(operator.control(foreign.id, "close"))).toBe("forbidden");
    expect(await outcome(operator.setBudget(foreign.id, { max_cost_microusd: 5 }))).toBe("forbidden");
    expect(await outcome(operator.prompt(own.id, say))).toBe("done");
  });

  it("shows no session of others to people without a token", async () => {
    const operator = await make({ role: "operator", name: "no shares", max_concurrent: 3 });
    const unbound = await make({ role: "operator", name: "unbound" });
    const { session } = await runScript(app.client, { prompt: say });
    const own = await runScript(operator, { prompt: say });
    const link = await app.client.exports.share(session.id);
    expect(await outcome(operator.exports.share(session.id))).toBe("forbidden");
    expect(await outcome(operator.exports.shares(session.id))).toBe("forbidden");
    expect(await outcome(operator.exports.revoke(session.id, link.id))).toBe("forbidden");
    expect(await outcome(operator.exports.share(own.session.id))).toBe("done");
    expect(await outcome(unbound.exports.share(session.id))).toBe("done");
  });

  it("changes no template of others", async () => {
    const operator = await make({ role: "operator", name: "no templates", max_concurrent: 3 });
    await app.client.saveTemplate("of-admin", { name: "of the admin", session: {} });
    const mine = { name: "mine", session: { system_prompt: "mine" } };
    expect(await outcome(operator.saveTemplate("of-admin", mine))).toBe("forbidden");
    expect(await outcome(operator.deleteTemplate("of-admin"))).toBe("forbidden");
    expect(await outcome(operator.saveTemplate("of-mine", mine))).toBe("done");
    expect(await outcome(operator.saveTemplate("of-mine", mine))).toBe("done");
    expect(await outcome(operator.deleteTemplate("of-mine"))).toBe("done");
    expect((await app.client.templates()).templates.map(({ id }) => id)).toContain("of-admin");
    await app.client.deleteTemplate("of-admin");
  });

  it("gives out no profile that it may not have", async () => {
    await app.client.setPolicy({ default_profile: "team", profiles: { team: { tools: ["Read"] } } });
    const operator = await make({ role: "operator", name: "locked" });
    expect(await outcome(make({ role: "agent", name: "x", profile: "full" }, operator))).toBe("forbidden");
    expect(await outcome(make({ role: "agent", name: "x", profile: "team" }, operator))).toBe("done");
  });
});

describe("a locked default profile", () => {
  const team = {
    autonomy: "restricted" as const,
    tools: ["Read", "Glob"],
    deny: ["Read(secret.txt)", "Grep"],
    max_concurrent: 1,
    max_cost_microusd_per_day: 1_000,
    max_cost_microusd_per_agent: 2_000,
    agent_rate: { requests_per_minute: 5 },
  };

  it.each(["agent", "operator"] as const)("locks an %s", async (role) => {
    await app.client.setPolicy({ ...shipped, default_profile: "team", profiles: { ...shipped.profiles, team } });
    const caller = await make({ role, name: role });
    for (const profile of Object.keys(shipped.profiles))
      expect([profile, await outcome(caller.createSession({ profile }))]).toEqual([profile, "forbidden"]);
    expect(await outcome(caller.createSession({ autonomy: "full" }))).toBe("forbidden");
    expect(await outcome(caller.createSession({ permission_mode: "bypassPermissions" }))).toBe("forbidden");
    const { settings } = await caller.createSession({});
    expect([settings.profile, settings.autonomy]).toEqual(["team", "restricted"]);
  });

  it("gives a principal its limits and denials in every other profile that is open to it", async () => {
    const wide = { autonomy: "full" as const, for_agents: true, for_operators: true };
    await app.client.setPolicy({ default_profile: "team", profiles: { team, wide } });
    const agent = await make({ role: "agent", name: "agent" });
    const session = await agent.createSession({ profile: "wide" });
    expect(session.settings.autonomy).toBe("full");
    const denied = await app.client.testPolicy({
      session: session.id,
      tool: "Read",
      input: { file_path: "secret.txt" },
    });
    expect(denied).toMatchObject({ effect: "deny", rule: "deny Read(secret.txt)" });
    const { budgets } = await agent.sessionUsage(session.id);
    expect(budgets.map(({ kind, limit_microusd }) => [kind, limit_microusd])).toEqual(
      expect.arrayContaining([
        ["agent_day", 1_000],
        ["agent", 2_000],
      ]),
    );
    expect(await outcome(agent.createSession({ profile: "wide" }))).toBe("limit_reached");
  });

  it("leaves operators the shipped profiles as long as nobody set another", async () => {
    const operator = await make({ role: "operator", name: "free" });
    for (const profile of ["readonly", "code-assist", "full", "guarded"])
      expect([profile, await outcome(operator.createSession({ profile }))]).toEqual([profile, "done"]);
    expect(await outcome(operator.createSession({ autonomy: "full" }))).toBe("forbidden");
    const full = { ...shipped.profiles["full"], max_autonomy: "full" as const };
    await app.client.setPolicy({ ...shipped, profiles: { ...shipped.profiles, full } });
    expect(await outcome(operator.createSession({ autonomy: "full" }))).toBe("done");
  });
});

describe("a list of tokens", () => {
  it("says when one was used, and leaves visitors out unless they are asked for", async () => {
    const agent = await make({ role: "agent", name: "used" });
    await make({ role: "visitor", name: "guest" });
    const find = async () => (await app.client.tokens()).tokens.find(({ id }) => id === agent.made.id);
    expect((await find())?.last_used_at).toBeUndefined();
    await agent.me();
    await expect.poll(find).toMatchObject({ last_used_at: expect.any(String) as unknown });
    expect((await app.client.tokens()).tokens.some(({ role }) => role === "visitor")).toBe(false);
    const visitors = (await app.client.tokens({ role: "visitor", limit: 1 })).tokens;
    expect(visitors.map(({ name, bounds }) => [name, bounds])).toEqual([["guest", { profile: "visitor" }]]);
  });
});

describe("questions of a visitor's own page", () => {
  it("are answered by the visitor, once and as they were asked", async () => {
    const visitor = await make({ role: "visitor", name: "buyer" });
    const live = new LiveConnection({ url: app.serving.url, token: visitor.made.token, WebSocket });
    const { id } = await visitor.createSession({});
    const pay = { name: "pay", description: "Pays.", tier: "execute" as const, handler: () => "paid" };
    await live.offer(id, { page: "shop", tools: [pay] }).ready();
    await visitor.prompt(id, { text: script({ tool: "mcp__shop__pay", input: {} }, { say: "end" }) });
    const tried: string[] = [];
    const events = await untilTurnEnds(visitor, id, {
      answer: async ({ id: approval, input_hash }) => {
        const yes = { decision: "approve" as const, input_hash };
        tried.push(await outcome(visitor.decide(approval, { ...yes, scope: "session" })));
        tried.push(await outcome(visitor.decide(approval, yes)));
      },
    });
    live.close();
    expect(tried).toEqual(["forbidden", "done"]);
    expect(events.find(({ type }) => type === "approval.resolved")).toMatchObject({
      outcome: "approved",
      by: { role: "visitor" },
    });
  });

  it("of the server's tools wait for somebody else", async () => {
    const ours = { ...shipped.profiles["visitor"], tools: ["Bash", "mcp__*"], visitor_may_approve: ["*"] };
    await app.client.setPolicy({ ...shipped, profiles: { ...shipped.profiles, visitor: ours } });
    const visitor = await make({ role: "visitor", name: "curious" });
    const tried: string[] = [];
    await runScript(
      visitor,
      { prompt: { text: script({ tool: "Bash", input: { command: "true" } }, { say: "end" }) } },
      async (approval) => {
        const { input_hash } = approval;
        tried.push(await outcome(visitor.decide(approval.id, { decision: "approve", input_hash })));
        tried.push(await outcome(visitor.decide(approval.id, { decision: "reject", input_hash })));
        tried.push(await outcome(visitor.previewEdit(approval.id, { input: { command: "false" } })));
        await approveWith(app.client)(approval);
      },
    );
    expect(tried).toEqual(["forbidden", "forbidden", "forbidden"]);
  });
});
