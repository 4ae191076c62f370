import { estimateTokens, TOKEN_CHARS } from "./tokens.ts";
import { isFault, type Act, type SimRequest, type ReplyPart, type ModelReply, type TokenTally } from "./wire.ts";

const WORDS = ["one ", "more ", "word ", "of ", "the ", "stream "] as const;

/** The `number`th token of a `stream` step. */
export function tokenText(number: number): string {
  return WORDS[number % WORDS.length] ?? "";
}

/** The id of a tool call; `index` is its position in the message. */
export function callId(prefix: string, request: SimRequest, index: number): string {
  return `${prefix}${request.digest.slice(0, 20)}${index.toString(16).padStart(4, "0")}`;
}

/** Absent: it adds nothing to the message. */
export function partOf(act: Act, request: SimRequest): ReplyPart | undefined {
  if (isFault(act)) return undefined;
  switch (act.do) {
    case "say":
      return { type: "text", text: act.text };
    case "tokens":
      return { type: "text", text: Array.from({ length: act.count }, (_, number) => tokenText(number)).join("") };
    case "think":
      return { type: "thought", text: act.text };
    case "tool": {
      const freeform = request.freeform.has(act.name);
      const input = act.cut === undefined ? act.input : {};
      return { type: "call", name: act.name, input, text: inputText(act, freeform), freeform };
    }
    case "wait":
      return undefined;
  }
}

export function partsOf(reply: ModelReply, request: SimRequest): readonly ReplyPart[] {
  return reply.acts.map((act) => partOf(act, request)).filter((part) => part !== undefined);
}

/** A tool that takes plain text gets the input's only field `input`, or all of it as JSON. */
function inputText({ input, cut }: Extract<Act, { do: "tool" }>, freeform: boolean): string {
  const only = freeform && Object.keys(input).length === 1 ? input["input"] : undefined;
  const whole = typeof only === "string" ? only : JSON.stringify(input);
  return cut === undefined ? whole : whole.slice(0, wholeChars(whole, Math.min(cut, whole.length - 1)));
}

/** The position at or before `end` that does not split a surrogate pair. */
export function wholeChars(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return end > 0 && end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/** The usage reported at the end of a reply. */
export function tally(reply: ModelReply, request: SimRequest): TokenTally {
  let output = 0;
  let thinking = 0;
  for (const act of reply.acts) {
    const tokens = outputTokens(act, request);
    output += tokens;
    if (act.do === "think") thinking += tokens;
  }
  return { ...request.tokens, output: Math.max(1, output), thinking, ...reply.usage };
}

function outputTokens(act: Act, request: SimRequest): number {
  switch (act.do) {
    case "say":
    case "think":
      return estimateTokens(act.text);
    case "tokens":
      return act.count;
    case "tool":
      return estimateTokens(act.name) + estimateTokens(inputText(act, request.freeform.has(act.name)));
    case "wait":
    case "fail":
    case "hang_up":
    case "garble":
      return 0;
  }
}

/** The reply cut to the request's token limit. */
export function withinMaxTokens(reply: ModelReply, request: SimRequest): ModelReply {
  let left = request.maxTokens ?? Infinity;
  for (const [index, act] of reply.acts.entries()) {
    const tokens = outputTokens(act, request);
    if (tokens <= left) left -= tokens;
    else return { ...reply, acts: [...reply.acts.slice(0, index), ...begun(act, left)], stopReason: "max_tokens" };
  }
  return reply;
}

/** The part of an act that fits into this many tokens. */
function begun(act: Act, tokens: number): readonly Act[] {
  if (act.do === "tool") {
    const room = tokens - estimateTokens(act.name);
    return room < 0 ? [] : [{ ...act, cut: Math.min(act.cut ?? Infinity, room * TOKEN_CHARS) }];
  }
  if (tokens === 0) return [];
  if (act.do === "tokens") return [{ ...act, count: tokens }];
  if (act.do !== "say" && act.do !== "think") return [];
  return [{ ...act, text: act.text.slice(0, wholeChars(act.text, tokens * TOKEN_CHARS)) }];
}
