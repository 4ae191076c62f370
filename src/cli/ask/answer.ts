import type { Question } from "../../protocol/index.ts";

/** What a person typed at a question about a tool call. */
export type TypedAnswer =
  | { readonly key: "yes" | "session" | "edit" | "edit_json" | "view" | "help" | "unknown" }
  | { readonly key: "no" | "stop"; readonly reason: string };

const ANSWERS: ReadonlyMap<string, TypedAnswer["key"]> = new Map([
  ["y", "yes"],
  ["yes", "yes"],
  ["a", "session"],
  ["always", "session"],
  ["e", "edit"],
  ["edit", "edit"],
  ["E", "edit_json"],
  ["v", "view"],
  ["view", "view"],
  ["n", "no"],
  ["no", "no"],
  ["s", "stop"],
  ["stop", "stop"],
  ["?", "help"],
  ["h", "help"],
  ["help", "help"],
]);

/** `y`, `n because …`. Only `no` and `stop` take text after the key; with any other the line is unclear. */
export function readAnswer(line: string): TypedAnswer {
  const text = line.trim();
  const [word = ""] = text.split(/\s/, 1);
  const reason = text.slice(word.length).trim();
  const exact = ANSWERS.get(word) ?? ANSWERS.get(word.toLowerCase());
  if (exact === "no" || exact === "stop") return { key: exact, reason };
  return exact === undefined || reason !== "" ? { key: "unknown" } : { key: exact };
}

export type TypedChoice =
  | { readonly chosen: readonly string[] }
  | { readonly key: "no" | "stop"; readonly reason: string }
  | { readonly key: "help" }
  | { readonly problem: string };

/** What a person typed at a question with numbered answers. */
export function readChoice(line: string, question: Question): TypedChoice {
  const text = line.trim();
  const own = /^o(?:ther)?\s+(\S[^]*)$/i.exec(text)?.[1];
  if (own !== undefined) return { chosen: [own] };
  const answer = readAnswer(text);
  if (answer.key === "no" || answer.key === "stop") return answer;
  if (answer.key === "help") return { key: "help" };
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  const range = `a number from 1 to ${question.options.length}`;
  if (words.length === 0) return { problem: `type ${range}` };
  const chosen: string[] = [];
  for (const word of words) {
    const label = /^\d{1,3}$/.test(word) ? question.options[Number(word) - 1]?.label : undefined;
    if (label === undefined) return { problem: `"${word}" is not ${range}; begin with o for words of your own` };
    if (!chosen.includes(label)) chosen.push(label);
  }
  if (chosen.length > 1 && !question.multiSelect) return { problem: "choose one" };
  return { chosen };
}
