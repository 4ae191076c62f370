import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { LIMITS, NO_TOKENS, NO_USAGE, type Approval, type JournalEvent } from "../../src/protocol/index.ts";
import { openCollector, type SeenSpan } from "./collector.ts";
import {
  CANARY,
  completed,
  exchangeOf,
  journal,
  openStand,
  play,
  spanCounts,
  START,
  started,
  toolItem,
} from "./fixture.ts";

const CLIENT = 3;
const INTERNAL = 1;
const ERROR = 2;

/** A span with its parent by name, for comparing whole. */
function named(spans: readonly SeenSpan[]): readonly object[] {
  const names = new Map(spans.map((span) => [span.spanId, span.name]));
  return spans.map(({ traceId: _trace, spanId: _span, parent, start, end, ...rest }) => ({
    ...rest,
    parent: parent === undefined ? undefined : (names.get(parent) ?? "unknown"),
    from: start - START,
    to: end - START,
  }));
}

const approval = (id: string, item_id: string): JournalEvent & { type: "approval.requested" } => ({
  seq: 1,
  session_id: "ses_1",
  at: new Date(START + 150).toISOString(),
  type: "approval.requested",
  approval: { id, item_id, input: { command: CANARY } } as unknown as Approval,
});

describe("traces", () => {
  it("has a span for a turn, its tools and its model requests, under the right parents", async () => {
    await using collector = await openCollector();
    const stand = await openStand({ endpoint: collector.url, headers: { "x-collector-key": "k" } });
    const line = journal();
    play(stand, [
      line(0, started("turn_1")),
      line(100, { type: "item.started", item: toolItem("item_1", { tool: "Task", type: "subagent" }) }),
      line(110, { type: "item.started", item: toolItem("item_2", { tool: "Bash", parent_id: "item_1" }) }),
      approval("apr_1", "item_2"),
      line(250, {
        type: "approval.resolved",
        approval_id: "apr_1",
        outcome: "approved",
        by: { id: "u", role: "operator", name: "u" },
      }),
      line(300, { type: "item.completed", item: toolItem("item_2", { tool: "Bash", status: "failed" }) }),
      line(400, { type: "item.completed", item: toolItem("item_1", { tool: "Task", status: "completed" }) }),
    ]);
    stand.telemetry.exchange(
      exchangeOf({
        started_at: START + 20,
        duration_ms: 60.5,
        first_byte_ms: 30,
        tokens: { ...NO_TOKENS, input: 10, output: 20, cache_read: 5, cache_write: 2, cache_write_1h: 1, reasoning: 4 },
      }),
    );
    play(stand, [line(500, completed("turn_1", 300))]);
    await stand.telemetry.close();

    const turn = "invoke_agent loop";
    const plain = { events: [], links: [], status: 0, kind: INTERNAL };
    expect(named(collector.spans)).toEqual([
      {
        ...plain,
        name: "execute_tool Bash",
        parent: "execute_tool Task",
        from: 110,
        to: 300,
        status: ERROR,
        attributes: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": "Bash",
          "gen_ai.tool.call.id": "toolu_item_2",
          "gen_ai.conversation.id": "ses_1",
          "sallyport.turn_id": "turn_1",
          "sallyport.item_id": "item_2",
          "sallyport.item_type": "tool_call",
          "sallyport.status": "failed",
          "error.type": "failed",
        },
        events: [
          { name: "approval.requested", at: START + 150, attributes: { "sallyport.approval_id": "apr_1" } },
          {
            name: "approval.resolved",
            at: START + 250,
            attributes: { "sallyport.approval_id": "apr_1", "sallyport.outcome": "approved" },
          },
        ],
      },
      {
        ...plain,
        name: "execute_tool Task",
        parent: turn,
        from: 100,
        to: 400,
        attributes: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": "Task",
          "gen_ai.tool.call.id": "toolu_item_1",
          "gen_ai.conversation.id": "ses_1",
          "sallyport.turn_id": "turn_1",
          "sallyport.item_id": "item_1",
          "sallyport.item_type": "subagent",
          "sallyport.status": "completed",
        },
      },
      {
        ...plain,
        name: "chat claude-sonnet-5",
        kind: CLIENT,
        parent: turn,
        from: 20,
        to: 80.5,
        attributes: {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": "anthropic",
          "gen_ai.request.model": "claude-sonnet-5",
          "gen_ai.request.stream": true,
          "gen_ai.agent.id": "tok_1",
          "gen_ai.conversation.id": "ses_1",
          "gen_ai.usage.input_tokens": 18,
          "gen_ai.usage.output_tokens": 20,
          "gen_ai.usage.cache_read.input_tokens": 5,
          "gen_ai.usage.cache_creation.input_tokens": 3,
          "gen_ai.usage.reasoning.output_tokens": 4,
          "gen_ai.response.time_to_first_chunk": 0.03,
          "http.response.status_code": 200,
          "sallyport.engine": "loop",
          "sallyport.provider": "cloud",
          "sallyport.turn_id": "turn_1",
          "sallyport.request_id": "req_1",
          "sallyport.wire": "anthropic",
          "sallyport.outcome": "completed",
          "sallyport.attempts": 1,
          "sallyport.reserved_microusd": 900,
          "sallyport.cost_microusd": 300,
          "sallyport.bound_microusd": 0,
        },
      },
      {
        ...plain,
        name: turn,
        parent: undefined,
        from: 0,
        to: 500,
        attributes: {
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.agent.id": "tok_1",
          "gen_ai.agent.name": "loop",
          "gen_ai.conversation.id": "ses_1",
          "gen_ai.provider.name": "anthropic",
          "gen_ai.request.model": "claude-sonnet-5",
          "gen_ai.usage.input_tokens": 15,
          "gen_ai.usage.output_tokens": 20,
          "gen_ai.usage.cache_read.input_tokens": 5,
          "gen_ai.usage.cache_creation.input_tokens": 0,
          "gen_ai.usage.reasoning.output_tokens": 0,
          "gen_ai.response.finish_reasons": ["end_turn"],
          "sallyport.engine": "loop",
          "sallyport.provider": "cloud",
          "sallyport.turn_id": "turn_1",
          "sallyport.model_calls": 1,
          "sallyport.cost_microusd": 300,
        },
      },
    ]);
    expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(collector.resources[0]).toEqual({ "service.name": "sallyport", "service.version": "1.2.3" });
    expect(collector.requests.map(({ path, headers }) => [path, headers["x-collector-key"]])).toEqual([
      ["/v1/traces", "k"],
    ]);
    expect(await spanCounts(stand)).toEqual({
      'sallyport_trace_spans_total{outcome="exported"}': 4,
      'sallyport_trace_spans_total{outcome="failed"}': 0,
      'sallyport_trace_spans_total{outcome="dropped"}': 0,
    });
    expect(stand.told).toEqual([]);
  });

  it("tells failures by their kind", async () => {
    await using collector = await openCollector();
    const stand = await openStand({ endpoint: `${collector.url}/v1/traces` });
    const line = journal();
    play(stand, [
      line(0, started("turn_1")),
      line(10, {
        type: "turn.failed",
        turn_id: "turn_1",
        error: { code: "model_error", message: `the model said ${CANARY}` },
        usage: NO_USAGE,
        cost_microusd: 7,
      }),
    ]);
    stand.telemetry.exchange(exchangeOf({ outcome: "provider_error", code: "model_unavailable", status: 529 }));
    stand.telemetry.exchange(exchangeOf({ outcome: "caller_gone", status: 0, route: "/v1/messages/count_tokens" }));
    stand.telemetry.exchange(exchangeOf({ route: "/v1/models", model: "", turn_id: undefined }));
    await stand.telemetry.close();
    const shown = collector.spans.map(({ name, status, attributes, parent }) => ({
      name,
      status,
      error: attributes["error.type"],
      cost: attributes["sallyport.cost_microusd"],
      root: parent === undefined,
    }));
    expect(shown).toEqual([
      { name: "invoke_agent loop", status: ERROR, error: "model_error", cost: 7, root: true },
      // Told after its turn had ended: it belongs there all the same.
      { name: "chat claude-sonnet-5", status: ERROR, error: "model_unavailable", cost: 300, root: false },
      { name: "count_tokens claude-sonnet-5", status: ERROR, error: "caller_gone", cost: 300, root: false },
      { name: "list_models", status: 0, error: undefined, cost: 300, root: true },
    ]);
    const [turn, late] = collector.spans;
    expect([late?.parent, late?.traceId]).toEqual([turn?.spanId, turn?.traceId]);
  });

  it("keeps a turn that a restart cut in one trace, with a link", async () => {
    await using collector = await openCollector();
    const before = await openStand({ endpoint: collector.url });
    const line = journal();
    play(before, [
      line(0, started("turn_1")),
      line(10, { type: "item.started", item: toolItem("item_1") }),
      line(20, { type: "item.started", item: toolItem("item_2") }),
    ]);
    before.now = START + 30;
    await before.telemetry.close();
    const after = await openStand({ endpoint: collector.url });
    play(after, [
      line(1_000, { type: "turn.resumed", turn_id: "turn_1", restarts: 1 }),
      line(1_100, { type: "item.completed", item: toolItem("item_1", { status: "completed", duration_ms: 40 }) }),
    ]);
    after.telemetry.exchange(exchangeOf({ started_at: START + 1_200 }));
    play(after, [line(3_000, completed("turn_1"))]);
    await after.telemetry.close();

    const [tool1, tool2, first, again, chat, second] = collector.spans;
    const facts = (span: SeenSpan | undefined) => [
      span?.name,
      span?.attributes["sallyport.unfinished"],
      span?.attributes["sallyport.turn_restarts"],
      (span?.start ?? 0) - START,
      (span?.end ?? 0) - START,
    ];
    expect([tool1, tool2, first, again, chat, second].map(facts)).toEqual([
      ["execute_tool Grep", true, undefined, 10, 30],
      ["execute_tool Grep", true, undefined, 20, 30],
      ["invoke_agent loop", true, undefined, 0, 30],
      ["execute_tool Grep", undefined, undefined, 1_060, 1_100],
      ["chat claude-sonnet-5", undefined, undefined, 1_200, 2_700],
      ["invoke_agent loop", undefined, 1, 1_000, 3_000],
    ]);
    expect(second?.links).toEqual([{ traceId: first?.traceId, spanId: first?.spanId }]);
    expect(second?.parent).toBeUndefined();
    expect(second?.spanId).not.toBe(first?.spanId);
    expect([tool1?.parent, again?.parent, chat?.parent]).toEqual([first?.spanId, second?.spanId, second?.spanId]);
    expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(1);
  });

  it("never carries the text of a prompt, an answer, a tool or a failure, nor anything that looks like a key", async () => {
    await using collector = await openCollector();
    const stand = await openStand({ endpoint: collector.url });
    const line = journal();
    const secret = "the-words-of-somebody";
    const item = toolItem("item_1", {
      tool: `mcp__${CANARY}`,
      input: { text: secret },
      output: [{ type: "text", text: secret }],
    });
    play(stand, [
      line(0, started("turn_1", secret)),
      line(1, { type: "item.started", item }),
      line(2, { type: "item.completed", item: { ...item, status: "failed" } }),
      line(3, {
        type: "item.completed",
        item: { id: "m", type: "agent_message", status: "completed", text: secret },
      }),
      line(4, { type: "error", message: secret }),
      line(5, {
        type: "turn.failed",
        turn_id: "turn_1",
        error: { code: "internal", message: secret },
        usage: NO_USAGE,
      }),
    ]);
    stand.telemetry.exchange(exchangeOf({ model: CANARY }));
    await stand.telemetry.close();
    expect(collector.spans.map(({ name }) => name)).toEqual([
      "execute_tool mcp__[redacted]",
      "invoke_agent loop",
      "chat [redacted]",
    ]);
    const sent = collector.requests.map(({ body }) => body).join("");
    expect([sent.includes(secret), sent.includes(CANARY)]).toEqual([false, false]);
  });

  it("cuts long names", async () => {
    await using collector = await openCollector();
    const stand = await openStand({ endpoint: collector.url });
    stand.telemetry.exchange(exchangeOf({ model: "m".repeat(1_000_000) }));
    await stand.telemetry.close();
    const model = "m".repeat(LIMITS.spanTextChars);
    expect(collector.spans.map(({ name, attributes }) => [name, attributes["gen_ai.request.model"]])).toEqual([
      [`chat ${model}`, model],
    ]);
  });
});

it("names every kind of request; one for an address where nothing is has no span, and no name is empty", async () => {
  await using collector = await openCollector();
  const stand = await openStand({ endpoint: collector.url });
  for (const route of ["/v1/models", "/v1/models/:id", "/v1/messages/count_tokens", "unknown"])
    stand.telemetry.exchange(exchangeOf({ route, model: route.endsWith("count_tokens") ? "m" : "" }));
  stand.telemetry.exchange(
    exchangeOf({
      server: { address: "api.example.org", port: 443 },
      answer: { id: "msg_1", model: `claude-${CANARY}`, finish_reason: "tool_use" },
    }),
  );
  await stand.telemetry.close();
  const shown = collector.spans.map(({ name, attributes }) => [
    name,
    attributes["gen_ai.operation.name"],
    attributes["gen_ai.request.model"],
    attributes["gen_ai.response.model"],
    attributes["gen_ai.response.id"],
    attributes["gen_ai.response.finish_reasons"],
    attributes["server.address"],
    attributes["server.port"],
  ]);
  const none = [undefined, undefined, undefined, undefined, undefined];
  expect(shown).toEqual([
    ["list_models", "list_models", undefined, ...none],
    ["get_model", "get_model", undefined, ...none],
    ["count_tokens m", "count_tokens", "m", ...none],
    [
      "chat claude-sonnet-5",
      "chat",
      "claude-sonnet-5",
      "claude-[redacted]",
      "msg_1",
      ["tool_use"],
      "api.example.org",
      443,
    ],
  ]);
});

it("telemetry.md names every attribute", async () => {
  await using collector = await openCollector();
  const stand = await openStand({ endpoint: collector.url });
  const line = journal();
  play(stand, [
    line(0, started("turn_1")),
    line(1, { type: "item.started", item: toolItem("item_1") }),
    approval("apr_1", "item_1"),
    line(2, { type: "item.completed", item: toolItem("item_1", { status: "failed" }) }),
    line(3, completed("turn_1")),
    line(4, { type: "turn.resumed", turn_id: "turn_2", restarts: 1 }),
  ]);
  const answer = { id: "msg_1", model: "m", finish_reason: "end_turn" };
  const server = { address: "h", port: 1 };
  stand.telemetry.exchange(exchangeOf({ outcome: "broken", code: "model_stream_cut", answer, server }));
  await stand.telemetry.close();
  const found = collector.spans.flatMap(({ attributes, events }) =>
    [attributes, ...events.map((event) => event.attributes)].map((each) => Object.keys(each)),
  );
  const used = new Set(found.flat());
  const paper = readFileSync(resolve(import.meta.dirname, "../../docs/operations/telemetry.md"), "utf8");
  expect([...used].filter((name) => !paper.includes(`\`${name}\``))).toEqual([]);
});
