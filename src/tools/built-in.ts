import { edit } from "./files/edit.ts";
import { glob } from "./files/glob.ts";
import { grep } from "./files/grep.ts";
import { multiEdit } from "./files/multi-edit.ts";
import { notebookEdit } from "./files/notebook-edit.ts";
import { read } from "./files/read.ts";
import { skill } from "./files/skill.ts";
import { write } from "./files/write.ts";
import { askUserQuestion } from "./people/ask-user-question.ts";
import { task } from "./people/task.ts";
import { todoWrite } from "./people/todo-write.ts";
import { bashOutput } from "./shell/bash-output.ts";
import { bash } from "./shell/bash.ts";
import { killShell } from "./shell/kill-shell.ts";
import { taskOutput } from "./shell/task-output.ts";
import { taskStop } from "./shell/task-stop.ts";
import type { AnyTool } from "./tool.ts";
import { webFetch } from "./web/web-fetch.ts";

/** Our own tools, in the order in which models see them. */
export const BUILT_IN_TOOLS: readonly AnyTool[] = [
  read,
  write,
  edit,
  multiEdit,
  notebookEdit,
  glob,
  grep,
  bash,
  bashOutput,
  taskOutput,
  killShell,
  taskStop,
  todoWrite,
  webFetch,
  askUserQuestion,
  task,
  skill,
];
