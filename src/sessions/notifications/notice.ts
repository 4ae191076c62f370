import {
  BUDGET_TOOL,
  headOf,
  isPlainToSee,
  isServerQuestion,
  LIMITS,
  previewLine,
  showHidden,
  type Approval,
  type JournalEvent,
  type NotificationEvent,
  type Redactor,
} from "../../protocol/index.ts";
import type { SessionState } from "../core/state.ts";

/** Something that people may want to hear of, in words that hold no secret. */
export interface Notice {
  readonly event: NotificationEvent | "test";
  readonly title: string;
  readonly text: string;
  readonly session: string;
  readonly session_id: string;
  /** Whose session it is: who may only see its own is not told of others. */
  readonly owner: string;
  readonly tag: string;
  /** Below the console's address. */
  readonly path: string;
  /** Of a question. */
  readonly approval?: NoticeApproval;
}

interface NoticeApproval {
  readonly id: string;
  readonly input_hash: string;
  /** `text` has the whole call, so that who reads it has seen what would run. */
  readonly isWhole: boolean;
  /** Milliseconds since the epoch. Absent: it waits without an end. */
  readonly expires_at?: number;
}

type NoticeSession = Pick<SessionState, "id" | "title" | "created_by" | "settings">;

/** What an event of the journal is to people; undefined: nothing. */
export function noticeOf(event: JournalEvent, session: NoticeSession, redact: Redactor): Notice | undefined {
  if (event.type === "approval.requested") return questionNotice(event.approval, session, redact);
  if (event.type === "turn.completed")
    return endNotice(session, redact, { title: "Turn finished", text: "", turn: event.turn_id });
  // Somebody stopped it, and knows.
  if (event.type !== "turn.failed" || event.by !== undefined) return undefined;
  return endNotice(session, redact, { title: "Turn failed", text: event.error.message, turn: event.turn_id });
}

export function questionNotice(approval: Approval, session: NoticeSession, redact: Redactor): Notice {
  const { id, input_hash, session_id, tool, expires_at } = approval;
  const whole = wholeCall(approval, session);
  const isWhole = whole !== undefined && redact(whole) === whole;
  const about = isWhole ? whole : cut(clean(previewLine(approval.preview) ?? "", redact), LIMITS.notificationCallChars);
  const name = sessionName(session, redact);
  return {
    event: tool === BUDGET_TOOL ? "budget" : "question",
    title: cut(clean(titleOf(approval), redact), LIMITS.notificationTitleChars),
    text: `${about}\n${name}`,
    session: name,
    session_id,
    owner: session.created_by.id,
    tag: id,
    path: `/approvals?id=${encodeURIComponent(id)}&hash=${encodeURIComponent(input_hash)}`,
    approval: {
      id,
      input_hash,
      isWhole,
      ...(expires_at === undefined ? {} : { expires_at: Date.parse(expires_at) }),
    },
  };
}

function endNotice(
  session: NoticeSession,
  redact: Redactor,
  { title, text, turn }: { readonly title: string; readonly text: string; readonly turn: string },
): Notice {
  const name = sessionName(session, redact);
  const about = cut(clean(text, redact), LIMITS.notificationTextChars - name.length - 1);
  return {
    event: "ended",
    title,
    text: about === "" ? name : `${name}\n${about}`,
    session: name,
    session_id: session.id,
    owner: session.created_by.id,
    tag: turn,
    path: `/sessions/${encodeURIComponent(session.id)}`,
  };
}

const TITLE_CHARS = 80;

function sessionName({ title }: NoticeSession, redact: Redactor): string {
  return cut(clean(title === "" ? "Untitled session" : title, redact), TITLE_CHARS);
}

function titleOf({ tool, preview }: Approval): string {
  switch (preview.type) {
    case "question":
      return "The agent has a question";
    case "budget":
      return "Budget reached: raise it?";
    case "network":
      return "A program wants to reach a host";
    case "changes":
      return "Changes wait for your review";
    case "command":
      return "Run this command?";
    case "diff":
    case "multi_diff":
    case "notebook":
      return `${tool}: change files?`;
    case "generic":
      return isServerQuestion(tool) ? "A question waits for you" : `Run ${tool}?`;
  }
}

/** What a command's input may hold beside the command, where all of it is to be in sight. */
const SEEN_INPUT: ReadonlySet<string> = new Set(["command", "description", "timeout"]);

/**
 * The call in full, if a notification can show all of it and nothing about it needs a closer look. Only commands that run as they read: one
 * line, in the session's own folder, no warning, no other argument.
 */
function wholeCall(
  { preview, warnings, not_approvable, input }: Approval,
  { settings }: NoticeSession,
): string | undefined {
  if (preview.type !== "command" || warnings.length > 0 || not_approvable !== undefined) return undefined;
  const { command, cwd, background, parse_error } = preview;
  if (background || parse_error !== undefined || cwd !== settings.workspace) return undefined;
  if (Object.keys(input).some((name) => !SEEN_INPUT.has(name))) return undefined;
  if (command.length > LIMITS.notificationCallChars || /[\r\n\t]| {2}/.test(command)) return undefined;
  return isPlainToSee(command, "command") ? command : undefined;
}

function clean(text: string, redact: Redactor): string {
  return showHidden(redact(text).toWellFormed(), "command").replaceAll(/\s+/g, " ").trim();
}

function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${headOf(text, Math.max(0, chars - 2)).trimEnd()} …`;
}
