import { Circle, CircleCheck, CircleDot } from "lucide-react";
import type { ReactNode } from "react";
import type { Todo } from "../../../protocol/index.ts";
import { t } from "../../ui/language/t.ts";

const MARKS = {
  pending: { icon: Circle, word: t("to do") },
  in_progress: { icon: CircleDot, word: t("at work") },
  completed: { icon: CircleCheck, word: t("done") },
} as const;

/** The agent's plan. */
export function TodoList({ todos }: { readonly todos: readonly Todo[] }): ReactNode {
  return (
    <ul className="space-y-1.5 text-sm">
      {todos.map((todo, index) => {
        const { icon: Icon, word } = MARKS[todo.status];
        return (
          // Two tasks may have the same words.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index} className="flex items-start gap-2">
            <Icon
              aria-hidden
              className={`mt-0.5 size-4 shrink-0 ${todo.status === "completed" ? "text-ok" : "text-soft"}`}
            />
            <span className={todo.status === "completed" ? "text-faint line-through" : ""}>
              <span className="sr-only">{word}: </span>
              {todo.status === "in_progress" ? (todo.activeForm ?? todo.content) : todo.content}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
