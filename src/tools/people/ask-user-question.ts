import { z } from "zod";
import { answerKeys, LIMITS, Question, QuestionOption, TOOL_FACTS } from "../../protocol/index.ts";
import { errorResult, textResult, type Tool } from "../tool.ts";

const Answer = z.union([z.string(), z.array(z.string())]);

const AskUserQuestionInput = z.strictObject({
  questions: z
    .array(
      z.strictObject({
        // An address to open is what servers ask about, never a model.
        ...Question.omit({ link: true }).shape,
        question: z.string().min(1).max(LIMITS.feedbackChars).describe("The whole question"),
        header: z.string().max(12).describe("A label of at most 12 characters"),
        options: z.array(z.strictObject(QuestionOption.shape)).min(2).max(4).describe("The answers to choose from"),
        multiSelect: z.boolean().default(false).describe("More than one answer may be chosen"),
      }),
    )
    .min(1)
    .max(4),
  answers: z.record(z.string(), Answer).optional().describe("Filled in by the person who answers; leave it out"),
  annotations: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("Filled in by the person who answers; leave it out"),
  metadata: z.strictObject({ source: z.string().optional() }).optional(),
});
type AskUserQuestionInput = z.infer<typeof AskUserQuestionInput>;

export const askUserQuestion: Tool<AskUserQuestionInput> = {
  name: "AskUserQuestion",
  description: "Asks the user one to four questions with answers to choose from, and waits for the answers.",
  tier: TOOL_FACTS.AskUserQuestion.tier,
  alwaysAsks: true,
  input: AskUserQuestionInput,
  paths: () => [],
  hosts: () => [],
  preview: async (input) => ({ preview: { type: "question", questions: input.questions }, warnings: [] }),
  async execute(input) {
    const answers = input.answers ?? {};
    if (Object.keys(answers).length === 0) return errorResult("No answer was given.");
    const lines = Object.entries(answers).map(
      ([question, answer]) => `"${question}" = "${[answer].flat().join(", ")}"`,
    );
    const open = answerKeys(input.questions).filter((key) => !Object.hasOwn(answers, key));
    for (const question of open) lines.push(`"${question}": no answer`);
    return textResult(`The user answered:\n${lines.join("\n")}`);
  },
};
