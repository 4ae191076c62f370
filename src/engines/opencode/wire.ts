import type { Usage } from "../../protocol/index.ts";
import { count, record, text, type VendorFields } from "../vendor/fields.ts";

/** Why a request or a turn failed, as OpenCode says it. */
export interface OpenCodeError {
  readonly name: string;
  readonly message: string;
  /** The model's answer; absent: there was none. */
  readonly status?: number | undefined;
}

/** How far a call is. */
type CallState =
  | { readonly status: "pending" }
  | { readonly status: "running"; readonly input: VendorFields }
  | { readonly status: "completed" | "error"; readonly input: VendorFields; readonly output: string };

/** The parts of OpenCode's events that an engine looks at. Ids are OpenCode's own; those of messages ascend. */
export type OpenCodeEvent =
  | { readonly type: "connected" }
  | {
      readonly type: "message";
      readonly session: string;
      readonly id: string;
      readonly role: "user" | "assistant";
      readonly completed: boolean;
      /** A summary of what came before. */
      readonly summary: boolean;
      readonly finish?: string | undefined;
      readonly error?: OpenCodeError | undefined;
    }
  | {
      readonly type: "words";
      readonly session: string;
      readonly message: string;
      readonly part: string;
      readonly kind: "text" | "thinking";
      readonly text: string;
      readonly done: boolean;
      readonly signature?: string | undefined;
    }
  | {
      readonly type: "delta";
      readonly session: string;
      readonly message: string;
      readonly part: string;
      readonly text: string;
    }
  | {
      readonly type: "call";
      readonly session: string;
      readonly message: string;
      readonly id: string;
      readonly tool: string;
      readonly state: CallState;
    }
  | {
      readonly type: "usage";
      readonly session: string;
      readonly message: string;
      readonly part: string;
      readonly usage: Usage;
    }
  | {
      readonly type: "retry";
      readonly session: string;
      readonly attempt: number;
      readonly message: string;
      /** Milliseconds since the epoch. */
      readonly next: number;
    }
  | { readonly type: "idle"; readonly session: string }
  | { readonly type: "failed"; readonly session: string; readonly error: OpenCodeError }
  /** `call`: the one that it is about. */
  | { readonly type: "permission"; readonly session: string; readonly id: string; readonly call: string }
  | { readonly type: "other" };

const OTHER: OpenCodeEvent = { type: "other" };

/** Unknown events pass as `other`: newer versions have more of them. */
export function readEvent(raw: unknown): OpenCodeEvent {
  const event = record(raw);
  const properties = record(event["properties"]);
  const session = text(properties["sessionID"]) ?? "";
  switch (event["type"]) {
    case "server.connected":
      return { type: "connected" };
    case "message.updated":
      return readMessageInfo(record(properties["info"]), session);
    case "message.part.updated":
      return readPart(record(properties["part"]), session);
    case "message.part.delta":
      return readDelta(properties, session);
    case "session.status":
      return readStatus(record(properties["status"]), session);
    case "session.error":
      return { type: "failed", session, error: readError(properties["error"]) };
    case "permission.asked":
      return {
        type: "permission",
        session,
        id: text(properties["id"]) ?? "",
        call: text(record(properties["tool"])["callID"]) ?? "",
      };
    default:
      // `session.idle` says once more what `session.status` said.
      return OTHER;
  }
}

/** A message with its parts, as the record has it. */
export function readRecorded(raw: unknown): readonly OpenCodeEvent[] {
  const { info, parts } = record(raw);
  const fields = record(info);
  const session = text(fields["sessionID"]) ?? "";
  const own = Array.isArray(parts) ? parts.map((part) => readPart(record(part), session)) : [];
  return [...own, readMessageInfo(fields, session)];
}

function readMessageInfo(info: VendorFields, session: string): OpenCodeEvent {
  const { error } = info;
  return {
    type: "message",
    session,
    id: text(info["id"]) ?? "",
    role: info["role"] === "assistant" ? "assistant" : "user",
    completed: record(info["time"])["completed"] !== undefined,
    summary: info["summary"] === true,
    finish: text(info["finish"]),
    error: error === undefined || error === null ? undefined : readError(error),
  };
}

function readError(raw: unknown): OpenCodeError {
  const error = record(raw);
  const data = record(error["data"]);
  const name = text(error["name"]) ?? "UnknownError";
  return { name, message: text(data["message"]) ?? name, status: count(data["statusCode"]) };
}

function readPart(part: VendorFields, session: string): OpenCodeEvent {
  const message = text(part["messageID"]) ?? "";
  const id = text(part["id"]) ?? "";
  switch (part["type"]) {
    case "text":
    case "reasoning":
      return {
        type: "words",
        session,
        message,
        part: id,
        kind: part["type"] === "text" ? "text" : "thinking",
        text: text(part["text"]) ?? "",
        done: record(part["time"])["end"] !== undefined,
        signature: text(record(record(part["metadata"])["anthropic"])["signature"]),
      };
    case "tool":
      return {
        type: "call",
        session,
        message,
        id: text(part["callID"]) ?? "",
        ...readCall(text(part["tool"]) ?? "", readCallState(record(part["state"]))),
      };
    case "step-finish":
      return { type: "usage", session, message, part: id, usage: readUsage(record(part["tokens"])) };
    default:
      return OTHER;
  }
}

/** OpenCode answers a call that it cannot make with a tool of its own, which says what is wrong and counts as completed. */
const INVALID = "invalid";

function readCall(tool: string, state: CallState): Pick<Extract<OpenCodeEvent, { type: "call" }>, "tool" | "state"> {
  if (tool !== INVALID || state.status === "pending") return { tool, state };
  const meant = text(state.input["tool"]) ?? tool;
  return { tool: meant, state: state.status === "completed" ? { ...state, status: "error" } : state };
}

function readCallState(state: VendorFields): CallState {
  const input = record(state["input"]);
  switch (state["status"]) {
    case "running":
      return { status: "running", input };
    case "completed":
      return { status: "completed", input, output: text(state["output"]) ?? "" };
    case "error":
      return { status: "error", input, output: text(state["error"]) ?? "" };
    default:
      return { status: "pending" };
  }
}

/** OpenCode counts thoughts beside the answer's tokens; ours are among them. */
function readUsage(tokens: VendorFields): Usage {
  const cache = record(tokens["cache"]);
  const reasoning = count(tokens["reasoning"]) ?? 0;
  return {
    input_tokens: count(tokens["input"]) ?? 0,
    output_tokens: (count(tokens["output"]) ?? 0) + reasoning,
    cache_read_tokens: count(cache["read"]) ?? 0,
    cache_write_tokens: count(cache["write"]) ?? 0,
    reasoning_tokens: reasoning,
    model_calls: 1,
  };
}

function readDelta(properties: VendorFields, session: string): OpenCodeEvent {
  if (properties["field"] !== "text") return OTHER;
  return {
    type: "delta",
    session,
    message: text(properties["messageID"]) ?? "",
    part: text(properties["partID"]) ?? "",
    text: text(properties["delta"]) ?? "",
  };
}

function readStatus(status: VendorFields, session: string): OpenCodeEvent {
  switch (status["type"]) {
    case "idle":
      return { type: "idle", session };
    case "retry":
      return {
        type: "retry",
        session,
        attempt: count(status["attempt"]) ?? 1,
        message: text(status["message"]) ?? "",
        next: count(status["next"]) ?? 0,
      };
    default:
      return OTHER;
  }
}
