import { isToolItem, LIMITS, type Item, type JournalEvent, type Redactor } from "../protocol/index.ts";
import type { Exchange } from "../proxy/index.ts";
import { errorType, inputTokens, operationOf, providerName } from "./genai.ts";
import { Labels } from "./labels.ts";
import { Counter, Histogram } from "./tally.ts";

/** Seconds. */
const REQUEST_BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640];
const COMMIT_BOUNDS = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const TURN_BOUNDS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400];
/** As the GenAI conventions say. */
const OPERATION_BOUNDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKEN_BOUNDS = Array.from({ length: 14 }, (_, power) => 4 ** power);

const BY_MODEL = ["provider", "model"];
const GENAI = ["gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model"];

export interface CountedRequest {
  readonly method: string;
  /** The route's pattern, never a path. */
  readonly route: string;
  readonly status: number;
}

function counters() {
  const counter = (name: string, help: string, labels: readonly string[]) => new Counter({ name, help, labels });
  return {
    requests: counter("sallyport_model_requests_total", "Model requests by how they went.", [
      ...BY_MODEL,
      "outcome",
      "code",
    ]),
    tokens: counter("sallyport_model_tokens_total", "Tokens as providers reported them; reasoning is part of output.", [
      ...BY_MODEL,
      "kind",
    ]),
    cost: counter("sallyport_model_cost_microusd_total", "What model requests cost, micro-USD.", BY_MODEL),
    bound: counter(
      "sallyport_model_bound_microusd_total",
      "The part of the cost that is a bound, because the provider did not report the usage, micro-USD.",
      BY_MODEL,
    ),
    refusals: counter("sallyport_budget_refusals_total", "Requests that a limit of money stopped.", ["kind"]),
    turns: counter("sallyport_turns_total", "Turns by how they ended.", ["engine", "outcome", "code"]),
    toolCalls: counter("sallyport_tool_calls_total", "Tool calls by how they ended.", ["tool", "status"]),
    httpRequests: counter("sallyport_http_requests_total", "HTTP requests that were answered.", [
      "method",
      "route",
      "status",
    ]),
    egressRefusals: counter(
      "sallyport_egress_refusals_total",
      "Connections out of sandboxes that were not made, by why.",
      ["reason"],
    ),
    approvals: counter("sallyport_approvals_total", "Questions by how they ended.", ["outcome"]),
  };
}

function histograms() {
  const histogram = (
    name: string,
    help: string,
    spread: { readonly labels: readonly string[]; readonly bounds: readonly number[] },
  ) => new Histogram({ name, help, labels: spread.labels }, spread.bounds);
  return {
    durations: histogram(
      "sallyport_model_request_duration_seconds",
      "From the request to the end of its answer, of those that were forwarded.",
      { labels: BY_MODEL, bounds: REQUEST_BOUNDS },
    ),
    firstBytes: histogram(
      "sallyport_model_request_first_byte_seconds",
      "From the request to the first byte of its answer.",
      { labels: BY_MODEL, bounds: REQUEST_BOUNDS },
    ),
    commits: histogram(
      "sallyport_store_commit_seconds",
      "From when writes were handed to the writer to when they were on the disk.",
      { labels: [], bounds: COMMIT_BOUNDS },
    ),
    turnDurations: histogram(
      "sallyport_turn_duration_seconds",
      "From a turn's start, or its resumption by this process, to its end.",
      { labels: ["engine"], bounds: TURN_BOUNDS },
    ),
    operations: histogram("gen_ai_client_operation_duration", "gen_ai.client.operation.duration, seconds.", {
      labels: [...GENAI, "error_type"],
      bounds: OPERATION_BOUNDS,
    }),
    tokenUsage: histogram("gen_ai_client_token_usage", "gen_ai.client.token.usage, tokens of one request.", {
      labels: [...GENAI, "gen_ai_token_type"],
      bounds: TOKEN_BOUNDS,
    }),
  };
}

/** Metrics of exchanges and events. Everything is bounded, nothing is kept per session. */
export class Metrics {
  readonly #families = { ...counters(), ...histograms() };
  readonly #providers: Labels;
  readonly #models: Labels;
  readonly #engines: Labels;
  readonly #tools: Labels;
  /** When open turns began, milliseconds since the epoch. */
  readonly #turnStarts = new Map<string, number>();

  constructor(redact: Redactor) {
    this.#providers = new Labels(redact);
    this.#models = new Labels(redact);
    this.#engines = new Labels(redact);
    this.#tools = new Labels(redact);
  }

  exchange(exchange: Exchange): void {
    const { outcome, code, tokens, shortage } = exchange;
    const provider = this.#providers.of(exchange.provider, true);
    const model = this.#models.of(exchange.model, outcome === "completed" || tokens.output > 0);
    const labels = [provider, model];
    const count = this.#families;
    count.requests.add(1, [provider, model, outcome, code ?? ""]);
    for (const kind in tokens) {
      const amount = tokens[kind as keyof typeof tokens];
      if (amount > 0) count.tokens.add(amount, [provider, model, kind]);
    }
    if (exchange.cost_microusd > 0) count.cost.add(exchange.cost_microusd, labels);
    if (exchange.bound_microusd > 0) count.bound.add(exchange.bound_microusd, labels);
    if (outcome === "refused") {
      if (shortage !== undefined || code === "budget_exceeded") count.refusals.add(1, [shortage?.kind ?? ""]);
      return;
    }
    const operation = operationOf(exchange.route);
    if (operation !== "chat") return;
    const seconds = exchange.duration_ms / 1e3;
    count.durations.record(seconds, labels);
    if (exchange.first_byte_ms !== undefined) count.firstBytes.record(exchange.first_byte_ms / 1e3, labels);
    const named = providerName(provider);
    count.operations.record(seconds, [operation, named, model, errorType(exchange)]);
    const input = inputTokens(tokens);
    if (input > 0) count.tokenUsage.record(input, [operation, named, model, "input"]);
    if (tokens.output > 0) count.tokenUsage.record(tokens.output, [operation, named, model, "output"]);
  }

  /** Routes and methods come from a table of ours, so there are few. */
  httpRequest({ method, route, status }: CountedRequest): void {
    this.#families.httpRequests.add(1, [method, route, String(status)]);
  }

  /** Reasons come from a closed set. */
  egressRefusal(reason: string): void {
    this.#families.egressRefusals.add(1, [reason]);
  }

  commit(seconds: number): void {
    this.#families.commits.record(seconds, []);
  }

  event(event: JournalEvent, engine: string): void {
    switch (event.type) {
      case "turn.started":
      case "turn.resumed":
        if (this.#turnStarts.size < LIMITS.openSpans) this.#turnStarts.set(event.turn_id, Date.parse(event.at));
        return;
      case "turn.completed":
        return this.#turnEnds(event, engine, "");
      case "turn.failed":
        return this.#turnEnds(event, engine, event.error.code);
      case "item.completed":
        return this.#itemEnds(event.item);
      case "approval.resolved":
        return this.#families.approvals.add(1, [event.outcome]);
      case "approval.extended":
      case "thread.started":
      case "turn.queued":
      case "turn.steered":
      case "item.started":
      case "item.updated":
      case "usage.updated":
      case "approval.requested":
      case "session.updated":
      case "budget.updated":
      case "instructions.loaded":
      case "error":
        return;
    }
  }

  text(): string {
    return Object.values(this.#families)
      .map((family) => family.text())
      .join("");
  }

  #turnEnds(event: { readonly turn_id: string; readonly at: string }, engine: string, code: string): void {
    const label = this.#engines.of(engine, true);
    this.#families.turns.add(1, [label, code === "" ? "completed" : "failed", code]);
    const start = this.#turnStarts.get(event.turn_id);
    // A prompt that never left the queue ends too, and has no duration.
    if (start === undefined) return;
    this.#turnStarts.delete(event.turn_id);
    this.#families.turnDurations.record(Math.max(0, Date.parse(event.at) - start) / 1e3, [label]);
  }

  #itemEnds(item: Item): void {
    if (!isToolItem(item)) return;
    // Known kinds of items have fixed names; other tools must have succeeded once.
    const proven = (item.type !== "tool_call" && item.type !== "mcp_tool_call") || item.status === "completed";
    this.#families.toolCalls.add(1, [this.#tools.of(item.tool, proven), item.status]);
  }
}
