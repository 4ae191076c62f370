import { z } from "zod";
import { LIMITS, TOOL_FACTS } from "../../protocol/index.ts";
import { genericPreview } from "../preview.ts";
import type { Tool } from "../tool.ts";
import { noShell, reportShell } from "./report.ts";

const TaskOutputInput = z.strictObject({
  task_id: z.string().max(100).describe("The id that Bash gave when it started the command"),
  block: z.boolean().default(true).describe("Wait until the command has ended"),
  timeout: z
    .number()
    .int()
    .min(0)
    .max(LIMITS.taskOutputWaitMaxMs)
    .default(LIMITS.taskOutputWaitMs)
    .describe("Milliseconds to wait at most"),
});
type TaskOutputInput = z.infer<typeof TaskOutputInput>;

export const taskOutput: Tool<TaskOutputInput> = {
  name: "TaskOutput",
  description:
    "Waits for a background command, then shows its state and what it wrote since the last call. Every line is shown once.",
  tier: TOOL_FACTS.TaskOutput.tier,
  input: TaskOutputInput,
  paths: () => [],
  hosts: () => [],
  preview: async (input) => genericPreview(input),
  async execute(input, context) {
    const shell = context.shells.find(input.task_id);
    if (shell === undefined) return noShell(input.task_id);
    if (input.block) await shell.wait(input.timeout, context.signal);
    return reportShell(shell);
  },
};
