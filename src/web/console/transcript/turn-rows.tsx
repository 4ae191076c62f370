import { GitFork, User } from "lucide-react";
import type { ReactNode } from "react";
import type { Prompt } from "../../../protocol/index.ts";
import { Button } from "../ui/button.tsx";
import { Badge } from "../ui/states.tsx";
import { Ago, count, duration, money } from "../ui/words.tsx";
import { ItemMenu } from "./item-menu.tsx";
import type { TurnView } from "./transcript.ts";

/** What somebody asked for. */
export function PromptRow({ turn }: { readonly turn: TurnView }): ReactNode {
  return (
    <div className="rounded-xl border border-accent/30 bg-accent-soft px-4 py-3">
      <div className="mb-1 flex items-center gap-2 text-xs text-soft">
        <User aria-hidden className="size-3.5" />
        <span className="font-medium">{turn.by.name}</span>
        <Ago at={turn.at} />
        <span className="ml-auto">
          <ItemMenu view={turn} />
        </span>
      </div>
      <p className="whitespace-pre-wrap break-words">{turn.prompt.text}</p>
      <Attachments prompt={turn.prompt} />
    </div>
  );
}

function Attachments({ prompt }: { readonly prompt: Prompt }): ReactNode {
  if (prompt.attachments === undefined || prompt.attachments.length === 0) return null;
  return (
    <ul className="mt-2 flex flex-wrap gap-2">
      {prompt.attachments.map((attachment, index) => (
        // oxlint-disable-next-line react/no-array-index-key
        <li key={index}>
          {attachment.type === "image" ? (
            <img
              src={`data:${attachment.media_type};base64,${attachment.data}`}
              alt={attachment.name ?? `picture ${String(index + 1)}`}
              className="max-h-40 rounded-lg border object-contain"
            />
          ) : (
            <Badge>{attachment.name ?? "text"}</Badge>
          )}
        </li>
      ))}
    </ul>
  );
}

/** How a turn ended, what it took, and the way to go on from here in another session. */
export function EndRow({
  turn,
  onFork,
}: {
  readonly turn: TurnView;
  readonly onFork?: (() => void) | undefined;
}): ReactNode {
  const tokens =
    turn.usage === undefined
      ? 0
      : turn.usage.input_tokens + turn.usage.cache_read_tokens + turn.usage.cache_write_tokens;
  const took = turn.ended_at === undefined ? undefined : Date.parse(turn.ended_at) - Date.parse(turn.at);
  return (
    <div className="space-y-2">
      {turn.error !== undefined && (
        <p className="rounded-lg bg-bad-soft px-3 py-2 text-sm text-bad break-words">
          {turn.error.code === "aborted" ? "Stopped." : turn.error.message}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-dashed pt-2 text-xs text-faint tabular-nums">
        <span>{turn.state === "completed" ? "Turn ended" : "Turn failed"}</span>
        {took !== undefined && <span>{duration(took)}</span>}
        {turn.usage !== undefined && (
          <span>
            {count(tokens)} in, {count(turn.usage.output_tokens)} out
          </span>
        )}
        {turn.cost_microusd !== undefined && <span>{money(turn.cost_microusd)}</span>}
        {turn.stop_reason !== undefined && turn.stop_reason !== "end_turn" && <span>{turn.stop_reason}</span>}
        {onFork !== undefined && (
          <Button size="small" variant="quiet" className="ml-auto" onClick={onFork}>
            <GitFork aria-hidden className="size-3.5" /> Fork from here
          </Button>
        )}
      </div>
    </div>
  );
}
