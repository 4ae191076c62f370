import { isTerminal, type JournalEvent } from "../protocol/index.ts";

/** How a command ends, for scripts. */
export const EXIT = {
  done: 0,
  failed: 1,
  /** Wrong usage, or the server refused the request. */
  refused: 2,
  /** A person rejected a call and ended the turn. */
  rejected: 3,
  /** Timed out, or nobody answered a question. */
  unanswered: 4,
  interrupted: 130,
  terminated: 143,
} as const;
/** The exit code of a program that ran for somebody. */
type ProgramExit = number & { readonly of: "program" };
export type ExitCode = (typeof EXIT)[keyof typeof EXIT] | ProgramExit;

export function programExit(code: number): ExitCode {
  return code as ProgramExit;
}

export const EXIT_HELP = `Exit codes:
  0    the turn completed
  1    the turn or the command failed
  2    wrong usage, or the request was refused
  3    a person rejected a call and stopped the turn
  4    out of time, or an approval got no answer in time
  130  interrupted`;

type EndOfTurn = Extract<JournalEvent, { type: "turn.completed" | "turn.failed" }>;

export function isTurnEnd(event: JournalEvent, turn_id: string): event is EndOfTurn {
  return isTerminal(event) && event.turn_id === turn_id;
}

/** The exit code of a turn's end. */
export function exitCodeOf(
  end: EndOfTurn,
  seen: { readonly unanswered: boolean; readonly outOfTime: boolean },
): ExitCode {
  if (seen.outOfTime) return EXIT.unanswered;
  if (end.type === "turn.completed") return seen.unanswered ? EXIT.unanswered : EXIT.done;
  switch (end.error.code) {
    case "aborted":
      return EXIT.interrupted;
    case "rejected_and_stopped":
      return EXIT.rejected;
    default:
      return EXIT.failed;
  }
}
