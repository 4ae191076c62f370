import { z } from "zod";
import { LIMITS, Todo, TOOL_FACTS } from "../../protocol/index.ts";
import { genericPreview } from "../preview.ts";
import { textResult, type Tool } from "../tool.ts";

const TodoWriteInput = z.strictObject({
  todos: z
    .array(
      z.strictObject({
        ...Todo.shape,
        content: z.string().min(1).describe("What is to be done"),
        activeForm: z.string().optional().describe("The same in the form shown while it is being done"),
      }),
    )
    .max(LIMITS.todos)
    .describe("The whole list; it replaces the one before"),
});
type TodoWriteInput = z.infer<typeof TodoWriteInput>;

export const todoWrite: Tool<TodoWriteInput> = {
  name: "TodoWrite",
  description:
    "Keeps the list of what is to be done in this session, for the user to see. Give the whole list each time.",
  tier: TOOL_FACTS.TodoWrite.tier,
  input: TodoWriteInput,
  paths: () => [],
  hosts: () => [],
  preview: async (input) => genericPreview(input),
  async execute(input) {
    const count = (status: Todo["status"]): number => input.todos.filter((todo) => todo.status === status).length;
    return textResult(
      `The list has ${input.todos.length} item(s) now: ${count("completed")} completed, ` +
        `${count("in_progress")} in progress, ${count("pending")} pending.`,
    );
  },
};
