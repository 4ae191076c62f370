import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SallyportClient } from "../../src/client/index.ts";
import { NO_TOKENS, type BudgetLine, type UsageLine } from "../../src/protocol/index.ts";
import { openTestApp, runScript, script, type TestApp } from "../support/app.ts";

/** Micro-USD per million tokens: one token costs 1, 2 or 3. Nobody listens on port 9. */
const SETTINGS = `
prices:
  sim/*: { input: 1000000, output: 2000000, cache_write: 3000000 }
providers:
  mine: { base_url: "http://127.0.0.1:9/hidden-path", wire: openai, credential_env: MY_KEY, default_model: m1 }
`;
const KEY = "canary-key-that-nobody-may-see-0123456789";
const DAY_LIMIT = 50_000_000;

let app: TestApp;
let agent: SallyportClient & { readonly token: string };
/** A session of the admin and one of the agent, each with one turn. */
let sessions: { readonly admin: string; readonly agent: string };
const today = new Date().toISOString().slice(0, 10);

beforeAll(async () => {
  app = await openTestApp({ MY_KEY: KEY });
  await writeFile(join(app.place.home, "sallyport.yaml"), SETTINGS);
  await app.restart();
  agent = await app.as("agent", "counted");
  await app.client.setPolicy({
    default_profile: "full",
    profiles: { full: { max_cost_microusd_per_day: 20_000_000 } },
    budget: { per_day_microusd: DAY_LIMIT },
  });
  const turn = async (client: SallyportClient, max_cost_microusd?: number): Promise<string> => {
    const { session } = await runScript(client, {
      prompt: { text: script({ say: "counted" }) },
      ...(max_cost_microusd === undefined ? {} : { max_cost_microusd }),
    });
    return session.id;
  };
  sessions = { admin: await turn(app.client), agent: await turn(agent, 10_000_000) };
});

afterAll(() => app[Symbol.asyncDispose]());

async function get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(`${app.serving.url}${path}`, {
    headers: { authorization: `Bearer ${app.serving.token}`, ...headers },
  });
}

/** A line's figures alone. */
function figures({ requests, tokens, cost_microusd, bound_microusd }: UsageLine): UsageLine {
  return { requests, tokens, cost_microusd, bound_microusd };
}

function costOf({ tokens }: UsageLine): number {
  return tokens.input + 2 * tokens.output + 3 * tokens.cache_write;
}

function budgetOf(budgets: readonly BudgetLine[], kind: string): BudgetLine | undefined {
  return budgets.find((line) => line.kind === kind);
}

describe("usage of real turns", () => {
  it("is counted by session, and costs what the prices say", async () => {
    const { lines, total, budgets } = await app.client.usage({ by: ["session"] });
    expect(lines.map(({ session }) => session)).toEqual([sessions.admin, sessions.agent]);
    for (const line of lines) expect({ ...line, cost_microusd: costOf(line) }).toEqual({ ...line, requests: 1 });
    expect(total).toMatchObject({ requests: 2, cost_microusd: costOf(total), bound_microusd: 0 });
    expect(total.tokens.output).toBeGreaterThan(0);
    expect(budgetOf(budgets, "day")).toEqual({
      kind: "day",
      of: "",
      spent_microusd: total.cost_microusd,
      reserved_microusd: 0,
      limit_microusd: DAY_LIMIT,
      remaining_microusd: DAY_LIMIT - total.cost_microusd,
    });
  });

  it("has one line for a day, and every group that is asked for", async () => {
    const { total, lines: days } = await app.client.usage();
    expect(days).toEqual([{ day: today, ...total }]);
    const { lines } = await app.client.usage({ by: ["provider", "model", "engine"] });
    expect(lines).toEqual([{ provider: "sim", model: "sim", engine: "loop", ...total }]);
    const none = await app.client.usage({ to: "2020-01-01" });
    expect(none).toMatchObject({ lines: [], total: { requests: 0, tokens: NO_TOKENS, cost_microusd: 0 } });
  });

  it("of a session carries document 003's names", async () => {
    const usage = await app.client.sessionUsage(sessions.agent);
    const { lines } = await app.client.usage({ by: ["provider", "model"], session: sessions.agent });
    const [line] = lines;
    if (line === undefined) throw new Error("no line");
    const { tokens, cost_microusd } = line;
    expect(usage).toMatchObject({
      session_id: sessions.agent,
      ...figures(line),
      models: lines,
      reserved_microusd: 0,
      limit_microusd: 10_000_000,
      remaining_microusd: 10_000_000 - cost_microusd,
      input_tokens: tokens.input,
      output_tokens: tokens.output,
      cache_read_tokens: 0,
      cache_write_tokens: tokens.cache_write,
      total_tokens: tokens.input + tokens.output + tokens.cache_write,
    });
    expect(usage.budgets.map(({ kind }) => kind)).toEqual(["session", "agent_day", "agent", "day", "total"]);
    expect((await app.client.session(sessions.agent)).cost_microusd).toBe(cost_microusd);
  });

  it("of a fork draws on its parent, and a limit that a person sets holds at once", async () => {
    const parent = await app.client.sessionUsage(sessions.agent);
    const fork = await agent.fork(sessions.agent);
    const usage = await agent.sessionUsage(fork.id);
    expect(usage).toMatchObject({ requests: 0, cost_microusd: 0, models: [], total_tokens: 0 });
    expect(budgetOf(usage.budgets, "parent")).toEqual({
      kind: "parent",
      of: sessions.agent,
      spent_microusd: parent.cost_microusd,
      reserved_microusd: 0,
      limit_microusd: 10_000_000,
      remaining_microusd: 10_000_000 - parent.cost_microusd,
    });
    await app.client.setBudget(sessions.agent, { max_cost_microusd: 12_000_000 });
    expect((await agent.sessionUsage(sessions.agent)).limit_microusd).toBe(12_000_000);
  });

  it("of an agent is its own", async () => {
    const { lines, budgets } = await agent.usage({ by: ["session"] });
    expect(lines.map(({ session }) => session)).toEqual([sessions.agent]);
    expect(budgets.map(({ kind }) => kind)).toEqual(["agent_day", "agent"]);
    const { csv } = await agent.usageCsv({ by: ["session"] });
    expect(csv.split("\r\n").map((row) => row.split(",")[0])).toEqual(["session", sessions.agent, ""]);
    await expect(agent.usage({ session: sessions.admin })).rejects.toMatchObject({ code: "not_found" });
    await expect(agent.usageCsv({ session: sessions.admin })).rejects.toMatchObject({ code: "not_found" });
    await expect(agent.usage({ agent: "tok_other" })).rejects.toMatchObject({ code: "forbidden" });
    await expect(agent.sessionUsage(sessions.admin)).rejects.toMatchObject({ code: "not_found" });
    expect((await agent.sessionUsage(sessions.agent)).budgets.map(({ kind }) => kind)).toEqual([
      "session",
      "agent_day",
      "agent",
    ]);
  });
});

describe("what is asked for wrongly", () => {
  it.each([
    ["by=weekday", 400],
    ["by=", 400],
    ["by=day,day", 400],
    ["by=day&by=model", 400],
    ["by=day;DROP TABLE usage", 400],
    ["from=2026-02-30", 400],
    ["from=15.11.2026", 400],
    ["to=2026-11-15T00:00:00Z", 400],
    ["from=2026-11-16&to=2026-11-15", 400],
    ["limit=0", 400],
    ["limit=10001", 400],
    ["limit=many", 400],
    ["format=xml", 400],
    ["session=ses_none", 404],
    ["format=csv&session=ses_none", 404],
    [`session=${"x".repeat(101)}`, 400],
  ])("?%s is %i", async (search, status) => {
    const response = await get(`/api/usage?${search}`, { accept: "text/csv, */*" });
    expect({ status: response.status, body: await response.json() }).toEqual({
      status,
      body: {
        error: expect.objectContaining({ code: status === 404 ? "not_found" : "invalid_request" }) as unknown,
        request_id: expect.any(String) as unknown,
      },
    });
  });

  it("a session that is not there is 404", async () => {
    expect((await get("/api/sessions/ses_none/usage")).status).toBe(404);
  });
});

describe("CSV", () => {
  it.each([
    ["?by=model", { accept: "text/csv" }, "sallyport-usage.csv"],
    ["?by=model&format=csv", {}, "sallyport-usage.csv"],
    [`?by=model&format=csv&from=2020-01-01&to=${today}`, {}, `sallyport-usage_2020-01-01_${today}.csv`],
    [`?by=model&format=csv&from=${today}&to=${today}`, {}, `sallyport-usage_${today}.csv`],
  ])("%s is a file", async (search, headers, name) => {
    const response = await get(`/api/usage${search}`, headers);
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(response.headers.get("content-disposition")).toBe(`attachment; filename="${name}"`);
    expect(response.headers.get("sallyport-truncated")).toBeNull();
    const { total } = await app.client.usage();
    const { input, output, cache_write } = total.tokens;
    const cost = total.cost_microusd;
    expect(await response.text()).toBe(
      "model,requests,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,cache_write_1h_tokens,reasoning_tokens,web_searches,cost_microusd,bound_microusd,cost_dollars\r\n" +
        `sim,2,${input},${output},0,${cache_write},0,0,0,${cost},0,${(cost / 1_000_000).toFixed(6)}\r\n`,
    );
  });

  it("says when it was cut", async () => {
    const { csv, truncated } = await app.client.usageCsv({ by: ["session"], limit: 1 });
    expect({ lines: csv.split("\r\n").length - 2, truncated }).toEqual({ lines: 1, truncated: true });
    expect(await app.client.usage({ by: ["session"], limit: 1 })).toMatchObject({
      lines: [{ requests: 1 }],
      total: { requests: 2 },
      truncated: true,
    });
  });

  it("gives JSON where that is asked for", async () => {
    const response = await get("/api/usage?format=json", { accept: "text/csv" });
    expect(response.headers.get("content-type")).toBe("application/json");
  });
});

describe("providers and prices", () => {
  it("says where calls go and never with what", async () => {
    const { providers } = await app.client.providers();
    expect(providers.find(({ id }) => id === "sim")).toEqual({
      id: "sim",
      is_default: true,
      wires: expect.arrayContaining(["anthropic"]) as unknown,
      hosts: expect.objectContaining({
        anthropic: expect.stringMatching(/^(unix|127\.0\.0\.1:\d+)$/) as unknown,
      }) as unknown,
      default_model: "sim",
      free: true,
      credential: "not_needed",
      credential_names: [],
      status: "available",
    });
    expect(providers.find(({ id }) => id === "cloud")).toMatchObject({
      is_default: false,
      hosts: { anthropic: "api.anthropic.com" },
      free: false,
      credential: "missing",
      credential_names: [],
      message: expect.stringContaining("ANTHROPIC_API_KEY") as unknown,
    });
  });

  it("shows the name of a key and the host of an address, and nothing more of them", async () => {
    const text = await (await get("/api/providers")).text();
    const { providers } = JSON.parse(text) as { providers: readonly { readonly id: string }[] };
    expect(providers.find(({ id }) => id === "mine")).toEqual({
      id: "mine",
      is_default: false,
      wires: ["openai"],
      hosts: { openai: "127.0.0.1:9" },
      default_model: "m1",
      free: false,
      credential: "found",
      credential_names: ["MY_KEY"],
      status: "available",
    });
    const tested = JSON.stringify(await app.client.testProvider("mine"));
    expect(JSON.parse(tested)).toMatchObject({ id: "mine", status: "unreachable", wires: ["openai"] });
    for (const said of [text, tested]) {
      expect(said).not.toContain(KEY);
      expect(said).not.toContain("hidden-path");
    }
  });

  it("asks a provider, and writes that down", async () => {
    expect(await app.client.testProvider("sim")).toMatchObject({ id: "sim", status: "ok" });
    await expect(app.client.testProvider("nobody")).rejects.toMatchObject({ code: "not_found" });
    const entries = (await (await get("/api/audit?action=provider.test")).json()) as {
      entries: readonly { readonly target: string }[];
    };
    expect(entries.entries.map(({ target }) => target)).toEqual(["sim", "mine"]);
  });

  it("says what a model costs and who says so", async () => {
    expect(await app.client.prices({ model: "sim", provider: "sim" })).toEqual({
      prices: [
        {
          provider: "sim",
          model: "sim",
          price: { input: 1_000_000, output: 2_000_000, cache_write: 3_000_000 },
          from: "settings",
        },
      ],
    });
    const { prices } = await app.client.prices();
    expect(prices.length).toBeGreaterThan(5);
    expect((await app.client.prices({ provider: "nobody" })).prices).toEqual([]);
  });
});

describe("/metrics", () => {
  it("is Prometheus' text for those who may see everybody's figures", async () => {
    const viewer = await app.as("viewer", "prometheus");
    const response = await fetch(`${app.serving.url}/metrics`, {
      headers: { authorization: `Bearer ${viewer.token}` },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(await response.text()).toMatch(/^# HELP /m);
    const refused = await fetch(`${app.serving.url}/metrics`, {
      headers: { authorization: `Bearer ${agent.token}` },
    });
    expect(refused.status).toBe(403);
  });
});

it("usage and budgets are the same after a restart", async () => {
  const before = await app.client.usage({ by: ["session", "turn"] });
  await app.restart();
  expect(await app.client.usage({ by: ["session", "turn"] })).toEqual(before);
});
