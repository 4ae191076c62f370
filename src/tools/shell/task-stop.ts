import { z } from "zod";
import { TOOL_FACTS } from "../../protocol/index.ts";
import { genericPreview } from "../preview.ts";
import type { Tool } from "../tool.ts";
import { noShell, stopShell } from "./report.ts";

const TaskStopInput = z
  .strictObject({
    task_id: z.string().max(100).optional().describe("The id that Bash gave when it started the command"),
    shell_id: z.string().max(100).optional().describe("The older name of task_id"),
  })
  .refine((input) => input.task_id !== undefined || input.shell_id !== undefined, {
    path: ["task_id"],
    message: "is required",
  });
type TaskStopInput = z.infer<typeof TaskStopInput>;

export const taskStop: Tool<TaskStopInput> = {
  name: "TaskStop",
  description: "Ends a background command and everything it started. The same as KillShell.",
  tier: TOOL_FACTS.TaskStop.tier,
  input: TaskStopInput,
  paths: () => [],
  hosts: () => [],
  preview: async (input) => genericPreview(input),
  async execute(input, context) {
    const id = input.task_id ?? input.shell_id ?? "";
    const shell = context.shells.find(id);
    return shell === undefined ? noShell(id) : stopShell(shell);
  },
};
