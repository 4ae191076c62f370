import { describe, expect, it } from "vitest";
import { LIMITS, NO_TOKENS, NO_USAGE, type Outcome, type ToolItem } from "../../src/protocol/index.ts";
import type { Exchange } from "../../src/proxy/index.ts";
import type { Readings } from "../../src/telemetry/index.ts";
import {
  CANARY,
  completed,
  exchangeOf,
  journal,
  only,
  openStand,
  parsePrometheus,
  SESSION,
  started,
  toolItem,
  type Stand,
} from "./fixture.ts";

const READINGS: Readings = {
  sessionsInMemory: 3,
  openTurns: 2,
  pendingApprovals: 1,
  oldestQuestionSeconds: 12.5,
  engineProcesses: { working: 1, idle: 2, warm: 3 },
  watchers: 40,
  reservedMicrousd: 123_456,
  spentTodayMicrousd: 99,
  queuedPrompts: 4,
  openSockets: 5,
  openModelRequests: 6,
  sessionKeys: 7,
  storeStalled: 0,
  storeWaitingChars: 0,
  storeWaitingWrites: 9,
  storeRefusedWrites: 10,
  storeFreeBytes: 1_000_000,
  storeDatabaseBytes: 4_096,
  storeWalBytes: 0,
  requestLogDropped: 8,
};

async function scrape(stand: Stand): Promise<Record<string, number>> {
  return parsePrometheus(await stand.telemetry.metrics());
}

describe("metrics of model requests", () => {
  it("counts requests, tokens, money and times", async () => {
    const stand = await openStand();
    const shortage = {
      kind: "session" as const,
      limit_microusd: 1,
      spent_microusd: 1,
      reserved_microusd: 0,
      asked_microusd: 1,
    };
    const told: readonly Partial<Exchange>[] = [
      { tokens: { ...NO_TOKENS, input: 10, output: 20, cache_read: 100, cache_write_1h: 7, reasoning: 3 } },
      { duration_ms: 60, first_byte_ms: 50, tokens: { ...NO_TOKENS, input: 1, output: 2, web_searches: 1 } },
      { outcome: "broken", code: "model_stream_cut", bound_microusd: 200, cost_microusd: 250 },
      { outcome: "refused", code: "budget_exceeded", shortage, tokens: NO_TOKENS, cost_microusd: 0 },
      { outcome: "refused", code: "rate_limited", tokens: NO_TOKENS, cost_microusd: 0 },
      { route: "/v1/messages/count_tokens", tokens: NO_TOKENS, cost_microusd: 0 },
      { route: "/v1/models", model: "", tokens: NO_TOKENS, cost_microusd: 0 },
    ];
    for (const change of told) stand.telemetry.exchange(exchangeOf(change));
    const samples = await scrape(stand);
    const model = 'provider="cloud",model="claude-sonnet-5"';
    expect(
      only(
        samples,
        "sallyport_model_requests_total",
        "sallyport_model_tokens_total",
        "sallyport_model_cost_microusd_total",
        "sallyport_model_bound_microusd_total",
        "sallyport_budget_refusals_total",
        "sallyport_model_request_duration_seconds_count",
        "sallyport_model_request_duration_seconds_sum",
        "sallyport_model_request_first_byte_seconds_sum",
      ),
    ).toEqual({
      [`sallyport_model_requests_total{${model},outcome="completed",code=""}`]: 3,
      [`sallyport_model_requests_total{${model},outcome="broken",code="model_stream_cut"}`]: 1,
      [`sallyport_model_requests_total{${model},outcome="refused",code="budget_exceeded"}`]: 1,
      [`sallyport_model_requests_total{${model},outcome="refused",code="rate_limited"}`]: 1,
      [`sallyport_model_requests_total{provider="cloud",model="",outcome="completed",code=""}`]: 1,
      [`sallyport_model_tokens_total{${model},kind="input"}`]: 21,
      [`sallyport_model_tokens_total{${model},kind="output"}`]: 42,
      [`sallyport_model_tokens_total{${model},kind="cache_read"}`]: 100,
      [`sallyport_model_tokens_total{${model},kind="cache_write_1h"}`]: 7,
      [`sallyport_model_tokens_total{${model},kind="reasoning"}`]: 3,
      [`sallyport_model_tokens_total{${model},kind="web_searches"}`]: 1,
      [`sallyport_model_cost_microusd_total{${model}}`]: 850,
      [`sallyport_model_bound_microusd_total{${model}}`]: 200,
      'sallyport_budget_refusals_total{kind="session"}': 1,
      [`sallyport_model_request_duration_seconds_count{${model}}`]: 3,
      [`sallyport_model_request_duration_seconds_sum{${model}}`]: 3.06,
      [`sallyport_model_request_first_byte_seconds_sum{${model}}`]: 0.45,
    });
    expect(only(samples, "sallyport_model_request_first_byte_seconds_bucket")).toEqual(
      Object.fromEntries(
        [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640, "+Inf"].map((bound) => [
          `sallyport_model_request_first_byte_seconds_bucket{${model},le="${bound}"}`,
          bound === 0.05 || bound === 0.1 ? 1 : 3,
        ]),
      ),
    );
    const genai =
      'gen_ai_operation_name="chat",gen_ai_provider_name="anthropic",gen_ai_request_model="claude-sonnet-5"';
    expect(only(samples, "gen_ai_client_operation_duration_count", "gen_ai_client_token_usage_sum")).toEqual({
      [`gen_ai_client_operation_duration_count{${genai},error_type=""}`]: 2,
      [`gen_ai_client_operation_duration_count{${genai},error_type="model_stream_cut"}`]: 1,
      [`gen_ai_client_token_usage_sum{${genai},gen_ai_token_type="input"}`]: 128,
      [`gen_ai_client_token_usage_sum{${genai},gen_ai_token_type="output"}`]: 42,
    });
    await stand.telemetry.close();
  });

  it("gives a bounded number of models a label, and only to those that answered", async () => {
    const stand = await openStand();
    const { telemetry } = stand;
    for (let n = 0; n < 1_000; n += 1)
      telemetry.exchange(exchangeOf({ model: `invented-${n}`, outcome: "provider_error", tokens: NO_TOKENS }));
    for (let n = 0; n < 1_000; n += 1)
      telemetry.exchange(exchangeOf({ model: `unpriced-${n}`, outcome: "refused", tokens: NO_TOKENS }));
    for (let n = 0; n < LIMITS.metricLabelValues + 50; n += 1) telemetry.exchange(exchangeOf({ model: `real-${n}` }));
    telemetry.exchange(exchangeOf({ model: "real-0", outcome: "provider_error", tokens: NO_TOKENS }));
    const samples = only(await scrape(stand), "sallyport_model_requests_total");
    const row = (model: string, outcome: string) =>
      `sallyport_model_requests_total{provider="cloud",model="${model}",outcome="${outcome}",code=""}`;
    expect(samples).toEqual({
      [row("other", "provider_error")]: 1_000,
      [row("other", "refused")]: 1_000,
      [row("other", "completed")]: 50,
      [row("real-0", "provider_error")]: 1,
      ...Object.fromEntries(
        Array.from({ length: LIMITS.metricLabelValues }, (_, n) => [row(`real-${n}`, "completed"), 1]),
      ),
    });
    await telemetry.close();
  });

  it("bounds the combinations of labels too", async () => {
    const stand = await openStand();
    for (let n = 0; n < 100; n += 1)
      for (let m = 0; m < 20; m += 1) stand.telemetry.exchange(exchangeOf({ model: `m${n}`, provider: `p${m}` }));
    const counted = only(await scrape(stand), "sallyport_model_cost_microusd_total");
    expect(Object.keys(counted)).toHaveLength(LIMITS.metricSeries + 1);
    expect(Object.values(counted).reduce((sum, value) => sum + value)).toBe(2_000 * 300);
    expect(counted['sallyport_model_cost_microusd_total{provider="other",model="other"}']).toBe(1_500 * 300);
    await stand.telemetry.close();
  });

  it("writes odd names so that they can be read, cut and redacted", async () => {
    const stand = await openStand();
    const odd = 'a"b\\c\nd{}#,';
    for (const model of [odd, "x".repeat(5_000), `m-${CANARY}`]) stand.telemetry.exchange(exchangeOf({ model }));
    const text = await stand.telemetry.metrics();
    const names = Object.keys(only(parsePrometheus(text), "sallyport_model_cost_microusd_total"));
    expect(names).toEqual(
      [String.raw`a\"b\\c\nd{}#,`, "x".repeat(LIMITS.metricLabelChars), "m-[redacted]"].map(
        (model) => `sallyport_model_cost_microusd_total{provider="cloud",model="${model}"}`,
      ),
    );
    expect(text).not.toContain(CANARY);
    await stand.telemetry.close();
  });
});

describe("metrics of turns", () => {
  it("counts turns, tool calls and questions by how they ended", async () => {
    const stand = await openStand();
    const line = journal();
    const resolved = (outcome: Outcome) =>
      ({
        type: "approval.resolved",
        approval_id: "apr_1",
        outcome,
        by: { id: "u", role: "operator", name: "u" },
      }) as const;
    const ended = (status: "completed" | "failed" | "declined", tool: string, type: ToolItem["type"] = "tool_call") =>
      ({ type: "item.completed", item: toolItem("item_1", { status, tool, type }) }) as const;
    const events = [
      line(0, started("turn_1")),
      line(10, ended("completed", "Grep")),
      line(20, ended("failed", "Grep")),
      line(30, ended("failed", "NoSuchTool")),
      line(40, ended("declined", "Bash", "command_execution")),
      line(41, ended("declined", "mcp__files__NoSuchTool", "mcp_tool_call")),
      line(50, { type: "item.completed", item: { id: "i", type: "agent_message", status: "completed", text: "hi" } }),
      line(60, resolved("approved")),
      line(70, resolved("timed_out")),
      line(2_000, completed("turn_1")),
      line(3_000, { type: "turn.resumed", turn_id: "turn_2", restarts: 1 }),
      line(3_500, {
        type: "turn.failed",
        turn_id: "turn_2",
        error: { code: "model_error", message: "no" },
        usage: NO_USAGE,
      }),
      // Closed while it was queued: it never began.
      line(4_000, {
        type: "turn.failed",
        turn_id: "turn_3",
        error: { code: "session_closed", message: "closed" },
        usage: NO_USAGE,
      }),
    ];
    for (const event of events) stand.telemetry.event(event, SESSION);
    const samples = await scrape(stand);
    expect(
      only(
        samples,
        "sallyport_turns_total",
        "sallyport_tool_calls_total",
        "sallyport_approvals_total",
        "sallyport_turn_duration_seconds_sum",
        "sallyport_turn_duration_seconds_count",
      ),
    ).toEqual({
      'sallyport_turns_total{engine="loop",outcome="completed",code=""}': 1,
      'sallyport_turns_total{engine="loop",outcome="failed",code="model_error"}': 1,
      'sallyport_turns_total{engine="loop",outcome="failed",code="session_closed"}': 1,
      'sallyport_tool_calls_total{tool="Grep",status="completed"}': 1,
      'sallyport_tool_calls_total{tool="Grep",status="failed"}': 1,
      'sallyport_tool_calls_total{tool="other",status="failed"}': 1,
      'sallyport_tool_calls_total{tool="other",status="declined"}': 1,
      'sallyport_tool_calls_total{tool="Bash",status="declined"}': 1,
      'sallyport_approvals_total{outcome="approved"}': 1,
      'sallyport_approvals_total{outcome="timed_out"}': 1,
      'sallyport_turn_duration_seconds_sum{engine="loop"}': 2.5,
      'sallyport_turn_duration_seconds_count{engine="loop"}': 2,
    });
    await stand.telemetry.close();
  });
});

describe("readings", () => {
  it("are read at each scrape, at once or later", async () => {
    const stand = await openStand();
    let turns = 0;
    stand.telemetry.gauges(() => {
      turns += 1;
      return Promise.resolve({ ...READINGS, openTurns: turns });
    });
    await scrape(stand);
    expect(
      only(
        await scrape(stand),
        "sallyport_sessions_in_memory",
        "sallyport_open_turns",
        "sallyport_reserved_microusd",
        "sallyport_request_log_dropped_total",
      ),
    ).toEqual({
      sallyport_sessions_in_memory: 3,
      sallyport_open_turns: 2,
      sallyport_reserved_microusd: 123_456,
      sallyport_request_log_dropped_total: 8,
    });
    const { sessionsInMemory, openTurns, pendingApprovals, watchers, reservedMicrousd } = READINGS;
    stand.telemetry.gauges(() => ({ sessionsInMemory, openTurns, pendingApprovals, watchers, reservedMicrousd }));
    expect(await scrape(stand)).not.toHaveProperty("sallyport_open_sockets");
    await stand.telemetry.close();
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("broken");
      },
    ],
    ["rejects", () => Promise.reject(new Error("broken"))],
  ])("are left out when the server %s, and the operator is told once", async (_, read: () => Promise<Readings>) => {
    const stand = await openStand();
    stand.telemetry.gauges(read);
    stand.telemetry.exchange(exchangeOf());
    await scrape(stand);
    const samples = await scrape(stand);
    expect(samples).not.toHaveProperty("sallyport_open_turns");
    expect(samples).toHaveProperty("process_resident_memory_bytes");
    expect(stand.told).toEqual([
      { level: "warn", fields: {}, message: "the numbers of the server could not be read, or not in time" },
    ]);
    await stand.telemetry.close();
  });

  it("include what the process uses", async () => {
    const stand = await openStand();
    const samples = await scrape(stand);
    expect(samples["process_resident_memory_bytes"]).toBeGreaterThan(10_000_000);
    expect(samples["nodejs_heap_size_used_bytes"]).toBeGreaterThan(1_000_000);
    expect(samples["process_cpu_seconds_total"]).toBeGreaterThan(0);
    expect(samples['sallyport_event_loop_delay_seconds{quantile="0.99"}']).toBeGreaterThanOrEqual(0);
    expect(samples["sallyport_event_loop_utilization"]).toBeGreaterThanOrEqual(0);
    expect(samples['sallyport_build_info{version="1.2.3"}']).toBe(1);
    await stand.telemetry.close();
  });
});

it("nothing that it is told can disturb the caller", async () => {
  const stand = await openStand();
  stand.telemetry.exchange(undefined as unknown as Exchange);
  stand.telemetry.exchange(undefined as unknown as Exchange);
  expect(stand.told.map(({ message }) => message)).toEqual(["something could not be counted"]);
  stand.telemetry.exchange(exchangeOf());
  expect(await scrape(stand)).toHaveProperty(
    'sallyport_model_cost_microusd_total{provider="cloud",model="claude-sonnet-5"}',
    300,
  );
  await stand.telemetry.close();
});
