import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ACCOUNTS, openLedger, type Ledger } from "../../src/ledger/index.ts";
import {
  makeNewId,
  NO_TOKENS,
  UsageQuery,
  type Policy,
  type Role,
  type SessionSettings,
  type UsageLine,
} from "../../src/protocol/index.ts";
import type { Caller } from "../../src/sessions/index.ts";
import { SetLimits } from "../../src/sessions/budget/set-limits.ts";
import { newState, toRow } from "../../src/sessions/core/state.ts";
import { UsageService } from "../../src/sessions/services/models/usage-service.ts";
import { openSqliteStore, type Store, type UsageRow } from "../../src/store/index.ts";
import { caller as callerOf, UNBOUNDED } from "../support/caller.ts";
import { storeThread } from "../support/store-thread.ts";

const DAY_MS = 86_400_000;
const TODAY = "2026-11-15";
const POLICY: Policy = {
  default_profile: "team",
  profiles: {
    team: { max_cost_microusd_per_day: 1_000, max_cost_microusd_per_agent: 5_000 },
    rich: { max_cost_microusd_per_day: 90_000, max_cost_microusd: 700 },
  },
  budget: { per_day_microusd: 10_000 },
};

const caller = (role: Role, id = `tok_${role}`): Caller => callerOf(id, role);
const admin = caller("admin");

let folder: string;
let store: Store;
let ledger: Ledger;
let limits: SetLimits;
let now: number;
let service: UsageService;

async function open(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), "sallyport-usage-"));
  store = await openSqliteStore({
    path: join(folder, "test.db"),
    thread: storeThread(),
    onFatal: (error) => {
      throw error;
    },
  });
  now = Date.parse(`${TODAY}T10:00:00Z`);
  const newId = makeNewId(
    () => now,
    (bytes) => crypto.getRandomValues(bytes),
  );
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  ledger = await openLedger({ store, now: () => now, newId, log: silent });
  limits = new SetLimits(store);
  service = new UsageService({
    store,
    limits,
    policy: () => POLICY,
    clock: { now: () => now, elapsed: () => now, after: () => () => undefined },
    models: { ledger, providers: { list: () => [] } },
  });
}

async function close(): Promise<void> {
  await store.close();
  await rm(folder, { recursive: true, force: true });
}

function used(change: Partial<UsageRow>): UsageRow {
  return {
    day: TODAY,
    session: "ses_1",
    turn: "turn_1",
    key: "",
    agent: "tok_agent",
    engine: "loop",
    provider: "cloud",
    model: "small",
    requests: 1,
    tokens: { ...NO_TOKENS, input: 10, output: 1 },
    cost_microusd: 100,
    bound_microusd: 0,
    ...change,
  };
}

/** What `used` makes, added up `times`, without its groups. */
function figures(times: number): UsageLine {
  return {
    requests: times,
    tokens: { ...NO_TOKENS, input: 10 * times, output: times },
    cost_microusd: 100 * times,
    bound_microusd: 0,
  };
}

async function addSession(
  id: string,
  change: Partial<SessionSettings> = {},
  { by = "tok_agent", ancestors = [] }: { by?: string; ancestors?: readonly string[] } = {},
): Promise<void> {
  const settings: SessionSettings = {
    engine: "loop",
    provider: "cloud",
    model: "small",
    workspace: "/w",
    sandbox: "local",
    profile: "team",
    autonomy: "supervised",
    max_turns: 15,
    max_tokens: 8_192,
    unattended: "deny",
    approval_timeout_ms: 1_000,
    ...change,
  };
  const at = new Date(now).toISOString();
  const born = newState({
    id,
    settings,
    at,
    by: { id: by, name: by, role: "agent" },
    token: UNBOUNDED,
    lineage: [],
    ancestors,
  });
  await store.commit({ sessions: [toRow(born)] });
}

const query = (text: Readonly<Record<string, string>> = {}): UsageQuery => UsageQuery.parse(text);

/** Nothing here writes: one service for all. */
describe("lines", () => {
  beforeAll(open);
  afterAll(close);
  beforeAll(async () => {
    await addSession("ses_1");
    await addSession("ses_2", {}, { by: "tok_other" });
    await store.commit({
      usage: [
        used({ day: "2026-11-13" }),
        used({ day: "2026-11-14", model: "large", turn: "" }),
        used({ day: "2026-11-14", model: "large", provider: "openrouter" }),
        used({ agent: "tok_other", session: "ses_2", engine: "codex" }),
        used({ turn: "turn_2" }),
      ],
    });
  });

  it.each<[string, readonly Partial<UsageLine>[]]>([
    [
      "day",
      [
        { day: "2026-11-13", ...figures(1) },
        { day: "2026-11-14", ...figures(2) },
        { day: TODAY, ...figures(2) },
      ],
    ],
    [
      "agent",
      [
        { agent: "tok_agent", ...figures(4) },
        { agent: "tok_other", ...figures(1) },
      ],
    ],
    [
      "model",
      [
        { model: "large", ...figures(2) },
        { model: "small", ...figures(3) },
      ],
    ],
    [
      "provider",
      [
        { provider: "cloud", ...figures(4) },
        { provider: "openrouter", ...figures(1) },
      ],
    ],
    [
      "session",
      [
        { session: "ses_1", ...figures(4) },
        { session: "ses_2", ...figures(1) },
      ],
    ],
    [
      "engine",
      [
        { engine: "codex", ...figures(1) },
        { engine: "loop", ...figures(4) },
      ],
    ],
    [
      "turn",
      [
        { turn: "", ...figures(1) },
        { turn: "turn_1", ...figures(3) },
        { turn: "turn_2", ...figures(1) },
      ],
    ],
    [
      "model, day",
      [
        { model: "large", day: "2026-11-14", ...figures(2) },
        { model: "small", day: "2026-11-13", ...figures(1) },
        { model: "small", day: TODAY, ...figures(2) },
      ],
    ],
  ])("by %s", async (by, lines) => {
    const report = await service.report(admin, query({ by }));
    expect(report).toEqual({ lines, total: figures(5), budgets: expect.any(Array) as unknown });
  });

  it.each<[string, Readonly<Record<string, string>>, number]>([
    ["one day", { from: "2026-11-14", to: "2026-11-14" }, 2],
    ["from a day on", { from: "2026-11-14" }, 4],
    ["up to a day", { to: "2026-11-14" }, 3],
    ["an agent", { agent: "tok_other" }, 1],
    ["a session", { session: "ses_1" }, 4],
    ["a session on a day", { session: "ses_1", from: TODAY }, 1],
    ["an agent in another's session", { session: "ses_1", agent: "tok_other" }, 0],
    ["a day without usage", { from: "2027-01-01" }, 0],
    ["an agent that is not known", { agent: "tok_none" }, 0],
  ])("of %s", async (_name, filter, times) => {
    const { lines, total } = await service.report(admin, query({ by: "provider", ...filter }));
    expect(total).toEqual(figures(times));
    expect(lines.reduce((sum, line) => sum + line.requests, 0)).toBe(times);
  });

  it("are cut at the limit, the total is not", async () => {
    expect(await service.report(admin, query({ by: "day", limit: "2" }))).toMatchObject({
      lines: [{ day: "2026-11-13" }, { day: "2026-11-14" }],
      total: figures(5),
      truncated: true,
    });
    expect(await service.report(admin, query({ by: "day", limit: "3" }))).not.toHaveProperty("truncated");
  });

  it("of a session that is not there are refused", async () => {
    await expect(service.report(admin, query({ session: "ses_9" }))).rejects.toMatchObject({ code: "not_found" });
    await expect(service.session(admin, "ses_9")).rejects.toMatchObject({ code: "not_found" });
  });

  it.each<Role>(["operator", "viewer"])("of everybody are shown to a %s", async (role) => {
    expect((await service.report(caller(role), query())).total).toEqual(figures(5));
  });

  it("of an agent are its own alone", async () => {
    const agent = caller("agent");
    const { total, budgets } = await service.report(agent, query());
    expect(total).toEqual(figures(4));
    expect(budgets.map(({ kind, of }) => [kind, of])).toEqual([
      ["agent_day", "tok_agent"],
      ["agent", "tok_agent"],
    ]);
    expect((await service.report(agent, query({ agent: "tok_agent" }))).total).toEqual(figures(4));
    await expect(service.report(agent, query({ agent: "tok_other" }))).rejects.toMatchObject({ code: "forbidden" });
    await expect(service.report(agent, query({ session: "ses_2" }))).rejects.toMatchObject({ code: "not_found" });
    await expect(service.session(agent, "ses_2")).rejects.toMatchObject({ code: "not_found" });
    expect((await service.session(agent, "ses_1")).budgets.map(({ kind }) => kind)).toEqual([
      "session",
      "agent_day",
      "agent",
    ]);
    expect(() => service.checkMetrics(agent)).toThrow("may not metrics.read");
  });
});

describe("budgets", () => {
  beforeEach(open);
  afterEach(close);
  const claim = {
    id: "req_1",
    session_id: "ses_1",
    turn_id: "turn_1",
    agent: "tok_agent",
    engine: "loop",
    provider: "cloud",
    model: "small",
  };
  const accounts = (): readonly string[] => [
    ACCOUNTS.session("ses_1"),
    ACCOUNTS.agentDay("tok_agent", new Date(now).toISOString().slice(0, 10)),
    ACCOUNTS.agent("tok_agent"),
    ACCOUNTS.day(new Date(now).toISOString().slice(0, 10)),
    ACCOUNTS.total,
  ];

  async function reserve(amount: number): Promise<{ settle(cost: number): void }> {
    const spendingLimits = accounts().map((account) => ({ kind: "session" as const, account }));
    const reservation = await ledger.reserve({ ...claim, spendingLimits, amount }, new AbortController().signal);
    if (!("settle" in reservation)) throw new Error("refused");
    return {
      settle: (cost) => reservation.settle({ tokens: { ...NO_TOKENS, input: 10, output: 1 }, cost, bound: 0 }),
    };
  }

  const line = (
    kind: string,
    of: string,
    money: readonly [spent: number, reserved: number, limit?: number],
  ): object => ({
    kind,
    of,
    spent_microusd: money[0],
    reserved_microusd: money[1],
    ...(money[2] === undefined
      ? {}
      : { limit_microusd: money[2], remaining_microusd: Math.max(0, money[2] - money[0] - money[1]) }),
  });

  it("follow reservations and spending at once, and begin anew each day", async () => {
    await addSession("ses_1", { max_cost_microusd: 900 });
    const reserved = await reserve(300);
    const agent = query({ agent: "tok_agent" });
    expect((await service.report(admin, agent)).budgets).toEqual([
      line("agent_day", "tok_agent", [0, 300, 1_000]),
      line("agent", "tok_agent", [0, 300, 5_000]),
      line("day", "", [0, 300, 10_000]),
      line("total", "", [0, 300]),
    ]);
    reserved.settle(100);
    const settled = await service.report(admin, agent);
    expect(settled).toEqual({
      lines: [{ day: TODAY, ...figures(1) }],
      total: figures(1),
      budgets: [
        line("agent_day", "tok_agent", [100, 0, 1_000]),
        line("agent", "tok_agent", [100, 0, 5_000]),
        line("day", "", [100, 0, 10_000]),
        line("total", "", [100, 0]),
      ],
    });
    now += DAY_MS;
    expect((await service.report(admin, agent)).budgets).toEqual([
      line("agent_day", "tok_agent", [0, 0, 1_000]),
      line("agent", "tok_agent", [100, 0, 5_000]),
      line("day", "", [0, 0, 10_000]),
      line("total", "", [100, 0]),
    ]);
  });

  it("are the caller's own unless an agent or a session is named", async () => {
    await addSession("ses_1", { profile: "rich" });
    const own = async (filter: Readonly<Record<string, string>>): Promise<unknown> =>
      (await service.report(admin, query(filter))).budgets.map(({ kind, of, limit_microusd }) => [
        kind,
        of,
        limit_microusd,
      ]);
    expect(await own({})).toContainEqual(["agent_day", "tok_admin", 1_000]);
    expect(await own({ agent: "tok_x" })).toContainEqual(["agent_day", "tok_x", 1_000]);
    expect(await own({ session: "ses_1" })).toEqual([
      ["session", "ses_1", 700],
      // The principal's own limits hold, whatever profile its session has.
      ["agent_day", "tok_agent", 1_000],
      ["agent", "tok_agent", 5_000],
      ["day", "", 10_000],
      ["total", "", undefined],
    ]);
  });

  it("of a session name every account that it draws on, with what people set", async () => {
    await addSession("ses_0", { max_cost_microusd: 2_000 });
    await addSession("ses_1", { max_cost_microusd: 900 }, { ancestors: ["ses_0"] });
    const at = new Date(now).toISOString();
    const { row } = limits.put({ kind: "session", account: ACCOUNTS.session("ses_1"), limit: 1_500 }, admin, at);
    await store.commit({ documents: [row] });
    const first = await reserve(400);
    first.settle(250);
    await reserve(200);
    expect(await service.session(admin, "ses_1")).toEqual({
      session_id: "ses_1",
      requests: 1,
      tokens: { ...NO_TOKENS, input: 10, output: 1 },
      cost_microusd: 250,
      bound_microusd: 0,
      reserved_microusd: 200,
      limit_microusd: 1_500,
      remaining_microusd: 1_050,
      models: [{ provider: "cloud", model: "small", ...figures(1), cost_microusd: 250 }],
      budgets: [
        line("session", "ses_1", [250, 200, 1_500]),
        line("parent", "ses_0", [0, 0, 2_000]),
        line("agent_day", "tok_agent", [250, 200, 1_000]),
        line("agent", "tok_agent", [250, 200, 5_000]),
        line("day", "", [250, 200, 10_000]),
        line("total", "", [250, 200]),
      ],
      input_tokens: 10,
      output_tokens: 1,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      total_tokens: 11,
    });
  });

  it("of a session whose profile is gone have no limit of that profile", async () => {
    await addSession("ses_1", { profile: "gone" });
    expect(await service.session(admin, "ses_1")).toMatchObject({
      budgets: [{ kind: "session" }, { kind: "agent_day" }, { kind: "agent" }, { kind: "day" }, { kind: "total" }],
      total_tokens: 0,
    });
  });
});
