import type { TurnView } from "../../../protocol/index.ts";
import type { Tone } from "../../ui/states.tsx";
import { plural, t } from "../../ui/language/t.ts";

/** How a turn's end is shown. */
interface EndWords {
  readonly label: string;
  readonly tone: Tone;
  /** What happened, if it is more than an end. */
  readonly words?: string;
  /** What continues it. Absent: there is nothing to continue. */
  readonly next?: "continue" | "retry";
}

/** The button that continues it. */
export const NEXT_WORDS: Readonly<Record<NonNullable<EndWords["next"]>, string>> = {
  continue: t("Continue"),
  retry: t("Try again"),
};

/** `me`: the reader's id. Only what nobody wanted is a failure. */
export function endWords({ state, end }: TurnView, me: string): EndWords {
  if (end?.type !== "turn.failed") return { label: t("Turn ended"), tone: "plain" };
  const { error, by } = end;
  if (state === "removed") {
    return { label: t("Not started"), tone: "plain", words: removedWords(by, me) };
  }
  switch (error.code) {
    case "aborted":
      return {
        label: t("Stopped"),
        tone: "plain",
        words: stoppedWords(by, me),
        next: "continue",
      };
    case "rejected_and_stopped":
      return { label: t("Stopped"), tone: "plain", words: t("Stopped with a rejection"), next: "continue" };
    case "max_turns": {
      const steps = /after (\d+)/.exec(error.message)?.[1];
      const words =
        steps === undefined
          ? t("Paused at the step limit")
          : plural({ one: "Paused after {count} step", other: "Paused after {count} steps" }, { count: Number(steps) });
      return { label: t("Paused"), tone: "info", words, next: "continue" };
    }
    default:
      return { label: t("Turn failed"), tone: "bad", words: error.message, next: "retry" };
  }
}

type Who = Extract<NonNullable<TurnView["end"]>, { type: "turn.failed" }>["by"];

function removedWords(by: Who, me: string): string {
  if (by === undefined) return t("Not started: the session was closed");
  return by.id === me
    ? t("You removed this prompt before it started")
    : t("{name} removed this prompt before it started", { name: by.name });
}

function stoppedWords(by: Who, me: string): string {
  if (by === undefined) return t("This turn was stopped");
  return by.id === me ? t("You stopped this turn") : t("{name} stopped this turn", { name: by.name });
}
