import { randomUUID } from "node:crypto";
import { lstatSync } from "node:fs";
import { basename, join } from "node:path";
import { LIMITS } from "../../protocol/index.ts";
import { linesOf, rewriteLines } from "../vendor/record-lines.ts";
import { list, parsedJson, record, text, type VendorFields } from "../vendor/fields.ts";
import { codexHome, namesIn } from "./folders.ts";

const SESSIONS = "sessions";
/** `rollout-2026-11-17T04-24-13-<thread>.jsonl` */
const FILE = /^rollout-(\d{4})-(\d{2})-(\d{2})T[\d-]{8}-/;

/** Codex's own record of a thread; undefined: there is none, or it is too long. */
export function recordOf(folder: string, thread: string): string | undefined {
  const root = join(codexHome(folder), SESSIONS);
  for (const year of namesIn(root))
    for (const month of namesIn(join(root, year)))
      for (const day of namesIn(join(root, year, month))) {
        const file = namesIn(join(root, year, month, day)).find((name) => name.endsWith(`-${thread}.jsonl`));
        if (file === undefined) continue;
        const path = join(root, year, month, day, file);
        const size = recordSize(path);
        if (size > 0 && size <= LIMITS.engineTranscriptBytes) return path;
      }
  return undefined;
}

/** What a record contains. */
export interface RecordHoldings {
  /** The tools that Codex offers with it, as JSON. */
  readonly tools: string;
  /** Whether the last line has its end. */
  readonly isWhole: boolean;
  /** Our ids of the turns whose prompts it has. */
  readonly prompts: ReadonlySet<string>;
  /** Of what came after the newest prompt: calls that have a result, what the model said, and Codex's ids of the turns that ended. */
  readonly results: ReadonlySet<string>;
  readonly said: ReadonlySet<string>;
  readonly ends: ReadonlySet<string>;
}

/** Undefined: it is no record that Codex could continue. `steered`: prompts that came in the middle of a turn. */
export async function holdingsOf(
  path: string,
  steered: ReadonlySet<string> = new Set(),
): Promise<RecordHoldings | undefined> {
  const prompts = new Set<string>();
  const results = new Set<string>();
  const said = new Set<string>();
  const ends = new Set<string>();
  let tools: string | undefined;
  let isWhole = true;
  for await (const line of linesOf(path)) {
    isWhole = line.endsWith("}");
    const entry = isWhole ? readEntry(line) : undefined;
    if (entry === undefined) continue;
    if (entry.type === "meta") tools ??= entry.tools;
    if (entry.type === "result") results.add(entry.call_id);
    if (entry.type === "said") said.add(entry.text.trim());
    if (entry.type === "turn_end") ends.add(entry.turn);
    if (entry.type !== "prompt") continue;
    prompts.add(entry.turn_id);
    if (steered.has(entry.turn_id)) continue;
    for (const held of [results, said, ends]) held.clear();
  }
  return tools === undefined ? undefined : { tools, isWhole, prompts, results, said, ends };
}

interface CopyOptions {
  /** In Codex's format. */
  readonly tools: readonly VendorFields[];
  /** Codex's id of the last turn that is copied; absent: all are. */
  readonly upto?: string | undefined;
}

/** The same record with other tools: Codex reads them there, and nowhere else, when it continues a thread. */
export async function retool(path: string, tools: readonly VendorFields[]): Promise<boolean> {
  return copyLines(path, path, { tools });
}

/** Copies a record of another session, up to a turn, as the thread of this one. Undefined: the turn is not in it. */
export async function borrowRecord(
  path: string,
  { folder, ...options }: CopyOptions & { readonly folder: string },
): Promise<string | undefined> {
  const [begin, year, month, day] = FILE.exec(basename(path)) ?? [];
  if (begin === undefined || year === undefined || month === undefined || day === undefined) return undefined;
  const thread = randomUUID();
  const to = join(codexHome(folder), SESSIONS, year, month, day, `${begin}${thread}.jsonl`);
  return (await copyLines(path, to, { ...options, thread })) ? thread : undefined;
}

/** All complete lines. False: it is no record, or lacks the end of the turn. */
async function copyLines(
  from: string,
  to: string,
  { tools, upto, thread }: CopyOptions & { readonly thread?: string | undefined },
): Promise<boolean> {
  let isRecord = false;
  let hasEnd = upto === undefined;
  async function* edit(lines: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const line of lines) {
      const entry = line.endsWith("}") ? readEntry(line) : "torn";
      if (entry === "torn") continue;
      if (entry?.type === "turn" && hasEnd && upto !== undefined) break;
      if (entry?.type === "turn_end" && entry.turn === upto) hasEnd = true;
      yield entry?.type === "meta" && !isRecord ? withTools(line, { tools, thread }) : line;
      isRecord ||= entry?.type === "meta";
    }
  }
  return rewriteLines({ from, to, edit, isGood: () => isRecord && hasEnd });
}

function withTools(line: string, { tools, thread }: CopyOptions & { readonly thread?: string | undefined }): string {
  const entry = record(parsedJson(line));
  const ids = thread === undefined ? {} : { id: thread, session_id: thread };
  return JSON.stringify({ ...entry, payload: { ...record(entry["payload"]), ...ids, dynamic_tools: tools } });
}

/** A line of a record, reduced to what matters here. */
type RecordEntry =
  | { readonly type: "meta"; readonly tools: string }
  | { readonly type: "turn" | "turn_end"; readonly turn: string }
  | { readonly type: "prompt"; readonly turn_id: string }
  | { readonly type: "said"; readonly text: string }
  | RecordedCall
  | { readonly type: "result"; readonly call_id: string; readonly output: string };

/** A call as the model wrote it. */
interface RecordedCall {
  readonly type: "call";
  readonly call_id: string;
  readonly tool: string;
  readonly input: string;
}

/** Only these lines are parsed: others are long and many. */
const WORTH_READING =
  /^\{[^{]*"type":"(?:session_meta|event_msg|response_item)","payload":\{(?:"session_id"|"id"|"type":"(?:task_started|task_complete|turn_aborted|item_completed|message|function_call|custom_tool_call))/;

/** Undefined: it does not matter here. */
function readEntry(line: string): RecordEntry | undefined {
  if (!WORTH_READING.test(line)) return undefined;
  const entry = record(parsedJson(line));
  const payload = record(entry["payload"]);
  if (entry["type"] === "session_meta") return { type: "meta", tools: JSON.stringify(list(payload["dynamic_tools"])) };
  const turn = text(payload["turn_id"]) ?? "";
  const call_id = text(payload["call_id"]) ?? "";
  switch (payload["type"]) {
    case "task_started":
      return { type: "turn", turn };
    case "task_complete":
    case "turn_aborted":
      return { type: "turn_end", turn };
    case "item_completed": {
      const turn_id = text(record(payload["item"])["client_id"]);
      return turn_id === undefined ? undefined : { type: "prompt", turn_id };
    }
    case "message":
      return payload["role"] === "assistant" ? { type: "said", text: wordsOf(payload["content"]) } : undefined;
    case "function_call":
    case "custom_tool_call":
      return {
        type: "call",
        call_id,
        tool: text(payload["name"]) ?? "",
        input: text(payload["arguments"]) ?? text(payload["input"]) ?? "",
      };
    case "function_call_output":
    case "custom_tool_call_output":
      return { type: "result", call_id, output: wordsOf(payload["output"]) };
    default:
      return undefined;
  }
}

function wordsOf(content: unknown): string {
  if (typeof content === "string") return content;
  return list(content)
    .map((part) => text(record(part)["text"]) ?? "")
    .join("");
}

/** A call that Codex answered by itself: it had no such tool, or could not read the input. */
export interface OwnAnswer extends RecordedCall {
  readonly output: string;
}

/** Bytes of a record; 0: there is none. */
export function recordSize(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Those that a record got since it had `start` bytes. `known`: calls that came to us. */
export async function ownAnswers(
  path: string,
  { start, known }: { readonly start: number; readonly known: ReadonlySet<string> },
): Promise<readonly OwnAnswer[]> {
  const calls = new Map<string, RecordedCall>();
  const answers: OwnAnswer[] = [];
  for await (const line of linesOf(path, start)) {
    const entry = line.endsWith("}") ? readEntry(line) : undefined;
    if (entry?.type === "call" && !known.has(entry.call_id)) calls.set(entry.call_id, entry);
    const call = entry?.type === "result" ? calls.get(entry.call_id) : undefined;
    if (call !== undefined && entry?.type === "result") answers.push({ ...call, output: entry.output });
  }
  return answers;
}
