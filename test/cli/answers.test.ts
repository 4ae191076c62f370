import { describe, expect, test } from "vitest";
import { readAnswer, readChoice, type TypedChoice } from "../../src/cli/ask/answer.ts";
import { exitCodeOf } from "../../src/cli/exit.ts";
import { NO_USAGE, type ErrorCode, type Question } from "../../src/protocol/index.ts";

describe("what a person types at an approval", () => {
  test.each([
    ["y", { key: "yes" }],
    [" YES ", { key: "yes" }],
    ["a", { key: "session" }],
    ["always", { key: "session" }],
    ["e", { key: "edit" }],
    ["E", { key: "edit_json" }],
    ["v", { key: "view" }],
    ["?", { key: "help" }],
    ["n", { key: "no", reason: "" }],
    ["n use tabs, please", { key: "no", reason: "use tabs, please" }],
    ["no  two  blanks", { key: "no", reason: "two  blanks" }],
    ["s", { key: "stop", reason: "" }],
    ["stop wrong file", { key: "stop", reason: "wrong file" }],
    ["", { key: "unknown" }],
    ["yes but change the name", { key: "unknown" }],
    ["a lot", { key: "unknown" }],
    ["yy", { key: "unknown" }],
    ["constructor", { key: "unknown" }],
  ])("%j", (line, answer) => {
    expect(readAnswer(line)).toEqual(answer);
  });
});

describe("what a person types at a question", () => {
  const question: Question = {
    question: "Which?",
    header: "Which",
    options: [
      { label: "left", description: "" },
      { label: "right", description: "" },
    ],
    multiSelect: false,
  };
  test.each<[string, boolean, TypedChoice]>([
    ["1", false, { chosen: ["left"] }],
    ["2 ", false, { chosen: ["right"] }],
    ["1,2", true, { chosen: ["left", "right"] }],
    ["2 1 2", true, { chosen: ["right", "left"] }],
    ["1,2", false, { problem: "choose one" }],
    ["3", false, { problem: '"3" is not a number from 1 to 2; begin with o for words of your own' }],
    ["0", false, { problem: '"0" is not a number from 1 to 2; begin with o for words of your own' }],
    ["", false, { problem: "type a number from 1 to 2" }],
    ["o neither of these", false, { chosen: ["neither of these"] }],
    ["n later", false, { key: "no", reason: "later" }],
    ["s", false, { key: "stop", reason: "" }],
    ["?", false, { key: "help" }],
  ])("%j (several: %s)", (line, multiSelect, choice) => {
    expect(readChoice(line, { ...question, multiSelect })).toEqual(choice);
  });
});

describe("exit codes", () => {
  const head = { seq: 9, session_id: "ses_1", at: "", turn_id: "turn_1", usage: NO_USAGE };
  const completed = { ...head, type: "turn.completed" as const, cost_microusd: 0, stop_reason: "end_turn" };
  const failed = (code: ErrorCode) => ({ ...head, type: "turn.failed" as const, error: { code, message: "" } });
  test.each([
    ["completed", completed, {}, 0],
    ["completed without an answer to an approval", completed, { unanswered: true }, 4],
    ["failed", failed("model_error"), {}, 1],
    ["out of model calls", failed("max_turns"), {}, 1],
    ["rejected and stopped", failed("rejected_and_stopped"), {}, 3],
    ["interrupted", failed("aborted"), {}, 130],
    ["interrupted by --timeout", failed("aborted"), { outOfTime: true }, 4],
  ])("%s", (_what, end, seen, code) => {
    expect(exitCodeOf(end, { unanswered: false, outOfTime: false, ...seen })).toBe(code);
  });
});
