import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SallyportClient } from "../../src/client/index.ts";
import type { CreateSession, CreateToken } from "../../src/protocol/index.ts";
import { openTestApp, runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";

const SHOP = "https://shop.example.org";

let app: TestApp;
/** The shop's own server: it makes visitors' tokens and may do nothing else. */
let shop: SallyportClient;

beforeAll(async () => {
  app = await openTestApp();
  const { token } = await app.client.createToken({
    role: "issuer",
    name: "shop",
    origins: [SHOP],
    tools: ["mcp__shop__*"],
    system_prompt: "You help in a shop.",
    max_cost_microusd: 50_000_000,
  });
  shop = new SallyportClient({ url: app.serving.url, token });
});
afterAll(() => app[Symbol.asyncDispose]());

const fromShop: typeof fetch = (input, init) =>
  fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), origin: SHOP } });

async function visit(subject: string, more: Partial<CreateToken> = {}) {
  const made = await shop.createToken({
    role: "visitor",
    name: subject,
    subject,
    max_cost_microusd: 100_000,
    ...more,
  });
  const client = new SallyportClient({ url: app.serving.url, token: made.token, fetch: fromShop });
  return Object.assign(client, { token: made.token, made });
}

async function refusal(act: Promise<unknown>): Promise<string> {
  return act.then(
    () => "done",
    (error: { code: string }) => error.code,
  );
}

const bash = script({ tool: "Bash", input: { command: "id" } }, { say: "end" });

describe("a visitor of a shop, with the token of the guide", () => {
  it.each<[string, CreateSession]>([
    ["full autonomy", { autonomy: "full", prompt: { text: bash } }],
    ["no questions", { permission_mode: "bypassPermissions", prompt: { text: bash } }],
    ["another profile", { profile: "full", autonomy: "full", prompt: { text: bash } }],
    ["the default profile", { profile: "full" }],
    ["an engine", { engine: "loop" }],
    ["a provider", { provider: "sim" }],
    ["a model", { model: "claude-opus-4-1" }],
    ["a place to work", { workspace: "/" }],
    ["what the model is told", { system_prompt: "You do whatever I say." }],
    ["the number of turns", { max_turns: 1_000 }],
    ["sub-agents", { agents: { helper: { description: "helps", prompt: "help" } } }],
  ])("gets no %s", async (_what, wanted) => {
    const visitor = await visit("curious");
    expect(await refusal(visitor.createSession(wanted))).toBe("forbidden");
    expect(await visitor.sessions()).toEqual({ sessions: [] });
  });

  it("has none of the server's tools, and its limits whatever it asks for", async () => {
    const visitor = await visit("reader");
    const { session, events } = await runScript(visitor, {
      max_cost_microusd: 999_000_000,
      tools: ["*", "Bash"],
      prompt: {
        text: script(
          { tool: "Bash", input: { command: "id" } },
          { tool: "Read", input: { file_path: "package.json" } },
          { tool: "Glob", input: { pattern: "**" } },
          { tool: "Grep", input: { pattern: "token" } },
          { tool: "Write", input: { file_path: "a.txt", content: "a" } },
          { say: "." },
        ),
      },
    });
    const ended = events.flatMap((event) =>
      event.type === "item.completed" && event.item.type !== "agent_message" ? [event.item.status] : [],
    );
    expect(ended).toEqual(Array.from({ length: 5 }, () => "declined"));
    expect(events.some(({ type }) => type === "approval.requested")).toBe(false);
    expect(session.settings).toMatchObject({
      profile: "visitor",
      autonomy: "supervised",
      tools: ["mcp__shop__*"],
      system_prompt: "You help in a shop.",
    });
    expect(await app.client.sessionUsage(session.id)).toMatchObject({
      budgets: expect.arrayContaining([
        expect.objectContaining({ kind: "agent", of: visitor.made.principal_id, limit_microusd: 100_000 }),
        expect.objectContaining({ kind: "agent", limit_microusd: 50_000_000 }),
      ]) as unknown,
    });
  });

  it("is shown nothing but its own sessions", async () => {
    const [ann, ben] = [await visit("ann"), await visit("ben")];
    const { session } = await runScript(ann, { prompt: { text: script({ say: "hi" }) } });
    expect([(await ann.sessions()).sessions.map(({ id }) => id), (await ben.sessions()).sessions]).toEqual([
      [session.id],
      [],
    ]);
    const asked = {
      session: () => ben.session(session.id),
      prompt: () => ben.prompt(session.id, { text: "hi" }),
      fork: () => ben.fork(session.id),
      resume: () => ben.createSession({ resume_session_id: session.id }),
      events: () => ben.events(session.id),
      audit: () => ben.audit(),
      usage: () => ben.usage(),
      own_usage: () => ann.sessionUsage(session.id),
      connections: () => ben.connections(),
      policy: () => ben.policy(),
      test: () => ben.testPolicy({ tool: "Bash", input: { command: "id" } }),
      providers: () => ben.providers(),
      folders: () => ben.folders(),
      files: () => ann.files(session.id),
      templates: () => ben.templates(),
      tokens: () => ben.tokens(),
      mint: () => ben.createToken({ role: "visitor", name: "me" }),
    };
    const codes = await Promise.all(
      Object.entries(asked).map(async ([what, act]) => [what, await refusal(act())] as const),
    );
    expect(Object.fromEntries(codes)).toEqual({
      session: "not_found",
      prompt: "not_found",
      fork: "not_found",
      resume: "not_found",
      events: "not_found",
      audit: "forbidden",
      usage: "forbidden",
      own_usage: "forbidden",
      connections: "forbidden",
      policy: "forbidden",
      test: "forbidden",
      providers: "forbidden",
      folders: "forbidden",
      files: "forbidden",
      templates: "forbidden",
      tokens: "forbidden",
      mint: "forbidden",
    });
  });

  it("is not kept out by the sessions of others", async () => {
    const limit = { max_concurrent: 2 };
    const [ann, ben, zoe] = [await visit("c1", limit), await visit("c2", limit), await visit("c3", limit)];
    for (const visitor of [ann, ann, ben, ben, zoe]) await visitor.createSession({});
    expect(await refusal(ann.createSession({}))).toBe("limit_reached");
    expect((await zoe.sessions()).sessions).toHaveLength(1);
  });

  it("goes on with the same sessions and the same money when it gets a new token", async () => {
    const before = await visit("returns");
    const { session, events } = await runScript(before, { prompt: { text: script({ say: "hi" }) } });
    const after = await visit("returns");
    await after.prompt(session.id, { text: script({ say: "again" }) });
    const more = await untilTurnEnds(after, session.id, { after: events.at(-1)?.seq ?? 0 });
    expect([after.made.principal_id, after.token === before.token, more.at(-1)?.type]).toEqual([
      before.made.principal_id,
      false,
      "turn.completed",
    ]);
  });

  it("works only from pages of the shop", async () => {
    const { token } = await visit("elsewhere");
    const status = async (origin: string | undefined): Promise<number> => {
      const headers = { authorization: `Bearer ${token}`, ...(origin === undefined ? {} : { origin }) };
      return (await fetch(`${app.serving.url}/api/me`, { headers })).status;
    };
    expect(await Promise.all([SHOP, `${SHOP}:8443`, "https://evil.example", undefined].map(status))).toEqual([
      200, 403, 403, 403,
    ]);
  });
});

describe("the shop's own server", () => {
  it("makes visitors' tokens and nothing else", async () => {
    const wanted: readonly [string, () => Promise<unknown>][] = [
      ["admin", () => shop.createToken({ role: "admin", name: "x" })],
      ["operator", () => shop.createToken({ role: "operator", name: "x" })],
      ["agent", () => shop.createToken({ role: "agent", name: "x" })],
      ["viewer", () => shop.createToken({ role: "viewer", name: "x" })],
      ["issuer", () => shop.createToken({ role: "issuer", name: "x" })],
      ["profile", () => shop.createToken({ role: "visitor", name: "x", profile: "full" })],
      ["tools", () => shop.createToken({ role: "visitor", name: "x", tools: ["mcp__*"] })],
      ["origin", () => shop.createToken({ role: "visitor", name: "x", origins: ["https://evil.example"] })],
      ["money", () => shop.createToken({ role: "visitor", name: "x", max_cost_microusd: 50_000_001 })],
      ["prompt", () => shop.createToken({ role: "visitor", name: "x", system_prompt: "Do anything." })],
      ["sessions", () => shop.sessions()],
      ["create", () => shop.createSession({})],
      ["policy", () => shop.policy()],
    ];
    for (const [what, act] of wanted) expect([what, await refusal(act())]).toEqual([what, "forbidden"]);
    const made = await visit("fine", { expires_in_s: 60 });
    expect(made.made).toMatchObject({
      role: "visitor",
      bounds: { profile: "visitor", tools: ["mcp__shop__*"], origins: [SHOP], max_cost_microusd: 100_000 },
    });
    expect(await refusal(visit("long", { expires_in_s: 86_401 }))).toBe("invalid_request");
  });

  it("operators give visitors no profile that says nothing about visitors", async () => {
    const { token } = await app.client.createToken({ role: "operator", name: "careless" });
    const operator = new SallyportClient({ url: app.serving.url, token });
    for (const profile of ["full", "guarded", "readonly", "code-assist", "server"])
      expect([profile, await refusal(operator.createToken({ role: "visitor", name: "x", profile }))]).toEqual([
        profile,
        "forbidden",
      ]);
    expect(await operator.createToken({ role: "visitor", name: "x" })).toMatchObject({
      bounds: { profile: "visitor" },
    });
  });

  it("sees and deletes the tokens that it made, and takes them along when its own is deleted", async () => {
    const { id, token } = await app.client.createToken({ role: "issuer", name: "short-lived shop" });
    const other = new SallyportClient({ url: app.serving.url, token });
    const [one, two] = [
      await other.createToken({ role: "visitor", name: "one" }),
      await other.createToken({ role: "visitor", name: "two" }),
    ];
    expect((await other.tokens({ role: "visitor" })).tokens.map((made) => made.id).toSorted()).toEqual(
      [one.id, two.id].toSorted(),
    );
    const [stranger] = (await app.client.tokens({ role: "admin" })).tokens;
    expect(await refusal(other.deleteToken(stranger?.id ?? ""))).toBe("not_found");
    await other.deleteToken(one.id);
    const as = (made: { token: string }) => new SallyportClient({ url: app.serving.url, token: made.token });
    expect([await refusal(as(one).me()), await refusal(as(two).me())]).toEqual(["unauthenticated", "done"]);
    await app.client.deleteToken(id);
    expect(await refusal(as(two).me())).toBe("unauthenticated");
  });
});
