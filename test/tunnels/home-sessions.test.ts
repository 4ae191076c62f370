import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  isToolItem,
  LIMITS,
  type Approval,
  type CreateSession,
  type JournalEvent,
  type SessionView,
  type ToolItem,
} from "../../src/protocol/index.ts";
import { approveWith, runScript, script, untilTurnEnds } from "../support/app.ts";
import { Files } from "../surfaces/mount/world.ts";
import { openTwoServers, type TwoServers } from "./two-servers.ts";

let world: TwoServers;
beforeAll(async () => {
  world = await openTwoServers();
  await world.home.client.setPolicy({
    default_profile: "work",
    profiles: {
      work: { autonomy: "supervised" },
      answered: { autonomy: "restricted", approvers: ["creator"], for_agents: true },
      asked: { autonomy: "restricted", for_agents: true },
    },
  });
  await world.pair("home", { sessions: true, profile: "answered" });
  await world.pair("strict", { sessions: true, profile: "asked" });
  await world.pair("models");
});
afterAll(() => world[Symbol.asyncDispose]());

const AT_HOME = { engine: "tunnel", provider: "tunnel:home", model: "sim" } as const;

async function run(
  session: CreateSession,
  answer?: (approval: Approval) => Promise<unknown>,
): Promise<{ readonly session: SessionView; readonly events: readonly JournalEvent[] }> {
  return runScript(world.gateway.client, { ...AT_HOME, ...session }, answer);
}

/** The session at home that runs one of the gateway's. */
async function atHome(id: string): Promise<SessionView> {
  const { engine_session_id = "" } = await world.gateway.client.session(id);
  return world.home.client.session(engine_session_id);
}

/** Asks a server for an offer, with what no client of ours would send. */
async function offer(
  { url, token }: { readonly url: string; readonly token: string },
  more: object,
): Promise<{ readonly status: number; readonly error: { readonly code: string; readonly message: string } }> {
  const response = await fetch(`${url}/api/tunnel-offers`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ id: "never", auth: "psk", sessions: true, ...more }),
  });
  const { error } = (await response.json()) as { readonly error: { readonly code: string; readonly message: string } };
  return { status: response.status, error };
}

/** What an offer makes: itself, and its principal. */
async function owned(): Promise<{ readonly offers: readonly string[]; readonly tokens: readonly string[] }> {
  const { client } = world.home;
  const [{ offers }, { tokens }] = await Promise.all([client.tunnels.offers(), client.tokens()]);
  return { offers: offers.map(({ id }) => id), tokens: tokens.map(({ id }) => id) };
}

const ECHO = script({ tool: "Bash", input: { command: "echo hello" } }, { say: "Done." });
const TWO_WORDS = script({ say: "First." }, { tool: "Bash", input: { command: "echo hello" } }, { say: "Last." });
const STREAM = script({ stream: { tokens: 100_000, per_second: 100 } });

/** Approves the next question at home, as its owner. */
async function ownerApproves(): Promise<void> {
  const pending = async (): Promise<readonly Approval[]> =>
    (await world.home.client.approvals({ status: "pending" })).approvals;
  await expect.poll(async () => (await pending()).length).toBe(1);
  for (const approval of await pending()) await approveWith(world.home.client)(approval);
}

function calls(events: readonly JournalEvent[]): readonly ToolItem[] {
  return events.flatMap((event) => (event.type === "item.completed" && isToolItem(event.item) ? [event.item] : []));
}

function said(events: readonly JournalEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.type === "item.completed" && event.item.type === "agent_message" ? [event.item.text] : [],
  );
}

describe("a session of the gateway that home runs", () => {
  test("its turns run there, with home's engine, and are told and billed here", async () => {
    const { session, events } = await run({ prompt: { text: script({ say: "Hello from home." }) } });
    expect(events.at(-1)).toMatchObject({ type: "turn.completed", stop_reason: "end_turn" });
    expect(said(events)).toEqual(["Hello from home."]);
    const there = await atHome(session.id);
    expect(there).toMatchObject({
      settings: { engine: "loop", provider: "priced", model: "sim" },
      created_by: { name: "tunnel home", role: "agent" },
    });
    const { seq } = await world.gateway.client.prompt(session.id, { text: script({ say: "And again." }) });
    const more = await untilTurnEnds(world.gateway.client, session.id, { after: seq - 1 });
    expect(said(more)).toEqual(["And again."]);
    expect((await atHome(session.id)).id).toBe(there.id);
    const [here, home] = await Promise.all([
      world.gateway.client.sessionUsage(session.id),
      world.home.client.sessionUsage(there.id),
    ]);
    expect(here.cost_microusd).toBeGreaterThan(0);
    expect([here.cost_microusd, here.reserved_microusd]).toEqual([home.cost_microusd, 0]);
    expect(here.input_tokens).toBe(home.input_tokens);
  });

  test("the configuration of a tool holds there", async () => {
    const tool_config = { Bash: { commands: ["echo hello"] } };
    const steps = [{ tool: "Bash", input: { command: "echo other" } }, { say: "Done." }];
    const { session, events } = await run({ tool_config, prompt: { text: script(...steps) } });
    expect(calls(events)).toMatchObject([{ status: "declined" }]);
    expect((await atHome(session.id)).settings).toMatchObject({ tool_config });
    // Under the tool's other name, too.
    const agents = { agents: ["reviewer"] };
    const renamed = { tools: ["Task"], tool_config: { Agent: agents }, prompt: { text: script({ say: "Done." }) } };
    const other = await run(renamed);
    expect((await atHome(other.session.id)).settings.tool_config).toEqual({ Task: agents });
  });

  test("the owner's choice of an engine drives it", async () => {
    await world.pair("claude", { sessions: true, profile: "answered", engine: "claude-sdk" });
    const prompt = { text: script({ say: "Claude Code at home." }) };
    const { session, events } = await run({ provider: "tunnel:claude", prompt });
    expect(said(events)).toEqual(["Claude Code at home."]);
    expect((await atHome(session.id)).settings.engine).toBe("claude-sdk");
  });

  test.each<[string, object, string, string]>([
    ["empty", { engine: "" }, "invalid_request", "engine"],
    ["huge", { engine: "x".repeat(1_000_000) }, "invalid_request", "engine"],
    ["of a wrong type", { engine: ["loop"] }, "invalid_request", "engine"],
    ["null", { engine: null }, "invalid_request", "engine"],
    ["unknown", { engine: "gpt" }, "unsupported", "there is no engine gpt; there are: loop, "],
    ["a name of every object", { engine: "constructor" }, "unsupported", "there is no engine constructor"],
    ["what this machine cannot have", { engine: "tunnel" }, "unsupported", "tunnel"],
    ["for no sessions", { engine: "loop", sessions: false }, "invalid_request", "allow them (sessions)"],
  ])("an offered engine that is %s is refused in words, and nothing is made", async (_, more, code, words) => {
    const before = await owned();
    const { status, error } = await offer(world.home.serving, more);
    expect([status >= 400 && status < 500, error.code]).toEqual([true, code]);
    expect(error.message).toContain(words);
    expect(await owned()).toEqual(before);
  });

  test("the engine tunnel is offered only with a provider that is behind one", async () => {
    const { error } = await offer(world.gateway.serving, { engine: "tunnel" });
    expect(error).toMatchObject({
      code: "invalid_request",
      message: "the engine tunnel needs a provider behind a tunnel; name another engine",
    });
    const { client } = world.gateway;
    const made = { id: "through", auth: "psk", sessions: true, engine: "tunnel", provider: "tunnel:home" } as const;
    expect(await client.tunnels.offer(made)).toMatchObject({ engine: "tunnel", sessions: true });
    await client.tunnels.revoke("through");
  });

  test("nobody but an admin offers an engine, right or wrong", async () => {
    const before = await owned();
    for (const role of ["viewer", "operator", "agent"] as const) {
      const { token } = await world.home.as(role);
      for (const engine of ["loop", "gpt", "", 5])
        expect(await offer({ url: world.home.serving.url, token }, { engine })).toMatchObject({
          status: 403,
          error: { code: "forbidden" },
        });
    }
    expect((await world.home.client.tunnels.offers()).offers.map(({ id }) => id)).toEqual(before.offers);
  });

  test("a person here answers, and sees all of the call", async () => {
    const asked: Approval[] = [];
    const { events } = await run({ prompt: { text: ECHO } }, async (approval) => {
      asked.push(approval);
      await approveWith(world.gateway.client)(approval);
    });
    expect(asked).toMatchObject([
      {
        tool: "mcp__home__tool",
        input: { tool: "Bash", input: { command: "echo hello" }, preview: { type: "command", command: "echo hello" } },
        tier: "execute",
      },
    ]);
    expect(calls(events)).toMatchObject([
      { status: "completed", input: { tool: "Bash" }, output: [{ text: expect.stringContaining("hello") }] },
    ]);
    expect(said(events)).toEqual(["Done."]);
  });

  test("a no reaches home, with its words", async () => {
    const { session, events } = await run({ prompt: { text: ECHO } }, ({ id, input_hash }) =>
      world.gateway.client.decide(id, { decision: "reject", input_hash, feedback: "not today" }),
    );
    expect(calls(events)).toMatchObject([{ status: "declined", is_error: true }]);
    expect(events.at(-1)?.type).toBe("turn.completed");
    const there = await atHome(session.id);
    const { approvals } = await world.home.client.approvals({ session_id: there.id });
    expect(approvals).toMatchObject([{ status: "rejected" }]);
    expect(JSON.stringify(world.home.asked.at(-1)?.body)).toContain("not today");
  });

  test("where the owner does not let the gateway answer, the owner is asked alone", async () => {
    const answering = ownerApproves();
    const { events } = await run({ provider: "tunnel:strict", prompt: { text: ECHO } });
    await answering;
    expect(events.map(({ type }) => type)).not.toContain("approval.requested");
    expect(events).toContainEqual(
      expect.objectContaining({ type: "error", message: expect.stringContaining("only they may answer") }),
    );
    expect(said(events)).toEqual(["Done."]);
  });

  test("what the owner answers at home is no question here any more", async () => {
    const { session, events } = await run({ prompt: { text: ECHO } }, () => ownerApproves());
    expect(said(events)).toEqual(["Done."]);
    const { approvals } = await world.gateway.client.approvals({ session_id: session.id });
    expect(approvals).toMatchObject([{ status: "cancelled" }]);
  });

  test("an interrupted turn ends there too, and both bills are the same", async () => {
    const session = await world.gateway.client.createSession({ ...AT_HOME, prompt: { text: STREAM } });
    let stopped: Promise<unknown> | undefined;
    const events = await untilTurnEnds(world.gateway.client, session.id, {
      onFrame: ({ type }) => {
        if (type === "item.delta") stopped ??= world.gateway.client.interrupt(session.id);
      },
    });
    await stopped;
    expect(events.at(-1)).toMatchObject({ type: "turn.failed", error: { code: "aborted" } });
    const there = await atHome(session.id);
    expect(there.turn_id).toBeUndefined();
    const spent = async (): Promise<readonly number[]> => {
      const here = await world.gateway.client.sessionUsage(session.id);
      const home = await world.home.client.sessionUsage(there.id);
      return [home.cost_microusd - here.cost_microusd, here.reserved_microusd, home.reserved_microusd];
    };
    await expect.poll(async () => (await spent()).slice(1)).toEqual([0, 0]);
    // What home had reserved when it told the turn's end is the most that it cost.
    expect((await spent())[0]).toBeLessThanOrEqual(0);
    const { seq } = await world.gateway.client.prompt(session.id, { text: script({ say: "Here again." }) });
    expect(said(await untilTurnEnds(world.gateway.client, session.id, { after: seq - 1 }))).toEqual(["Here again."]);
  });

  test("a turn's limit here is its limit there", async () => {
    const text = script({ say: "Too dear." });
    const { events } = await run({ at_budget_end: "fail", prompt: { text, max_cost_microusd: 5 } });
    expect(events.at(-1)).toMatchObject({ type: "turn.failed", error: { code: "budget_exceeded" } });
    const { session, events: refused } = await run({ at_budget_end: "fail", max_cost_microusd: 0, prompt: { text } });
    expect(refused.at(-1)).toMatchObject({ type: "turn.failed", error: { code: "budget_exceeded" } });
    expect((await world.gateway.client.session(session.id)).engine_session_id).toBeUndefined();
  });

  test("the owner's limits hold for sessions, and pausing ends what runs", async () => {
    const bounds = { models: ["sim"], max_cost_microusd: 4_000 };
    await world.pair("little", { sessions: true, profile: "answered", ...bounds });
    const little = { provider: "tunnel:little", prompt: { text: script({ say: "Too dear." }) } };
    expect((await run(little)).events.at(-1)).toMatchObject({
      type: "turn.failed",
      error: { code: "budget_exceeded" },
    });
    const before =
      (await world.home.client.tunnels.offers()).offers.find(({ id }) => id === "home")?.spent_microusd ?? 0;
    const paid = await run({ prompt: { text: script({ say: "Paid." }) } });
    const { cost_microusd } = await world.gateway.client.sessionUsage(paid.session.id);
    const after = (await world.home.client.tunnels.offers()).offers.find(({ id }) => id === "home")?.spent_microusd;
    expect(after).toBe(before + cost_microusd);
    const session = await world.gateway.client.createSession({ ...AT_HOME, prompt: { text: STREAM } });
    await expect.poll(async () => (await world.gateway.client.session(session.id)).engine_session_id).toBeDefined();
    await expect.poll(async () => (await atHome(session.id)).turn_id).toBeDefined();
    await world.home.client.tunnels.pauseOffer("home");
    await expect.poll(async () => (await atHome(session.id)).turn_id).toBeUndefined();
    await world.home.client.tunnels.continueOffer("home");
    await expect.poll(async () => (await world.gateway.client.tunnels.test("home")).status).toBe("ok");
    const events = await untilTurnEnds(world.gateway.client, session.id);
    expect(events.at(-1)).toMatchObject({ type: "turn.failed", error: { code: "aborted" } });
  });

  test("the tunnel's rate limit counts turns", async () => {
    const rate_limit = { requests_per_minute: 1, tokens_per_minute: 1_000_000 };
    await world.pair("slow", { sessions: true, profile: "answered" }, { rate_limit });
    const once = { provider: "tunnel:slow", prompt: { text: script({ say: "Once." }) } };
    expect((await run(once)).events.at(-1)?.type).toBe("turn.completed");
    expect((await run(once)).events.at(-1)).toMatchObject({ type: "turn.failed", error: { code: "rate_limited" } });
  });

  test.each([
    ["a provider that is no tunnel", { provider: "sim" }, "invalid_request", "tunnel required"],
    ["a tunnel that is for models only", { provider: "tunnel:models" }, "forbidden", "for models only"],
    ["a tunnel that there is not", { provider: "tunnel:nowhere" }, "not_found", "nowhere"],
    ["a form for the answer", { output_schema: { type: "object" } }, "unsupported", "output_schema"],
  ])("%s is refused", async (_name, wanted, code, words) => {
    await expect(world.gateway.client.createSession({ ...AT_HOME, ...wanted })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words),
    });
  });

  test("a session that is gone at home fails its next turn, and is not forked", async () => {
    const { session } = await run({ prompt: { text: script({ say: "Before." }) } });
    await world.home.client.deleteSession((await atHome(session.id)).id);
    const { seq } = await world.gateway.client.prompt(session.id, { text: script({ say: "After." }) });
    const events = await untilTurnEnds(world.gateway.client, session.id, { after: seq - 1 });
    expect(events.at(-1)).toMatchObject({ type: "turn.failed", error: { code: "not_found" } });
    expect((await world.gateway.client.sessionUsage(session.id)).reserved_microusd).toBe(0);
    await expect(world.gateway.client.fork(session.id)).rejects.toMatchObject({ code: "unsupported" });
    const change = { autonomy: "read_only" } as const;
    await expect(world.gateway.client.configure(session.id, change)).rejects.toMatchObject({ code: "unsupported" });
  });

  test("it ends at home when it ends here, also when it is deleted while the tunnel is down", async () => {
    const ids: string[] = [];
    for (const word of ["One", "Two"]) {
      const { session } = await run({ prompt: { text: script({ say: `${word}.` }) } });
      ids.push(session.id);
    }
    const there = await Promise.all(ids.map(atHome));
    const statuses = (): Promise<readonly string[]> =>
      Promise.all(there.map(async ({ id }) => (await world.home.client.session(id)).status));
    await world.gateway.client.control(ids[0] ?? "", "close");
    await expect.poll(statuses).toEqual(["complete", "idle"]);
    world.network.freeze();
    world.network.cut();
    await world.gateway.client.deleteSession(ids[1] ?? "");
    expect(await statuses()).toEqual(["complete", "idle"]);
    world.network.thaw();
    await expect.poll(statuses).toEqual(["complete", "complete"]);
  });
});

describe("a turn at home, when something is cut in the middle", () => {
  /** Runs a turn to its question, does something, and answers. */
  async function across(change: () => Promise<unknown>): Promise<readonly JournalEvent[]> {
    const { id } = await world.gateway.client.createSession({ ...AT_HOME, prompt: { text: TWO_WORDS } });
    const pending = async (): Promise<readonly Approval[]> =>
      (await world.gateway.client.approvals({ session_id: id, status: "pending" })).approvals;
    await expect.poll(async () => (await pending()).length).toBe(1);
    const asked = (): number => world.home.asked.filter(({ path }) => path.endsWith("/messages")).length;
    const before = asked();
    await change();
    await expect.poll(async () => (await pending()).length).toBe(1);
    const [question] = await pending();
    if (question !== undefined) await approveWith(world.gateway.client)(question);
    const events = await untilTurnEnds(world.gateway.client, id);
    expect(events.at(-1)?.type).toBe("turn.completed");
    expect(said(events)).toEqual(["First.", "Last."]);
    expect(calls(events)).toMatchObject([{ status: "completed" }]);
    // The prompt ran once: the model was asked for the rest alone.
    expect(asked() - before).toBe(1);
    expect(events.filter(({ type }) => type === "turn.completed")).toHaveLength(1);
    return events;
  }

  test("the connection: the turn goes on", async () => {
    await across(async () => {
      world.network.cut();
      await world.gateway.client.tunnels.test("home");
    });
  });

  test("the connection, again and again, and the link itself: each word is told once, and the turn is billed once", async () => {
    const text = script({ stream: { tokens: 120, per_second: 60 } });
    const { id } = await world.gateway.client.createSession({ ...AT_HOME, prompt: { text } });
    let deltas = "";
    let pieces = 0;
    let renewed: Promise<unknown> | undefined;
    const events = await untilTurnEnds(world.gateway.client, id, {
      onFrame: (frame) => {
        if (frame.type !== "item.delta") return;
        deltas += frame.delta;
        pieces += 1;
        if (pieces % 10 === 5) world.network.cut();
        // Other settings of the endpoint: its link ends, and another one begins.
        if (pieces >= 12)
          renewed ??= world.gateway.client.tunnels.save("home", {
            url: world.url,
            auth: { type: "psk", secret_path: "tunnels/home" },
            rate_limit: { requests_per_minute: 1_000, tokens_per_minute: 1_000_000 },
          });
      },
    });
    await renewed;
    expect(renewed).toBeDefined();
    expect(events.at(-1)?.type).toBe("turn.completed");
    expect(said(events)).toHaveLength(1);
    expect(said(events)[0]?.split(/\s+/).filter(Boolean)).toHaveLength(120);
    expect(deltas).toBe(said(events)[0]);
    const there = await atHome(id);
    const [here, home] = await Promise.all([
      world.gateway.client.sessionUsage(id),
      world.home.client.sessionUsage(there.id),
    ]);
    expect([here.cost_microusd, here.reserved_microusd]).toEqual([home.cost_microusd, 0]);
    expect(there.turns).toBe(1);
  });

  test("the server at home stops and starts: the turn goes on, and nothing runs twice", async () => {
    await across(async () => {
      await world.home.restart();
      world.network.cut();
      await expect
        .poll(async () => (await world.gateway.client.tunnels.test("home")).status, { timeout: 60_000 })
        .toBe("ok");
    });
  });

  test("the gateway stops and starts: the turn goes on, and what it may have cost is paid once", async () => {
    const events = await across(() => world.gateway.restart());
    const id = events[0]?.session_id ?? "";
    const { cost_microusd, reserved_microusd } = await world.gateway.client.sessionUsage(id);
    // A dead server's reservation is spent in full, and the turn is not paid again.
    expect([cost_microusd, reserved_microusd]).toEqual([LIMITS.tunnelTurnMicrousd, 0]);
  });
});

describe("document 003's mount", () => {
  test("runs a session at home with engine tunnel, and refuses one without a tunnel", async () => {
    const files = new Files(world.gateway.serving.url, world.gateway.serving.token);
    const request = { model: "sim", engine: "tunnel", max_cost_usd: 500_000 };
    const initial_prompt = script({ say: "From the mount." });
    const made = await files.call("/claude/new", { ...request, tunnel_endpoint: "home", initial_prompt });
    const folder = `/claude/sessions/${made["session_id"]}`;
    await files.until(folder, "idle");
    expect(await files.text(`${folder}/response`)).toContain("From the mount.");
    expect((await files.json(`${folder}/usage`))["cost_usd"]).toBeGreaterThan(0);
    const refused = await files.http("POST", "/claude/new", { body: JSON.stringify(request) });
    expect([refused.status, refused.errno]).toEqual([400, "EINVAL"]);
    expect(refused.text).toContain("tunnel required");
  });
});
