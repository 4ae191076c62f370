import type { ErrorDetail, LiveStatus, PageOfferStatus, TurnView } from "../../client/index.ts";
import { spendingParts, type SpendingPart } from "../../protocol/models/money-words.ts";
import { PANEL_LIMITS } from "./limits.ts";
import { dollars, mark, plural, t } from "./language.ts";

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
  if (Array.isArray(input["todos"])) return t("Plan the next steps");
  if (Array.isArray(input["questions"])) return t("Ask you");
  const task = text(input, "prompt") === "" ? "" : text(input, "description");
  return task === "" ? plainName(tool) : `${t("Give a task to a helper:")} ${task}`;
}

function plainName(tool: string): string {
  const words = bareTool(tool).replace(/_+/g, " ").trim();
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

const within = (path: string): string => (path === "" ? "" : ` ${t("in")} ${path}`);

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
  aborted: { text: mark("Stopped.") },
  rejected_and_stopped: { text: mark("Stopped with your rejection.") },
  unauthenticated: { text: mark("You are signed out."), next: mark("Reload the page to sign in again.") },
  not_found: { text: mark("The server does not know this chat any more."), next: mark("Start a new chat.") },
  session_closed: { text: mark("This chat has ended."), next: mark("Start a new chat.") },
  rate_limited: { text: mark("That was too much at once."), next: mark("Wait a minute, then try again.") },
  queue_full: {
    text: mark("Too many messages wait already."),
    next: mark("Wait for an answer, or stop the one at work."),
  },
  limit_reached: { text: mark("The server has as many chats as it may have."), next: mark("Try again later.") },
  payload_too_large: {
    text: mark("That is too large to send."),
    next: mark("Remove an attachment or shorten the text."),
  },
  budget_exceeded: {
    text: mark("The budget is used up."),
    next: mark("Ask an admin for more, or start a new chat with a smaller question."),
  },
  max_turns: {
    text: mark("The answer took more steps than allowed."),
    next: mark("Ask for less at once, or say “go on”."),
  },
  max_tokens: { text: mark("The answer was too long and is cut off."), next: mark("Say “go on” to get the rest.") },
  refusal: { text: mark("The model refused to answer this."), next: mark("Ask in another way.") },
  context_exceeded: { text: mark("The chat has grown too long for the model."), next: mark("Start a new chat.") },
  model_unavailable: { text: mark("The model does not answer now."), next: mark("Try again in a moment.") },
  model_stream_cut: { text: mark("The answer was cut off on its way."), next: mark("Try again.") },
  model_unauthenticated: {
    text: mark("The server may not use this model."),
    next: mark("Ask an admin to check its key."),
  },
  shutting_down: { text: mark("The server is being stopped."), next: mark("Try again when it is back.") },
  already_answered: { text: mark("Somebody has answered this already.") },
  input_changed: { text: mark("What was asked has changed."), next: mark("Look at it again.") },
  not_approvable: { text: mark("A part of this is hidden, so it cannot be approved."), next: mark("Reject it.") },
  timed_out: { text: mark("The time for an answer is over.") },
  protocol_mismatch: {
    text: mark("This page and the server have different versions."),
    next: mark("Reload the page."),
  },
};

/** A failure in plain words. */
export function troubleOf(error: unknown): PanelTrouble {
  if (isFailure(error)) {
    const { code, message } = error;
    const known = TROUBLES[code];
    if (known !== undefined)
      return { text: t(known.text), ...(known.next === undefined ? {} : { next: t(known.next) }) };
    const sentence = `${message.slice(0, 1).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? "" : "."}`;
    return code === "forbidden"
      ? { text: t("You may not do this: {why}.", { why: message }), next: t("Ask an admin.") }
      : { text: sentence };
  }
  if (error instanceof TypeError)
    return {
      text: t("The server cannot be reached."),
      next: t("Check your network and that the server runs, then try again."),
    };
  return { text: error instanceof Error ? error.message : t("Something went wrong."), next: t("Try again.") };
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
      return t("You are offline. The chat goes on when the network is back.");
    case "connecting":
      return status.attempt === 0 ? t("Connecting…") : t("The server cannot be reached. Trying again…");
    case "waiting": {
      const seconds = Math.max(0, Math.ceil(((status.retry_at ?? now) - now) / 1_000));
      return t("The server cannot be reached. Trying again in {seconds} s.", { seconds });
    }
  }
}

/** The state of the page's tools in words; undefined: fine. */
export function offerWords(offered: Pick<PageOfferStatus, "state" | "failure"> | undefined): string | undefined {
  const why = offered?.failure?.message;
  if (offered?.state === "refused")
    return why === undefined
      ? t("The tools of this page cannot be used. Answers come without them.")
      : t("The tools of this page cannot be used: {why}. Answers come without them.", { why });
  return offered?.state === "waiting" && why !== undefined
    ? t("The tools of this page have to wait: {why}.", { why })
    : undefined;
}

/** What an answer cost: measured, or at most; empty: not known. */
export function costWords({
  cost_microusd,
  bound_microusd,
}: Pick<TurnView, "cost_microusd" | "bound_microusd">): string {
  return cost_microusd === undefined
    ? ""
    : spendingParts({ cost_microusd, bound_microusd }).map(spendingWord).join(", ");
}

function spendingWord({ kind, microusd }: SpendingPart): string {
  const amount = dollars(microusd);
  switch (kind) {
    case "spent":
      return t("spent {amount}", { amount });
    case "reserved":
      return t("{amount} reserved", { amount });
    case "at_most":
      return t("at most {amount}", { amount });
  }
}

/** A diff without its file header. Only the header at the top: below it, `+++ x` is an added line `++ x`. */
export function hunksOf(diff: string): string {
  return diff.replace(/^--- [^\n]*\n\+\+\+ [^\n]*\n/, "").trimEnd();
}

export function shorten(words: string, chars: number): string {
  return words.length <= chars
    ? words
    : `${words.slice(0, chars)}\n${plural({ one: "… ({count} more character)", other: "… ({count} more characters)" }, { count: words.length - chars })}`;
}
