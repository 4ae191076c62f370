import { LIMITS } from "./limits.ts";

/**
 * `sallyport/rows`: document 002's rows as an app shows them. Reads what `/bridge` sends in any mapping, what `codex exec --json`
 * prints, and Codex's older messages (`{"msg": {"type": …}}`). Runs in browsers, needs nothing else.
 */

type ItemPhase = "started" | "updated" | "completed";

export interface RowUsage {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
}

/** One row of a feed. `id`: the same for all rows of an item, so that a later one replaces an earlier one; absent: it has none. */
export type AppRow =
  /** A whole text of the agent. */
  | { readonly kind: "md"; readonly id?: string; readonly markdown: string }
  | { readonly kind: "reason"; readonly id?: string; readonly text: string }
  | {
      readonly kind: "cmd_item";
      readonly id?: string;
      readonly command: string;
      readonly status: string;
      /** Absent while it runs, and if there was none. */
      readonly exit_code?: number;
      /** UTF-16 units. */
      readonly output_len: number;
      /** The beginning of the output. */
      readonly sample: string;
    }
  | {
      readonly kind: "file_change";
      readonly id?: string;
      readonly status: string;
      readonly changes: readonly { readonly path: string; readonly kind: string }[];
    }
  | { readonly kind: "web_search"; readonly id?: string; readonly query: string }
  | {
      readonly kind: "mcp_call";
      readonly id?: string;
      readonly server: string;
      readonly tool: string;
      readonly status: string;
    }
  | {
      readonly kind: "todo_list";
      readonly id?: string;
      readonly status: ItemPhase;
      readonly items: readonly { readonly text: string; readonly completed: boolean }[];
    }
  /** `message`: why it failed. */
  | {
      readonly kind: "turn";
      readonly phase: "started" | "completed" | "failed";
      readonly usage?: RowUsage;
      readonly message?: string;
    }
  /** The rows that follow belong to this thread. */
  | { readonly kind: "thread"; readonly thread_id: string }
  /** An item of an unknown type, or a text on its way. */
  | {
      readonly kind: "item_lifecycle";
      readonly phase: ItemPhase;
      readonly id: string;
      readonly item_type: string;
      /** Absent: it says none. */
      readonly status?: string;
    }
  /** A person is asked. Answer with the control `approval.answer`: `approvalId` is `id`, `inputHash` is `input_hash`. */
  | {
      readonly kind: "approval";
      readonly id: string;
      readonly tool: string;
      readonly reason: string;
      readonly input_hash: string;
      /** The item that waits. */
      readonly item_id: string;
      /** Absent: it is too long for a row. */
      readonly input?: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "approval_answer"; readonly id: string; readonly outcome: string; readonly feedback?: string }
  /** Codex's older message: a command begins. */
  | { readonly kind: "exec_begin"; readonly command: string; readonly cwd: string }
  | { readonly kind: "err"; readonly message: string }
  /** A piece of something that comes whole later, or a line that is too long: told in a few words. */
  | { readonly kind: "delta"; readonly summary: string }
  /** Something that an app can show in one line, or leave out. */
  | { readonly kind: "summary"; readonly text: string }
  /** A row of a kind that nobody knows here, as it came. */
  | { readonly kind: "json"; readonly raw: string }
  /** A line that is no JSON object. */
  | { readonly kind: "text"; readonly raw: string };

type RowFields = Readonly<Record<string, unknown>>;

/** A line as the row that an app shows. Never throws: what is not understood comes back as it is. */
export function parseRow(line: string): AppRow {
  const raw = line.trim();
  if (raw.length > LIMITS.rowLineChars) return tooLong(raw.length);
  const row = objectOf(raw);
  if (row === undefined) return { kind: "text", raw };
  const fields = isObject(row["msg"]) ? row["msg"] : row;
  return rowOf(fields) ?? { kind: "json", raw };
}

/** Lines from chunks of text, such as a program's output; each comes back as a row. Holds one line at most. */
export class RowReader {
  #held = "";
  /** What was dropped of a line that is too long. */
  #dropped = 0;

  /** The rows of all lines that this chunk ends. Empty lines are left out. */
  push(chunk: string): readonly AppRow[] {
    const lines = chunk.split("\n");
    const last = lines.pop() ?? "";
    const rows = lines.flatMap((line) => this.#end(line));
    this.#hold(last);
    return rows;
  }

  /** The row of a last line without a line break. */
  end(): readonly AppRow[] {
    return this.#end("");
  }

  #hold(part: string): void {
    if (this.#dropped === 0 && this.#held.length + part.length <= LIMITS.rowLineChars) this.#held += part;
    else {
      this.#dropped += this.#held.length + part.length;
      this.#held = "";
    }
  }

  #end(part: string): readonly AppRow[] {
    this.#hold(part);
    const [line, dropped] = [this.#held, this.#dropped];
    this.#held = "";
    this.#dropped = 0;
    if (dropped > 0) return [tooLong(dropped)];
    return line.trim() === "" ? [] : [parseRow(line)];
  }
}

function tooLong(length: number): AppRow {
  return { kind: "delta", summary: `[jsonl delta ~${length} bytes]` };
}

function objectOf(raw: string): RowFields | undefined {
  try {
    const value: unknown = JSON.parse(raw);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is RowFields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Undefined: nobody knows it here. */
function rowOf(row: RowFields): AppRow | undefined {
  const type = textOf(row["type"]) ?? "";
  const [family = "", verb = ""] = type.split(".");
  if (family === "item" && isPhase(verb)) return isObject(row["item"]) ? itemOf(verb, row["item"]) : undefined;
  if (family === "turn") return turnOf(verb, row);
  if (family === "thread") return threadOf(verb, row);
  if (family === "approval") return approvalOf(verb, row);
  if (type === "error" || type === "stream_error") {
    const message = textOf(row["message"]);
    return message === undefined ? undefined : { kind: "err", message };
  }
  if (type === "bridge.status") return { kind: "summary", text: statusWords(row) };
  return olderOf(type, row);
}

function isPhase(verb: string): verb is ItemPhase {
  return verb === "started" || verb === "updated" || verb === "completed";
}

function turnOf(verb: string, row: RowFields): AppRow | undefined {
  if (verb === "started") return { kind: "turn", phase: "started" };
  if (verb === "completed") {
    const usage = usageOf(row["usage"]);
    return { kind: "turn", phase: "completed", ...(usage === undefined ? {} : { usage }) };
  }
  if (verb !== "failed") return undefined;
  const message = isObject(row["error"]) ? textOf(row["error"]["message"]) : undefined;
  return { kind: "turn", phase: "failed", ...(message === undefined ? {} : { message }) };
}

function usageOf(value: unknown): RowUsage | undefined {
  if (!isObject(value)) return undefined;
  return {
    input_tokens: numberOf(value["input_tokens"]) ?? 0,
    cached_input_tokens: numberOf(value["cached_input_tokens"]) ?? 0,
    output_tokens: numberOf(value["output_tokens"]) ?? 0,
  };
}

function threadOf(verb: string, row: RowFields): AppRow | undefined {
  const thread_id = textOf(row["thread_id"]);
  if (thread_id === undefined) return undefined;
  if (verb === "started" || verb === "resumed") return { kind: "thread", thread_id };
  const session_id = textOf(row["session_id"]);
  if (verb !== "session" || session_id === undefined) return undefined;
  return { kind: "summary", text: `Its agent calls this thread ${session_id}.` };
}

function approvalOf(verb: string, row: RowFields): AppRow | undefined {
  if (verb === "resolved") {
    const [id, outcome, feedback] = [textOf(row["approval_id"]), textOf(row["outcome"]), textOf(row["feedback"])];
    if (id === undefined || outcome === undefined) return undefined;
    return { kind: "approval_answer", id, outcome, ...(feedback === undefined ? {} : { feedback }) };
  }
  const { approval } = row;
  if (verb !== "requested" || !isObject(approval)) return undefined;
  const [id, tool, input_hash] = [textOf(approval["id"]), textOf(approval["tool"]), textOf(approval["input_hash"])];
  if (id === undefined || tool === undefined || input_hash === undefined) return undefined;
  return {
    kind: "approval",
    id,
    tool,
    reason: textOf(approval["reason"]) ?? "",
    input_hash,
    item_id: textOf(approval["item_id"]) ?? "",
    ...(isObject(approval["input"]) ? { input: approval["input"] } : {}),
  };
}

function itemOf(phase: ItemPhase, item: RowFields): AppRow {
  const known = textOf(item["id"]);
  const id = known === undefined ? {} : { id: known };
  const status = textOf(item["status"]);
  const text = textOf(item["text"]);
  switch (item["type"]) {
    case "agent_message":
      if (phase === "completed" && text !== undefined) return { kind: "md", ...id, markdown: text };
      break;
    case "reasoning":
      if (phase === "completed" && text !== undefined) return { kind: "reason", ...id, text };
      break;
    case "command_execution":
      return { ...commandOf(item, status ?? (phase === "completed" ? "completed" : "in_progress")), ...id };
    case "file_change":
      return { kind: "file_change", ...id, status: status ?? phase, changes: changesOf(item["changes"]) };
    case "web_search":
      return { kind: "web_search", ...id, query: textOf(item["query"]) ?? "" };
    case "mcp_tool_call":
      return {
        kind: "mcp_call",
        ...id,
        server: textOf(item["server"]) ?? "",
        tool: textOf(item["tool"]) ?? "",
        status: status ?? phase,
      };
    case "todo_list":
      return { kind: "todo_list", ...id, status: phase, items: todosOf(item["items"]) };
    case "error":
      return { kind: "err", message: textOf(item["message"]) ?? "" };
  }
  const item_type = textOf(item["type"]) ?? "";
  return { kind: "item_lifecycle", phase, id: known ?? "", item_type, ...(status === undefined ? {} : { status }) };
}

function commandOf(item: RowFields, status: string): Extract<AppRow, { kind: "cmd_item" }> {
  const output = textOf(item["aggregated_output"]) ?? "";
  const exit_code = numberOf(item["exit_code"]);
  return {
    kind: "cmd_item",
    command: textOf(item["command"]) ?? "",
    status,
    ...(exit_code === undefined ? {} : { exit_code }),
    output_len: output.length,
    sample: output.slice(0, LIMITS.rowSampleChars),
  };
}

function listOf(value: unknown): readonly RowFields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function changesOf(value: unknown): readonly { readonly path: string; readonly kind: string }[] {
  return listOf(value).map(({ path, kind }) => ({ path: textOf(path) ?? "", kind: textOf(kind) ?? "" }));
}

function todosOf(value: unknown): readonly { readonly text: string; readonly completed: boolean }[] {
  return listOf(value).map(({ text, completed }) => ({ text: textOf(text) ?? "", completed: completed === true }));
}

function statusWords(row: RowFields): string {
  const running = Array.isArray(row["running"]) ? row["running"].length : 0;
  return `${textOf(row["provider"]) ?? "?"}, ${textOf(row["mapping"]) ?? "?"}, ${running} running`;
}

const SHOWN_TOKEN_CHARS = 40;

/** Messages of Codex's older protocol, which comes wrapped in `msg`. */
function olderOf(type: string, row: RowFields): AppRow | undefined {
  const message = textOf(row["message"]) ?? textOf(row["text"]);
  switch (type) {
    case "agent_message":
      return message === undefined ? undefined : { kind: "md", markdown: message };
    case "agent_reasoning":
      return message === undefined ? undefined : { kind: "reason", text: message };
    case "exec_command_begin": {
      const { command, cwd } = row;
      const words = Array.isArray(command) ? command.filter((word) => typeof word === "string").join(" ") : command;
      return { kind: "exec_begin", command: textOf(words) ?? "", cwd: textOf(cwd) ?? "" };
    }
    case "task_complete":
      return { kind: "turn", phase: "completed" };
  }
  if (!type.endsWith("delta")) return undefined;
  const token = textOf(row["delta"]) ?? textOf(row["chunk"]) ?? "";
  const tool = textOf(row["tool"]) ?? type;
  return {
    kind: "delta",
    summary: `[delta] tool=${tool} token=${JSON.stringify(token.slice(0, SHOWN_TOKEN_CHARS))} ~${token.length}B`,
  };
}
