import { z } from "zod";
import { TurnCollector, type FoundConversation } from "./record.ts";

/** One line of `~/.codex/sessions/…/rollout-….jsonl`. */
const CodexLine = z.looseObject({
  timestamp: z.string().optional(),
  type: z.enum(["session_meta", "response_item", "event_msg", "turn_context", "compacted"]),
  payload: z.looseObject({ type: z.string().optional() }),
});

const Meta = z.looseObject({ id: z.string().optional(), cwd: z.string().optional() });
const UserMessage = z.looseObject({ type: z.literal("user_message"), message: z.string() });
const Part = z.looseObject({ text: z.string().optional() });
const CodexRecordItem = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("message"), role: z.string(), content: z.array(Part) }),
  z.looseObject({ type: z.literal("reasoning"), summary: z.array(Part).optional() }),
  z.looseObject({ type: z.literal("function_call"), name: z.string(), arguments: z.string(), call_id: z.string() }),
  z.looseObject({ type: z.literal("custom_tool_call"), name: z.string(), input: z.string(), call_id: z.string() }),
  z.looseObject({ type: z.literal("local_shell_call"), call_id: z.string(), action: z.unknown() }),
  z.looseObject({ type: z.literal("function_call_output"), call_id: z.string(), output: z.unknown() }),
  z.looseObject({ type: z.literal("custom_tool_call_output"), call_id: z.string(), output: z.unknown() }),
]);
type CodexRecordItem = z.infer<typeof CodexRecordItem>;

export function isCodex(line: unknown): boolean {
  return CodexLine.safeParse(line).success;
}

/** What Codex itself puts before a person's words: instructions, the environment. */
const OWN_WORDS =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|permissions)|# AGENTS\.md instructions)/;

/** Codex's record of a session. */
export function readCodex(lines: Iterable<unknown>): FoundConversation | undefined {
  const turns = new TurnCollector();
  const about: { source_id?: string | undefined; workspace?: string | undefined } = {};
  /** A person's words are recorded twice: as an event, and as the model gets them. */
  let last = "";
  const prompt = (text: string, at: string | undefined): void => {
    if (OWN_WORDS.test(text) || text === last) return;
    last = text;
    turns.prompt(text, at);
  };
  for (const value of lines) {
    const { data } = CodexLine.safeParse(value);
    if (data === undefined) continue;
    const { type, payload, timestamp } = data;
    if (type === "session_meta") {
      const meta = Meta.safeParse(payload).data;
      about.source_id ??= meta?.id;
      about.workspace ??= meta?.cwd;
    } else if (type === "event_msg") {
      const said = UserMessage.safeParse(payload).data;
      if (said !== undefined) prompt(said.message, timestamp);
    } else if (type === "response_item") {
      const item = CodexRecordItem.safeParse(payload).data;
      if (item === undefined) continue;
      if (item.type === "message" && item.role === "user") prompt(textOf(item.content), timestamp);
      else {
        last = "";
        collect(turns, item);
      }
    }
  }
  return turns.end("codex", about);
}

function collect(turns: TurnCollector, item: CodexRecordItem): void {
  switch (item.type) {
    case "message":
      if (item.role === "assistant") turns.text("message", textOf(item.content));
      return;
    case "reasoning":
      turns.text("thought", textOf(item.summary ?? []));
      return;
    case "function_call":
      turns.call(item.call_id, item.name, parsed(item.arguments));
      return;
    case "custom_tool_call":
      turns.call(item.call_id, item.name, item.input);
      return;
    case "local_shell_call":
      turns.call(item.call_id, "shell", item.action);
      return;
    case "function_call_output":
    case "custom_tool_call_output":
      turns.output(item.call_id, outputOf(item.output));
  }
}

function textOf(parts: readonly z.infer<typeof Part>[]): string {
  return parts.flatMap(({ text }) => text ?? []).join("\n");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Text, or text in one of the envelopes that its versions use. */
function outputOf(output: unknown): string {
  const value = typeof output === "string" ? parsed(output) : output;
  const inner = z.looseObject({ output: z.string() }).safeParse(value).data?.output;
  const content = z.looseObject({ content: z.string() }).safeParse(value).data?.content;
  const parts = z.array(Part).safeParse(value).data;
  return (
    inner ??
    content ??
    (parts === undefined ? undefined : textOf(parts)) ??
    (typeof output === "string" ? output : jsonOf(output))
  );
}

/** Empty where it is absent or nested deeper than the stack. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}
