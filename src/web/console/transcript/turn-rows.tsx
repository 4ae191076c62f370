import { Link } from "@tanstack/react-router";
import { FileText, GitFork, User } from "lucide-react";
import type { ReactNode } from "react";
import { addUsage, type Attachment, type TurnView } from "../../../protocol/index.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { useConnection } from "../../ui/app/connection.tsx";
import { Note } from "../../ui/states.tsx";
import { Ago, count, duration, spending } from "../../ui/words.tsx";
import { endWords, NEXT_WORDS } from "./end-words.ts";
import { useFold } from "./folds.tsx";
import { ItemMenu } from "./item-menu.tsx";
import { Output } from "./output.tsx";
import { beginningOf } from "./prompt-text.ts";
import { plural, t } from "../../ui/language/t.ts";

export function PromptRow({ turn }: { readonly turn: TurnView }): ReactNode {
  const { attachments = [] } = turn.prompt;
  return (
    <div className="rounded-xl border border-accent/30 bg-accent-soft px-4 py-3">
      <div className="mb-1 flex items-center gap-2 text-xs text-soft">
        <User aria-hidden className="size-3.5" />
        <span className="font-medium">{turn.by.name}</span>
        <Ago at={turn.at} />
        <span className="ms-auto flex items-center">
          <CopyButton label={t("Copy what was asked")} text={turn.prompt.text} />
          <ItemMenu view={turn} />
        </span>
      </div>
      <PromptText id={turn.id} text={turn.prompt.text} />
      {attachments.length > 0 && (
        <ul aria-label={t("Attachments")} className="mt-2 flex flex-wrap gap-2">
          {attachments.map((attachment, index) => (
            <AttachmentView
              // Attachments have no names of their own, and never change.
              // oxlint-disable-next-line react/no-array-index-key
              key={index}
              id={`${turn.id}-${String(index)}`}
              attachment={attachment}
              number={index + 1}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

function PromptText({ id, text }: { readonly id: string; readonly text: string }): ReactNode {
  const [open, setOpen] = useFold(`prompt-${id}`, false);
  const beginning = beginningOf(text);
  const isCut = beginning !== undefined;
  return (
    <>
      <p className="whitespace-pre-wrap break-words">{isCut && !open ? `${beginning} …` : text}</p>
      {isCut && (
        <Button size="small" variant="quiet" className="mt-1 -ms-2" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? t("Show less") : t("Show all")}
        </Button>
      )}
    </>
  );
}

function AttachmentView({
  id,
  attachment,
  number,
}: {
  readonly id: string;
  readonly attachment: Attachment;
  readonly number: number;
}): ReactNode {
  const [open, setOpen] = useFold(`attachment-${id}`, false);
  if (attachment.type === "image") {
    return (
      <li>
        <img
          src={`data:${attachment.media_type};base64,${attachment.data}`}
          alt={attachment.name ?? t("picture {number}", { number: String(number) })}
          className="max-h-40 max-w-full rounded-lg border object-contain"
        />
      </li>
    );
  }
  const name = attachment.name ?? t("text {number}", { number: String(number) });
  return (
    <li className={open ? "w-full space-y-2" : "max-w-full"}>
      <Button size="small" aria-expanded={open} className="max-w-full" onClick={() => setOpen(!open)}>
        <FileText aria-hidden className="size-4 shrink-0" />{" "}
        <span dir="auto" className="truncate">
          {name}
        </span>
      </Button>
      {open && <Output id={`attachment-${id}`} text={attachment.text} label={name} />}
    </li>
  );
}

/** How a turn ended, its cost, and how to continue, in this session or another one. */
export function EndRow({
  turn,
  expired,
  onFork,
  onContinue,
}: {
  readonly turn: TurnView;
  /** Calls about which nobody answered in time. */
  readonly expired: number;
  readonly onFork?: (() => void) | undefined;
  /** Continues what the turn did not finish. Absent: it cannot be continued here. */
  readonly onContinue?: (() => void) | undefined;
}): ReactNode {
  const { me } = useConnection();
  const took = turn.end === undefined ? undefined : Date.parse(turn.end.at) - Date.parse(turn.at);
  const stopped = turn.end?.type === "turn.completed" && turn.end.stop_reason !== "end_turn" && turn.end.stop_reason;
  const { label, tone, words, next } = endWords(turn, me.id);
  return (
    <div className="space-y-2">
      {words !== undefined && (
        <Note tone={tone} className="flex flex-wrap items-center gap-x-3 gap-y-1 break-words">
          <span dir="auto" className="min-w-0">
            {words}
          </span>
          {next !== undefined && onContinue !== undefined && (
            <Button size="small" className="ms-auto" onClick={onContinue}>
              {NEXT_WORDS[next]}
            </Button>
          )}
        </Note>
      )}
      {expired > 0 && (
        <Note tone="warn" className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span>
            {plural(
              {
                one: "A question expired before anyone answered. Nothing of it ran.",
                other: "{count} questions expired before anyone answered. Nothing of it ran.",
              },
              { count: expired },
            )}
          </span>
          <Link to="/approvals" search={{ show: "ended" }} className="ms-auto font-medium text-accent underline">
            {t("Ask again")}
          </Link>
        </Note>
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-dashed pt-2 text-xs text-faint tabular-nums">
        <span>{label}</span>
        {took !== undefined && <span>{duration(took)}</span>}
        <span>{tokenWords(turn)}</span>
        {turn.cost_microusd !== undefined && <span>{spending({ ...turn, cost_microusd: turn.cost_microusd })}</span>}
        {stopped !== false && <span>{stopped}</span>}
        {onFork !== undefined && (
          <Button size="small" variant="quiet" className="ms-auto" onClick={onFork}>
            <GitFork aria-hidden className="size-3.5" /> {t("Fork from here")}
          </Button>
        )}
      </div>
    </div>
  );
}

/** Empty: the model has not answered yet. */
export function tokenWords({ usages, end }: TurnView): string {
  if (end === undefined && usages.length === 0) return "";
  const usage = end?.usage ?? usages.reduce(addUsage);
  const read = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
  return t("{input} in, {output} out", { input: count(read), output: count(usage.output_tokens) });
}
