import type { ErrorDetail, LiveStatus, PageOfferStatus, TurnView } from "../../client/index.ts";
import { spendingWords } from "../../protocol/money-words.ts";
import { PANEL_LIMITS } from "./limits.ts";

type WordsInput = Readonly<Record<string, unknown>>;

const BASH_CHARS = 120;

/** A tool's name without its prefix. */
export function bareTool(tool: string): string {
  return /^mcp__.+?__(.+)$/.exec(tool)?.[1] ?? tool;
}

type StepWords = (tool: string, input: Record<string, unknown>) => string | undefined;

/** A page's words for steps, by the names that it gave its tools. Other tools keep their full name, since short names may collide. */
export function pageWords(page: string | undefined, describe: StepWords | undefined): StepWords {
  const prefix = `mcp__${page ?? ""}__`;
  return (tool, input) =>
    describe?.(page !== undefined && tool.startsWith(prefix) ? tool.slice(prefix.length) : tool, input);
}

/** What a step does, on one line. */
export function stepWords(tool: string, input: Record<string, unknown>, describe?: StepWords): string {
  const told = describe === undefined ? undefined : tell(() => describe(tool, input));
  const words = told ?? ownWords(tool, input);
  const line = words.replace(/\s+/g, " ").trim();
  return line.length > PANEL_LIMITS.stepWordsChars ? `${line.slice(0, PANEL_LIMITS.stepWordsChars - 1)}…` : line;
}

/** A failing callback of the page must not break the panel. */
function tell(describe: () => string | undefined): string | undefined {
  try {
    return describe();
  } catch {
    return undefined;
  }
}

/** Document 000's words, by what the input holds. */
function ownWords(tool: string, input: WordsInput): string {
  if (bareTool(tool) !== tool) return plainName(tool);
  const [file, command, pattern, address] = [
    text(input, "file_path") || text(input, "notebook_path"),
    text(input, "command").slice(0, BASH_CHARS),
    text(input, "pattern"),
    text(input, "query") || text(input, "url"),
  ];
  if (file !== "") return `${tool.endsWith("Edit") ? "Edit" : tool} ${file}`;
  if (command !== "" || address !== "") return `${tool}: ${command || address}`;
  if (pattern !== "") return `${tool} ${tool === "Grep" ? `'${pattern}'` : pattern}${within(text(input, "path"))}`;
  if (Array.isArray(input["todos"])) return "Plan the next steps";
  if (Array.isArray(input["questions"])) return "Ask you";
  const task = text(input, "prompt") === "" ? "" : text(input, "description");
  return task === "" ? plainName(tool) : `Give a task to a helper: ${task}`;
}

function plainName(tool: string): string {
  const words = bareTool(tool).replace(/_+/g, " ").trim();
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

const within = (path: string): string => (path === "" ? "" : ` in ${path}`);

function text(input: WordsInput, name: string): string {
  const value = input[name];
  return typeof value === "string" ? value : "";
}

/** What went wrong, and what the person can do. */
export interface PanelTrouble {
  readonly text: string;
  readonly next?: string;
}

const TROUBLES: Readonly<Partial<Record<ErrorDetail["code"], PanelTrouble>>> = {
  aborted: { text: "Stopped." },
  rejected_and_stopped: { text: "Stopped with your rejection." },
  unauthenticated: { text: "You are signed out.", next: "Reload the page to sign in again." },
  not_found: { text: "The server does not know this chat any more.", next: "Start a new chat." },
  session_closed: { text: "This chat has ended.", next: "Start a new chat." },
  rate_limited: { text: "That was too much at once.", next: "Wait a minute, then try again." },
  queue_full: { text: "Too many messages wait already.", next: "Wait for an answer, or stop the one at work." },
  limit_reached: { text: "The server has as many chats as it may have.", next: "Try again later." },
  payload_too_large: { text: "That is too large to send.", next: "Remove an attachment or shorten the text." },
  budget_exceeded: {
    text: "The budget is used up.",
    next: "Ask an admin for more, or start a new chat with a smaller question.",
  },
  max_turns: { text: "The answer took more steps than allowed.", next: "Ask for less at once, or say “go on”." },
  max_tokens: { text: "The answer was too long and is cut off.", next: "Say “go on” to get the rest." },
  refusal: { text: "The model refused to answer this.", next: "Ask in another way." },
  context_exceeded: { text: "The chat has grown too long for the model.", next: "Start a new chat." },
  model_unavailable: { text: "The model does not answer now.", next: "Try again in a moment." },
  model_stream_cut: { text: "The answer was cut off on its way.", next: "Try again." },
  model_unauthenticated: { text: "The server may not use this model.", next: "Ask an admin to check its key." },
  shutting_down: { text: "The server is being stopped.", next: "Try again when it is back." },
  already_answered: { text: "Somebody has answered this already." },
  input_changed: { text: "What was asked has changed.", next: "Look at it again." },
  not_approvable: { text: "A part of this is hidden, so it cannot be approved.", next: "Reject it." },
  timed_out: { text: "The time for an answer is over." },
  protocol_mismatch: { text: "This page and the server have different versions.", next: "Reload the page." },
};

/** A failure in plain words. */
export function troubleOf(error: unknown): PanelTrouble {
  if (isFailure(error)) {
    const { code, message } = error;
    const known = TROUBLES[code];
    if (known !== undefined) return known;
    const sentence = `${message.slice(0, 1).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? "" : "."}`;
    return code === "forbidden"
      ? { text: `You may not do this: ${message}.`, next: "Ask an admin." }
      : { text: sentence };
  }
  if (error instanceof TypeError)
    return {
      text: "The server cannot be reached.",
      next: "Check your network and that the server runs, then try again.",
    };
  return { text: error instanceof Error ? error.message : "Something went wrong.", next: "Try again." };
}

/** By its shape: the page may have loaded the client twice. */
function isFailure(error: unknown): error is ErrorDetail {
  if (typeof error !== "object" || error === null) return false;
  const { code, message } = error as Partial<ErrorDetail>;
  return typeof code === "string" && typeof message === "string";
}

/** The code of a refusal; undefined: it is none. */
export function codeOf(error: unknown): ErrorDetail["code"] | undefined {
  return isFailure(error) ? error.code : undefined;
}

/** The connection state in words; undefined: nothing worth saying. */
export function connectionWords(status: LiveStatus, now: number): string | undefined {
  switch (status.state) {
    case "open":
    case "closed":
      return undefined;
    case "offline":
      return "You are offline. The chat goes on when the network is back.";
    case "connecting":
      return status.attempt === 0 ? "Connecting…" : "The server cannot be reached. Trying again…";
    case "waiting": {
      const seconds = Math.max(0, Math.ceil(((status.retry_at ?? now) - now) / 1_000));
      return `The server cannot be reached. Trying again in ${String(seconds)} s.`;
    }
  }
}

/** The state of the page's tools in words; undefined: fine. */
export function offerWords(offered: Pick<PageOfferStatus, "state" | "failure"> | undefined): string | undefined {
  const why = offered?.failure?.message;
  if (offered?.state === "refused")
    return `The tools of this page cannot be used${why === undefined ? "" : `: ${why}`}. Answers come without them.`;
  return offered?.state === "waiting" && why !== undefined ? `The tools of this page have to wait: ${why}.` : undefined;
}

const MICRO = 1_000_000;
const CENT = 10_000;

/** micro-USD as dollars: cents, and more digits where cents would hide it. */
export function dollars(microusd: number): string {
  return `$${(microusd / MICRO).toFixed(microusd === 0 || microusd >= CENT ? 2 : 4)}`;
}

/** What an answer cost: measured, or at most; empty: not known. */
export function costWords({
  cost_microusd,
  bound_microusd,
}: Pick<TurnView, "cost_microusd" | "bound_microusd">): string {
  return cost_microusd === undefined ? "" : spendingWords({ cost_microusd, bound_microusd }, dollars);
}

/** A diff without its file header. Only the header at the top: below it, `+++ x` is an added line `++ x`. */
export function hunksOf(diff: string): string {
  return diff.replace(/^--- [^\n]*\n\+\+\+ [^\n]*\n/, "").trimEnd();
}

export function shorten(words: string, chars: number): string {
  return words.length <= chars
    ? words
    : `${words.slice(0, chars)}\n… (${String(words.length - chars)} more characters)`;
}
