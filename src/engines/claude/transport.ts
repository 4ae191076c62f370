import { toolsWith, type SessionSettings } from "../../protocol/index.ts";
import type { OpenRequest } from "../../sandbox/sandbox.ts";
import type { Host, Verdict } from "../engine.ts";
import type { OfferedToolServer } from "./offered-tools.ts";
import type { OutputAllowance, ProcessEnd } from "../vendor/output.ts";
import type { RecordPlace } from "./state.ts";
import type { AskedCall } from "./translate.ts";
import type { Offer } from "./tools.ts";
import type { VendorMessage } from "./wire.ts";
import { record, text, type VendorFields } from "../vendor/fields.ts";

/** How a conversation begins in a process. `session` is the vendor's id, which we choose. */
export type ConversationStart =
  | { readonly type: "fresh" | "resume"; readonly session: string }
  /** A copy of another conversation, up to a message. */
  | { readonly type: "fork"; readonly session: string; readonly from: RecordPlace & { readonly uuid: string } };

/** A message to the model. `uuid` is the vendor's id of it, which we choose. */
export interface UserMessage {
  readonly uuid: string;
  readonly content: readonly VendorFields[];
}

export type VendorDecision =
  | { readonly behavior: "allow"; readonly updatedInput: VendorFields }
  /** `interrupt`: the turn ends here, before the model is asked again. The program then keeps the message to itself. */
  | { readonly behavior: "deny"; readonly message: string; readonly interrupt?: true };

/** Receives everything from a process. */
export interface ProcessListener {
  heard(said: VendorMessage): void;
  /** A line that is not a message. */
  noise(line: string): void;
  /** Decides on a call. Its message may come a moment later. Aborted: the answer is no longer needed. */
  permit(call: AskedCall, signal: AbortSignal): Promise<VendorDecision>;
  /** Resolves when the session has taken everything received so far. */
  drained(): Promise<void>;
  /** A call that a dead server decided on. */
  recall(call: AskedCall, verdict: Verdict): void;
  /** Nothing more comes. */
  ended(end: ProcessEnd): void;
}

/** What is kept with a held process, for the server that takes it up. */
export interface ProcessNote {
  /** Decides the ids of what it says. */
  readonly salt: string;
  readonly temporary: string;
  readonly model: string;
}

export interface Launch {
  readonly executable: string;
  /** How often a failed model request is retried. */
  readonly retries: number;
  readonly host: Host;
  readonly settings: SessionSettings;
  readonly offer: Offer;
  readonly servers: readonly OfferedToolServer[];
  /** A server that was offered after the process was taken up: a page that came back, or will. */
  readonly findServer: (name: string) => OfferedToolServer;
  readonly start: ConversationStart;
  /** Its own folder for what it needs while it runs. */
  readonly temporary: string;
  /** For its output; shared by all processes of the engine. */
  readonly allowance: OutputAllowance;
  /** Decides the ids of what it says. */
  readonly salt: string;
}

/** What can be done with a process because it outlives the server. */
export interface HeldTransport {
  readonly salt: string;
  /** The open turn can no longer be taken up. */
  forfeit(): void;
  /** The server stops: the process belongs to the next one. */
  leave(): void;
}

/** A running process of the vendor's program. */
export interface VendorTransport {
  /** Resolves when it has started and is initialised; never if it ends before. */
  readonly ready: Promise<unknown>;
  /** From now on these are all its servers; `changed`: those whose tools changed. */
  setServers(servers: readonly OfferedToolServer[], changed: readonly string[]): Promise<unknown>;
  /** `turn_id`: its first message, and so far its only one. */
  send(message: UserMessage, turn_id?: string): void;
  /** The process outlives the server. Absent: it does not. */
  readonly held?: HeldTransport | undefined;
  /** Ends the turn, not the process. */
  interrupt(): void;
  /** Lets the process end by itself, and ends it if it does not. Resolves when it and its children are gone. */
  finish(): Promise<void>;
  /** The same without waiting. */
  kill(): Promise<void>;
}

export type OpenTransport = (launch: Launch, listener: ProcessListener) => Promise<VendorTransport>;

/** The vendor program's setting for calls: always ask, for every tool, so that every call reaches us. */
const ALWAYS_ASK = {
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask" },
} as const;

/** Its own tools that read files; our own tools say such things with their results. */
const OWN_READERS = toolsWith(({ claude, rule }) => typeof claude === "object" && rule === "read_path");

/** The answer to the program's question before a call: to ask, with what its folder says to agents. */
export async function beforeCall(host: Pick<Host, "nested">, hook: VendorFields): Promise<object> {
  const path = text(record(hook["tool_input"])["file_path"]);
  const isReader = OWN_READERS.includes(text(hook["tool_name"]) ?? "");
  if (!isReader || path === undefined || host.nested === undefined) return ALWAYS_ASK;
  const told = await host.nested({ agent: text(hook["agent_id"]) ?? "", paths: [path] });
  if (told === "") return ALWAYS_ASK;
  return { hookSpecificOutput: { ...ALWAYS_ASK.hookSpecificOutput, additionalContext: told } };
}

/** Seconds. */
export const HOOK_TIMEOUT = 86_400;

/** What the next server needs of a process. Undefined: it cannot outlive this one. */
export function holdRequest({ host, salt, temporary }: Launch): OpenRequest["hold"] {
  if (host.sandbox.holds !== true) return undefined;
  const note: ProcessNote = { salt, temporary, model: host.model.name };
  return { key: host.model.key, note: JSON.stringify(note) };
}
