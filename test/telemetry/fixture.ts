import { makeRedactor, NO_TOKENS, NO_USAGE, type JournalEvent, type ToolItem } from "../../src/protocol/index.ts";
import type { Exchange } from "../../src/proxy/index.ts";
import { openTelemetry, type Telemetry } from "../../src/telemetry/index.ts";

/** A minute past which nobody cares: 2026-11-15T10:00:00Z. */
export const START = Date.UTC(2026, 10, 15, 10);
export const SESSION = { engine: "loop", provider: "cloud", model: "claude-sonnet-5", agent: "tok_1" } as const;
/** Looks like a key, wherever it stands. */
export const CANARY = "sk-ant-canary0123456789abcdef";

export function exchangeOf(change: Partial<Exchange> = {}): Exchange {
  return {
    id: "req_1",
    started_at: START,
    session_id: "ses_1",
    turn_id: "turn_1",
    agent: "tok_1",
    engine: "loop",
    provider: "cloud",
    wire: "anthropic",
    route: "/v1/messages",
    model: "claude-sonnet-5",
    stream: true,
    request_bytes: 1_000,
    response_bytes: 2_000,
    status: 200,
    outcome: "completed",
    tokens: { ...NO_TOKENS, input: 10, output: 20 },
    reserved_microusd: 900,
    cost_microusd: 300,
    bound_microusd: 0,
    attempts: 1,
    first_byte_ms: 200,
    duration_ms: 1_500,
    ...change,
  };
}

type BodyOf<Event> = Event extends JournalEvent ? Omit<Event, "seq" | "session_id" | "at"> : never;

/** Journal lines of one session, `ms` after the start. */
export function journal(session_id = "ses_1"): (ms: number, body: BodyOf<JournalEvent>) => JournalEvent {
  let seq = 0;
  return (ms, body) => {
    seq += 1;
    return { seq, session_id, at: new Date(START + ms).toISOString(), ...body };
  };
}

export const started = (turn_id: string, text = "Hello"): BodyOf<JournalEvent> => ({
  type: "turn.started",
  turn_id,
  prompt: { text },
  by: { id: "tok_1", role: "agent", name: "a" },
});

export const completed = (turn_id: string, cost_microusd = 0): BodyOf<JournalEvent> => ({
  type: "turn.completed",
  turn_id,
  usage: { ...NO_USAGE, input_tokens: 10, output_tokens: 20, cache_read_tokens: 5, model_calls: 1 },
  cost_microusd,
  stop_reason: "end_turn",
});

export function toolItem(id: string, change: Partial<ToolItem> = {}): ToolItem {
  return {
    id,
    type: "tool_call",
    status: "in_progress",
    tool: "Grep",
    tool_use_id: `toolu_${id}`,
    input: { pattern: "x" },
    ...change,
  } as ToolItem;
}

/** What the operator was told. */
export interface Told {
  readonly level: "info" | "warn";
  readonly fields: object;
  readonly message: string;
}

export function operatorLog(): { readonly told: Told[]; info: Note; warn: Note } {
  const told: Told[] = [];
  return {
    told,
    info: (fields, message) => void told.push({ level: "info", fields, message }),
    warn: (fields, message) => void told.push({ level: "warn", fields, message }),
  };
}
type Note = (fields: object, message: string) => void;

export interface Stand {
  readonly telemetry: Telemetry;
  readonly told: Told[];
  /** The clock, milliseconds since the epoch. */
  now: number;
}

export async function openStand(
  options: { readonly endpoint?: string; readonly headers?: Record<string, string> } = {},
): Promise<Stand> {
  const log = operatorLog();
  const stand = { told: log.told, now: START };
  const telemetry = await openTelemetry({
    version: "1.2.3",
    ...options,
    now: () => stand.now,
    log,
    redact: makeRedactor([]),
  });
  return Object.assign(stand, { telemetry });
}

/** Samples of a scrape by name and labels. Throws at a line that no Prometheus would read. */
export function parsePrometheus(text: string): Record<string, number> {
  const samples: Record<string, number> = {};
  const label = String.raw`[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*"`;
  const sample = new RegExp(String.raw`^([a-zA-Z_:][\w:]*(?:\{${label}(?:,${label})*\})?) (\S+)$`);
  const comment = /^# (?:HELP [a-z_]+ \S.*|TYPE [a-z_]+ (?:counter|gauge|histogram|summary))$/;
  expectNewline(text);
  for (const line of text.trimEnd().split("\n")) {
    if (comment.test(line)) continue;
    const [, name, value] = sample.exec(line) ?? [];
    if (name === undefined || value === undefined || Number.isNaN(Number(value)))
      throw new Error(`not a sample: ${line}`);
    if (name in samples) throw new Error(`twice: ${name}`);
    samples[name] = Number(value);
  }
  return samples;
}

function expectNewline(text: string): void {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
}

/** Samples whose name begins with one of these. */
export function only(samples: Readonly<Record<string, number>>, ...names: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    Object.entries(samples).filter(([name]) =>
      names.some((wanted) => name === wanted || name.startsWith(`${wanted}{`)),
    ),
  );
}

export function play(stand: Stand, events: readonly JournalEvent[]): void {
  for (const event of events) stand.telemetry.event(event, SESSION);
}

/** What became of spans, as a scrape tells it. */
export async function spanCounts(stand: Stand): Promise<Record<string, number>> {
  return only(parsePrometheus(await stand.telemetry.metrics()), "sallyport_trace_spans_total");
}
