import type { Question } from "./approvals.ts";

/** The key under which each question is answered: its text. Repeated texts are numbered: `Sure? (2)`. */
export function answerKeys(questions: readonly Pick<Question, "question">[]): readonly string[] {
  const texts = new Set(questions.map(({ question }) => question));
  const used = new Set<string>();
  return questions.map(({ question }) => {
    let key = question;
    for (let number = 2; used.has(key) || (key !== question && texts.has(key)); number += 1)
      key = `${question} (${number})`;
    used.add(key);
    return key;
  });
}
