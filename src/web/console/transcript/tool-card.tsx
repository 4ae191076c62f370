import { ChevronRight } from "lucide-react";
import { createContext, Suspense, useContext, type ReactNode } from "react";
import type { AskedApproval, ItemView, Outcome, ToolItem } from "../../../protocol/index.ts";
import { ToolIcon } from "../approval/tool-icon.tsx";
import { visible, visibleCommand } from "../../ui/visible.ts";
import { Badge, Skeleton } from "../../ui/states.tsx";
import { classes } from "../../ui/classes.ts";
import { duration } from "../../ui/words.tsx";
import { lazyPart } from "../../ui/load.ts";
import { Fold, useFold } from "./folds.tsx";
import { Blocks, Output } from "./output.tsx";
import { ItemMenu } from "./item-menu.tsx";
import { NamedFiles } from "./named-files.tsx";
import { TodoList } from "./todo-list.tsx";
import { aboutTool, callWords, ranCommand, ranInput, toolName } from "./tool-words.ts";
import { t } from "../../ui/language/t.ts";

const DiffView = lazyPart(async () => (await import("../approval/diff-view.tsx")).DiffView);

/** Ids of calls that were approved and wait behind a question, with spaces between: a text, so that it changes only when they do. */
export const WaitingCalls = createContext("");
/** The item of the agent's newest plan: earlier ones close by themselves. Absent: every plan is open. */
export const NewestPlan = createContext<string | undefined>(undefined);

/** A tool call: what, how it stands, how long it took; what went in and came out when it is opened. */
export function ToolCard({
  view,
  item,
  children,
}: {
  readonly view: ItemView;
  readonly item: ToolItem;
  /** The items of a sub-agent. */
  readonly children?: ReactNode;
}): ReactNode {
  const [open, setOpen] = useFold(item.id, opensByItself(item, useContext(NewestPlan)));
  const waits = useContext(WaitingCalls).split(" ").includes(item.id);
  const { label, tone } = callWords(view, { waits });
  return (
    <div role="group" aria-label={`${toolName(item)}: ${label}`} className="rounded-xl border bg-raised">
      <div className="flex min-h-10 items-center gap-1 pe-1.5">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex min-w-0 flex-1 items-center gap-2 self-stretch rounded-xl px-3 py-1.5 text-start text-sm"
        >
          <ChevronRight
            aria-hidden
            className={classes("size-4 shrink-0 text-faint transition-transform", open && "rotate-90 rtl:-rotate-90")}
          />
          <ToolIcon tool={item.tool} className="size-4 shrink-0" />
          <span className="font-medium">{visible(toolName(item))}</span>
          <span className="min-w-0 flex-1 truncate font-mono text-[13px] text-soft">{visible(aboutTool(item))}</span>
          {item.duration_ms !== undefined && (
            <span className="text-xs text-faint tabular-nums max-sm:hidden">{duration(item.duration_ms)}</span>
          )}
          <Badge tone={tone}>{label}</Badge>
        </button>
        <ItemMenu view={view} />
      </div>
      {open && (
        <div className="space-y-3 border-t px-3 py-3">
          {view.answer?.outcome !== undefined && <Answer answer={view.answer} outcome={view.answer.outcome} />}
          {item.unasked !== undefined && (
            <p className="text-sm text-soft">{t("Nobody was asked: {why}", { why: item.unasked.why })}</p>
          )}
          <ToolBody item={item} isAsked={view.answer !== undefined && view.answer.outcome === undefined} />
          <NamedFiles item={item} />
          {children}
        </div>
      )}
    </div>
  );
}

/** Plans and changes are what people look for; a command shows its output while it runs, and why it failed. */
function opensByItself(item: ToolItem, newestPlan: string | undefined): boolean {
  if (item.type === "todo_list") return newestPlan === undefined || item.id === newestPlan;
  if (item.type === "file_change") return true;
  if (item.status === "failed") return true;
  return item.type === "command_execution" && item.status === "in_progress" && item.aggregated_output !== "";
}

const OUTCOMES = {
  approved: t("Approved"),
  rejected: t("Rejected"),
  timed_out: t("Expired: nobody answered in time"),
  cancelled: t("Withdrawn before anybody answered"),
} as const;

function Answer({ answer, outcome }: { readonly answer: AskedApproval; readonly outcome: Outcome }): ReactNode {
  return (
    <p className="text-sm text-soft">
      {answer.by === undefined || answer.by.role === "system"
        ? OUTCOMES[outcome]
        : t("{outcome} by {name}", { outcome: OUTCOMES[outcome], name: answer.by.name })}
      {answer.feedback === undefined ? "" : `: “${answer.feedback}”`}
      {answer.granted_rule === undefined ? "" : t(", also for this session: {rule}", { rule: answer.granted_rule })}
    </p>
  );
}

/** The item itself says what ran. */
function askedCommand({ input, command }: Extract<ToolItem, { type: "command_execution" }>): string {
  return typeof input["command"] === "string" ? input["command"] : command;
}

/** First what ran, then what was requested, if a person changed it. */
function ToolBody({ item, isAsked }: { readonly item: ToolItem; readonly isAsked: boolean }): ReactNode {
  const asked = item.approved_input !== undefined && (
    <div className="space-y-1">
      <Badge tone="accent">{t("Changed before approval")}</Badge>
      {item.type === "command_execution" ? (
        <div className="text-sm text-soft">
          {t("Asked for:")}
          <pre className="mt-1 overflow-auto px-3 text-[13px] whitespace-pre-wrap break-words text-faint">
            {visibleCommand(askedCommand(item))}
          </pre>
        </div>
      ) : (
        <Json id={`${item.id}-asked`} value={item.input} label={t("What was asked for")} />
      )}
    </div>
  );
  switch (item.type) {
    case "command_execution":
      return (
        <>
          <pre className="overflow-auto rounded-lg border bg-sunken px-3 py-2 text-[13px] whitespace-pre-wrap break-words">
            <span aria-hidden className="text-faint select-none">
              ${" "}
            </span>
            {visibleCommand(ranCommand(item))}
          </pre>
          {asked}
          {(item.aggregated_output !== "" || item.status !== "in_progress") && (
            <Output
              id={item.id}
              text={item.aggregated_output}
              label={t("output")}
              atEnd={item.status === "in_progress" || item.status === "failed"}
            />
          )}
          {item.exit_code !== undefined && item.exit_code !== 0 && (
            <p className="text-sm text-bad">{t("Exit code {code}", { code: item.exit_code })}</p>
          )}
        </>
      );
    case "file_change":
      return (
        <>
          {item.diff !== undefined && item.diff !== "" ? (
            <Suspense fallback={<Skeleton className="h-24" />}>
              <DiffView patch={item.diff} path={aboutTool(item)} />
            </Suspense>
          ) : (
            <Result item={item} isAsked={isAsked} />
          )}
          {asked}
        </>
      );
    case "todo_list":
      return <TodoList todos={item.items} />;
    case "subagent":
    case "web_search":
    case "mcp_tool_call":
    case "tool_call":
      return (
        <>
          <Json id={`${item.id}-input`} value={ranInput(item)} label={t("Input")} />
          {asked}
          <Result item={item} isAsked={isAsked} />
        </>
      );
  }
}

/** The output; before that a placeholder, so that an opened card is never empty. */
function Result({ item, isAsked }: { readonly item: ToolItem; readonly isAsked: boolean }): ReactNode {
  if (item.output !== undefined)
    return <Blocks id={item.id} blocks={item.output} label={t("result")} atEnd={item.status === "failed"} />;
  const open = isAsked ? t("Waiting for approval") : t("No output yet");
  return <p className="text-sm text-faint">{item.status === "in_progress" ? open : t("No output")}</p>;
}

function Json({
  id,
  value,
  label,
}: {
  readonly id: string;
  readonly value: unknown;
  readonly label: string;
}): ReactNode {
  return (
    <Fold id={id} className="text-sm" summary={<summary className="cursor-pointer text-soft">{label}</summary>}>
      <pre
        tabIndex={0}
        aria-label={label}
        className="mt-1 max-h-80 overflow-auto rounded-lg border bg-sunken px-3 py-2 text-[13px] whitespace-pre-wrap break-words"
      >
        {visible(JSON.stringify(value, undefined, 2))}
      </pre>
    </Fold>
  );
}
