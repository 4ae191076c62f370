import { answerKeys, type Approval, type Decision, type Question } from "../../protocol/index.ts";
import { showQuestion } from "../show/preview.ts";
import { readChoice, type TypedChoice } from "./answer.ts";
import type { AskContext } from "./asking.ts";

const HELP = [
  "1            the number of an answer; several as 1,3 where more than one may be chosen",
  "o <words>    an answer in your own words",
  "n [reason]   no answer; the agent reads the reason and goes on",
  "s [reason]   no answer, and the turn stops",
];

/** Asks the agent's own questions, one after the other. Undefined: withdrawn, or nobody can answer. */
export async function askQuestions(
  approval: Approval,
  questions: readonly Question[],
  asking: AskContext,
  signal: AbortSignal,
): Promise<Decision | undefined> {
  const answers: Record<string, string | readonly string[]> = {};
  const { input_hash, input } = approval;
  const keys = answerKeys(questions);
  for (const [index, question] of questions.entries()) {
    for (const line of showQuestion(question, asking.screen.paint)) asking.screen.aside(`  ${line}`);
    const choice = await choose(question, asking, signal);
    if (choice === undefined) return undefined;
    if ("key" in choice) {
      return {
        decision: "reject",
        input_hash,
        ...(choice.reason === "" ? {} : { feedback: choice.reason }),
        ...(choice.key === "stop" ? { interrupt: true, hold_queue: true } : {}),
      };
    }
    answers[keys[index] ?? question.question] = question.multiSelect ? choice.chosen : (choice.chosen[0] ?? "");
  }
  return { decision: "approve", input_hash, updated_input: { ...input, answers } };
}

type Final = Exclude<TypedChoice, { key: "help" } | { problem: string }>;

async function choose(
  question: Question,
  { keyboard, screen }: AskContext,
  signal: AbortSignal,
): Promise<Final | undefined> {
  const what = question.multiSelect ? "numbers" : "number";
  for (;;) {
    const line = await keyboard.ask(
      `${screen.paint.bold("Your answer?")} ${screen.paint.dim(`${what} · o own words · n no · s stop · ? help`)} › `,
      signal,
    );
    if (line === undefined) return undefined;
    const choice = readChoice(line, question);
    if ("problem" in choice) screen.aside(choice.problem);
    else if ("chosen" in choice || choice.key !== "help") return choice;
    else for (const text of HELP) screen.aside(`  ${text}`);
  }
}
