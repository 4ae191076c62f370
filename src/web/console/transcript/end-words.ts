import type { TurnView } from "../../../protocol/index.ts";
import type { Tone } from "../../ui/states.tsx";

/** How a turn's end is shown. */
interface EndWords {
  readonly label: string;
  readonly tone: Tone;
  /** What happened, if it is more than an end. */
  readonly words?: string;
  /** What continues it. Absent: there is nothing to continue. */
  readonly next?: "Continue" | "Try again";
}

/** `me`: the reader's id. Only what nobody wanted is a failure. */
export function endWords({ state, end }: TurnView, me: string): EndWords {
  if (end?.type !== "turn.failed") return { label: "Turn ended", tone: "plain" };
  const { error, by } = end;
  const who = by === undefined ? undefined : by.id === me ? "You" : by.name;
  if (state === "removed") {
    const words =
      who === undefined ? "Not started: the session was closed" : `${who} removed this prompt before it started`;
    return { label: "Not started", tone: "plain", words };
  }
  switch (error.code) {
    case "aborted":
      return {
        label: "Stopped",
        tone: "plain",
        words: who === undefined ? "This turn was stopped" : `${who} stopped this turn`,
        next: "Continue",
      };
    case "rejected_and_stopped":
      return { label: "Stopped", tone: "plain", words: "Stopped with a rejection", next: "Continue" };
    case "max_turns": {
      const steps = /after (\d+)/.exec(error.message)?.[1];
      const words =
        steps === undefined ? "Paused at the step limit" : `Paused after ${steps} ${steps === "1" ? "step" : "steps"}`;
      return { label: "Paused", tone: "info", words, next: "Continue" };
    }
    default:
      return { label: "Turn failed", tone: "bad", words: error.message, next: "Try again" };
  }
}
