import { SIM_LIMITS } from "./limits.ts";
import {
  isFault,
  type Act,
  type Fields,
  type SimMessage,
  type ModelReply,
  type StopReason,
  type TokenTally,
} from "./wire.ts";

const SCRIPT_LINE = /^[ \t]*sim:[ \t]*(\[.*)$/gm;
const STOP_REASONS: readonly string[] = [
  "end_turn",
  "max_tokens",
  "stop_sequence",
  "pause_turn",
  "refusal",
  "model_context_window_exceeded",
] satisfies readonly StopReason[];
/** Scripts use Anthropic's names on every wire. */
const USAGE_FIELDS: Readonly<Record<string, keyof TokenTally>> = {
  input_tokens: "input",
  output_tokens: "output",
  cache_creation_input_tokens: "cacheWrite",
  cache_read_input_tokens: "cacheRead",
};

/** The JSON of the last line `sim: […]` in a text. */
export function findScript(text: string): string | undefined {
  let found: string | undefined;
  for (const match of text.matchAll(SCRIPT_LINE)) found = match[1];
  return found;
}

/**
 * The reply of a script to a conversation: `after` is what came after the prompt with the script. Each message of the
 * model was one message of the script; after the last one an empty message ends the turn.
 */
export function scriptedReply(script: string, after: readonly SimMessage[]): ModelReply {
  const replies = readScript(script);
  if (typeof replies === "string") return plain([{ do: "say", text: `sim: ${replies}` }]);
  return replies[position(replies, after)] ?? plain([]);
}

function plain(acts: readonly Act[]): ModelReply {
  return { acts, stopReason: "end_turn", usage: {}, wordMs: 0 };
}

/** What Claude Code inserts as the model's answer when a conversation is resumed in the middle of a turn. */
const FILLER = "No response requested.";

function isFiller({ content: [block, ...more] }: SimMessage): boolean {
  return more.length === 0 && block?.type === "text" && block.text === FILLER;
}

/** A paused message and its continuation come back as one, so blocks are counted too. */
function position(replies: readonly ModelReply[], after: readonly SimMessage[]): number {
  let next = 0;
  for (const message of after) {
    if (message.role !== "assistant" || isFiller(message)) continue;
    let blocks = message.content.filter((block) => block.type === "text" || block.type === "tool_use").length;
    do {
      blocks -=
        replies[next]?.acts.filter((act) => act.do === "say" || act.do === "tokens" || act.do === "tool").length ?? 0;
      next += 1;
    } while (blocks > 0 && replies[next - 1]?.stopReason === "pause_turn");
  }
  return next;
}

/** The messages of a script, or what is wrong with it. */
export function readScript(json: string): readonly ModelReply[] | string {
  let steps: unknown;
  try {
    steps = JSON.parse(json);
  } catch (error) {
    return `the script is not valid JSON: ${(error as Error).message}`;
  }
  if (!Array.isArray(steps)) return "the script must be an array of steps";
  if (steps.length > SIM_LIMITS.scriptSteps) return `a script may have ${SIM_LIMITS.scriptSteps} steps`;
  const builder = new ScriptBuilder();
  for (const [index, step] of steps.entries()) {
    const wrong = builder.add(step);
    if (wrong !== undefined) return `step ${index + 1}: ${wrong}`;
  }
  return builder.end();
}

/** Groups steps into messages: a tool call ends one, and so does a stop reason. */
class ScriptBuilder {
  readonly #replies: ModelReply[] = [];
  #acts: Act[] = [];
  #usage: Partial<TokenTally> = {};
  /** The message has called tools: only a stop reason may still belong to it. */
  #called = false;

  add(step: unknown): string | undefined {
    if (typeof step !== "object" || step === null || Array.isArray(step)) return "must be an object";
    const fields = step as Fields;
    const stop = fields["stop_reason"];
    if (stop !== undefined) {
      if (typeof stop !== "string" || !STOP_REASONS.includes(stop))
        return `stop_reason must be one of ${STOP_REASONS.join(", ")}`;
      this.#close(stop as StopReason);
      return undefined;
    }
    if (this.#called) this.#close("tool_use");
    const usage = fields["usage"];
    if (usage !== undefined) return this.#setUsage(usage);
    const acts = readStep(fields);
    if (typeof acts === "string") return acts;
    this.#acts.push(...acts);
    this.#called = acts.some((act) => act.do === "tool");
    return undefined;
  }

  end(): readonly ModelReply[] {
    if (this.#called) this.#close("tool_use");
    else if (this.#acts.length > 0 || Object.keys(this.#usage).length > 0) this.#close("end_turn");
    return this.#replies;
  }

  #close(stopReason: StopReason): void {
    const last = this.#acts.at(-1);
    // A message that runs out of tokens during a tool call ends in the middle of the input.
    if (stopReason === "max_tokens" && last?.do === "tool")
      this.#acts[this.#acts.length - 1] = { ...last, cut: Math.ceil(JSON.stringify(last.input).length / 2) };
    this.#replies.push({ acts: this.#acts, stopReason, usage: this.#usage, wordMs: 0 });
    this.#acts = [];
    this.#usage = {};
    this.#called = false;
  }

  #setUsage(value: unknown): string | undefined {
    if (typeof value !== "object" || value === null) return "usage must be an object";
    const usage: { -readonly [Name in keyof TokenTally]?: number } = {};
    for (const [name, count] of Object.entries(value)) {
      const field = Object.hasOwn(USAGE_FIELDS, name) ? USAGE_FIELDS[name] : undefined;
      if (field === undefined) return `usage knows ${Object.keys(USAGE_FIELDS).join(", ")}, not ${name}`;
      if (!isCount(count, Number.MAX_SAFE_INTEGER)) return `usage.${name} must be a whole number`;
      usage[field] = count;
    }
    this.#usage = { ...this.#usage, ...usage };
    return undefined;
  }
}

function isCount(value: unknown, max: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= max;
}

const KINDS = [
  "say",
  "think",
  "tool",
  "tools",
  "stream",
  "delay_ms",
  "usage",
  "error",
  "cut",
  "malformed",
  "stop_reason",
];

function readStep(step: Fields): readonly Act[] | string {
  const kinds = KINDS.filter((kind) => kind in step);
  const kind = kinds[0];
  if (kind === undefined) return `knows none of ${KINDS.join(", ")}`;
  if (kinds.length > 1) return `${kinds.join(" and ")} must be steps of their own`;
  const value = step[kind];
  switch (kind) {
    case "say":
    case "think":
      return typeof value === "string" && value !== ""
        ? [{ do: kind, text: value }]
        : `${kind} must be a text that is not empty`;
    case "tool":
      return readTools([step]);
    case "tools":
      return Array.isArray(value) && value.length > 0 ? readTools(value) : "tools must be a list of calls";
    case "stream":
      return readStream(value);
    case "delay_ms":
      return isCount(value, SIM_LIMITS.delayMs)
        ? [{ do: "wait", ms: value }]
        : `delay_ms must be 0 to ${SIM_LIMITS.delayMs}`;
    default:
      return readFault(kind, value, step);
  }
}

function readTools(calls: readonly unknown[]): readonly Act[] | string {
  const acts: Act[] = [];
  for (const call of calls) {
    const { tool, input = {} } = (typeof call === "object" && call !== null ? call : {}) as Fields;
    if (typeof tool !== "string" || tool === "") return "tool must be a tool's name";
    if (typeof input !== "object" || input === null || Array.isArray(input)) return "input must be an object";
    acts.push({ do: "tool", name: tool, input: input as Fields });
  }
  return acts;
}

function readStream(value: unknown): readonly Act[] | string {
  const { tokens, per_second = 0 } = (typeof value === "object" && value !== null ? value : {}) as Fields;
  if (!isCount(tokens, SIM_LIMITS.streamTokens) || tokens === 0)
    return `stream.tokens must be 1 to ${SIM_LIMITS.streamTokens}`;
  if (typeof per_second !== "number" || per_second < 0) return "stream.per_second must not be negative";
  return [{ do: "tokens", count: tokens, perSecond: per_second }];
}

/** `times` may be beside or inside. */
function readFault(kind: string, value: unknown, step: Fields): readonly Act[] | string {
  const inner = (typeof value === "object" && value !== null ? value : {}) as Fields;
  const times = inner["times"] ?? step["times"] ?? 1;
  if (!isCount(times, SIM_LIMITS.faultTimes)) return `times must be 0 to ${SIM_LIMITS.faultTimes}`;
  if (kind === "cut" || kind === "malformed") {
    if (value !== true && typeof value !== "object") return `${kind} must be true`;
    return [{ do: kind === "cut" ? "hang_up" : "garble", times }];
  }
  const { status, message, type, retry_after } = inner;
  if (!isCount(status, 599) || status < 400) return "error.status must be 400 to 599";
  if (message !== undefined && typeof message !== "string") return "error.message must be a text";
  if (type !== undefined && typeof type !== "string") return "error.type must be a text";
  if (retry_after !== undefined && !isCount(retry_after, 86_400)) return "error.retry_after must be seconds";
  return [{ do: "fail", times, status, type, message: message ?? `scripted error ${status}`, retryAfter: retry_after }];
}

/** Counts how often a fault was played at a position of a conversation: all that the scripted model remembers. */
export class FaultCounter {
  readonly #played = new Map<string, number>();

  /** The reply with its first remaining fault as its last act, or without any. */
  resolve(reply: ModelReply, conversation: string): ModelReply {
    const kept: Act[] = [];
    for (const [index, act] of reply.acts.entries()) {
      if (!isFault(act)) {
        kept.push(act);
        continue;
      }
      const key = `${conversation}/${index}`;
      const played = this.#played.get(key) ?? 0;
      if (played < act.times) {
        this.#remember(key, played + 1);
        return { ...reply, acts: [...kept, act] };
      }
    }
    // All faults were played: another conversation with the same words starts again.
    for (const index of reply.acts.keys()) this.#played.delete(`${conversation}/${index}`);
    return { ...reply, acts: kept };
  }

  #remember(key: string, times: number): void {
    this.#played.delete(key);
    this.#played.set(key, times);
    const oldest = this.#played.keys().next();
    if (this.#played.size > SIM_LIMITS.faultsRemembered && oldest.done !== true) this.#played.delete(oldest.value);
  }
}
