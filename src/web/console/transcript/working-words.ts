import { isToolItem, type ItemView } from "../../../protocol/index.ts";
import { visible } from "../../ui/visible.ts";
import { aboutTool, toolName } from "./tool-words.ts";
import type { TranscriptView } from "./transcript.ts";
import { t } from "../../ui/language/t.ts";

/** Of a command or a path. */
const ABOUT_CHARS = 200;

/** What an open turn does now. */
export interface WorkingWords {
  /** A person is asked: nothing continues before the answer. */
  readonly isAsked: boolean;
  readonly words: string;
  /** The command or the path. Absent: there is none. */
  readonly about?: string;
  /** Other calls that run at the same time. */
  readonly others: number;
}

/** The innermost running item; a question to a person comes first. */
export function workingWords(view: TranscriptView): WorkingWords {
  const { running } = view;
  const questions = running.filter(({ answer }) => answer !== undefined && answer.outcome === undefined);
  const [asked] = questions;
  if (asked === undefined && view.asksMoney)
    return { isAsked: true, words: t("Waiting for you: the budget is reached"), others: 0 };
  const isAsked = asked !== undefined;
  const item = (asked ?? running.at(-1))?.item;
  if (item === undefined) return { isAsked, words: t("Waiting for the model"), others: 0 };
  if (!isToolItem(item)) return { isAsked, words: item.type === "reasoning" ? t("Thinking") : t("Writing"), others: 0 };
  return {
    isAsked,
    words: isAsked ? t("Waiting for you: {tool}", { tool: visible(toolName(item)) }) : visible(toolName(item)),
    about: visible(aboutTool(item).slice(0, ABOUT_CHARS)),
    // Beside a question only other questions count: answered calls wait for nobody.
    others: (isAsked ? questions : running.filter((one) => isToolItem(one.item))).length - 1,
  };
}

/** Calls of one message run in their order: those that were approved, and wait behind a question about an earlier one. */
export function waitingBehind(running: readonly ItemView[]): readonly string[] {
  const first = running.findIndex(({ answer }) => answer !== undefined && answer.outcome === undefined);
  if (first < 0) return [];
  return running.slice(first).flatMap(({ item, answer }) => (answer?.outcome === "approved" ? [item.id] : []));
}
