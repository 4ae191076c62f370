import { Bot, History, User } from "lucide-react";
import * as Popover from "@radix-ui/react-popover";
import type { ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { classes } from "../../../ui/classes.ts";
import { useTell } from "../../../ui/toasts.tsx";
import type { ActionRecord } from "../../model/workbench.ts";
import { useCommands } from "../commands.ts";
import { useBench, useActions } from "../context.tsx";
import { IconButton } from "./icon-button.tsx";

/** What was done, newest first; each action can be taken back, and all of the agent's at once. */
export function HistoryMenu(): ReactNode {
  const actions = useActions();
  const byAgent = actions.filter(({ by, undone }) => by === "agent" && !undone).length;
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <IconButton
          icon={History}
          label="What was done"
          className="relative"
          data-element-id="History button"
          data-element-description="Lists what was done by the person and by Claude, with an undo for each"
        />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="end"
          sideOffset={6}
          collisionPadding={8}
          aria-label="What was done"
          className="z-50 flex max-h-[min(32rem,var(--radix-popover-content-available-height))] w-96 max-w-[calc(100vw-1rem)] flex-col rounded-xl border bg-raised shadow-lg outline-none"
        >
          <div className="flex items-center justify-between gap-3 border-b px-3.5 py-2.5">
            <h2 className="text-sm font-semibold">What was done</h2>
            <UndoAgent count={byAgent} />
          </div>
          {actions.length === 0 ? (
            <p className="px-3.5 py-6 text-center text-sm text-soft">Nothing yet.</p>
          ) : (
            <ol className="min-h-0 flex-1 overflow-y-auto py-1">
              {actions.toReversed().map((action) => (
                <ActionRow key={action.id} action={action} />
              ))}
            </ol>
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function UndoAgent({ count }: { readonly count: number }): ReactNode {
  const { workbench } = useBench();
  const { attempt } = useCommands();
  const tell = useTell();
  return (
    <Button
      size="small"
      disabled={count === 0}
      onClick={() =>
        attempt(() => {
          const taken = workbench.undoAgent();
          tell.ok(`Took back ${String(taken)} of Claude’s ${taken === 1 ? "action" : "actions"}.`);
        })
      }
    >
      Undo all by Claude{count > 0 && ` (${String(count)})`}
    </Button>
  );
}

function ActionRow({ action }: { readonly action: ActionRecord }): ReactNode {
  const { workbench } = useBench();
  const { attempt } = useCommands();
  const Icon = action.by === "agent" ? Bot : User;
  return (
    <li className="flex items-center gap-2.5 px-3.5 py-1 hover:bg-sunken">
      <Icon aria-hidden className={classes("size-4 shrink-0", action.by === "agent" ? "text-accent" : "text-faint")} />
      <span className="min-w-0 flex-1 text-sm">
        <span className="sr-only">{action.by === "agent" ? "Claude: " : "You: "}</span>
        <span className={classes("block truncate", action.undone && "text-faint line-through")} title={action.words}>
          {action.words}
        </span>
      </span>
      <time dateTime={new Date(action.at).toISOString()} className="shrink-0 text-xs text-faint">
        {new Date(action.at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}
      </time>
      <Button
        size="small"
        variant="quiet"
        aria-label={`${action.undone ? "Redo" : "Undo"}: ${action.words}`}
        onClick={() => attempt(() => (action.undone ? workbench.redo(action.id) : workbench.undo(action.id)))}
      >
        {action.undone ? "Redo" : "Undo"}
      </Button>
    </li>
  );
}
