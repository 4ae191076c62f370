import { z } from "zod";
import { LIMITS, TOOL_FACTS } from "../../protocol/index.ts";
import { genericPreview } from "../preview.ts";
import { errorResult, type Tool } from "../tool.ts";

const TaskInput = z.strictObject({
  description: z.string().max(1_000).describe("The task in three to five words"),
  prompt: z.string().min(1).max(LIMITS.promptChars).describe("The whole task; the sub-agent knows nothing else"),
  subagent_type: z.string().max(200).optional().describe("The kind of sub-agent; a general one if left out"),
  model: z.string().max(200).optional().describe("The model to use; that of this session if left out"),
});
type TaskInput = z.infer<typeof TaskInput>;

export const task: Tool<TaskInput> = {
  name: "Task",
  aliases: ["Agent"],
  description:
    "Gives a task to a sub-agent that works in the same workspace under the same rules, and waits for its final answer.",
  tier: TOOL_FACTS.Task.tier,
  ignored: { effort: z.string().max(100) },
  input: TaskInput,
  paths: () => [],
  hosts: () => [],
  preview: async (input) => genericPreview(input),
  async execute(input, context) {
    if (context.subagent === undefined) return errorResult("No sub-agents can be started here. Do the task yourself.");
    return context.subagent(input);
  },
};
