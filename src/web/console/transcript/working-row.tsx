import { Hourglass, LoaderCircle } from "lucide-react";
import type { ReactNode } from "react";
import { isToolItem } from "../../../protocol/index.ts";
import { useNow } from "../approval/use-now.ts";
import { visible } from "../approval/visible.ts";
import { duration, money } from "../ui/words.tsx";
import { aboutTool, toolName } from "./tool-words.ts";
import { tokenWords } from "./turn-rows.tsx";
import type { ItemView, TranscriptView, TurnView } from "./transcript.ts";

const SECOND = 1_000;
/** Of a command or a path. */
const ABOUT_CHARS = 200;

/** At the end while a turn is open: what runs now, how long the turn has taken, what it has cost so far. */
export function WorkingRow({ turn, view }: { readonly turn: TurnView; readonly view: TranscriptView }): ReactNode {
  const now = useNow(true);
  const running = view.running.flatMap((id) => view.items.get(id) ?? []);
  const asked = running.find(({ answer }) => answer !== undefined && answer.outcome === undefined);
  const seconds = Math.max(0, Math.floor((now - Date.parse(turn.at)) / SECOND));
  return (
    <div className="flex items-center gap-2.5 px-1 text-sm text-soft">
      {asked === undefined ? (
        <LoaderCircle aria-hidden className="size-4 shrink-0 animate-spin text-accent" />
      ) : (
        <Hourglass aria-hidden className="size-4 shrink-0 text-warn" />
      )}
      <span className="min-w-0 flex-1 truncate">
        <Now running={running} asked={asked} />
      </span>
      <span className="flex shrink-0 gap-3 text-xs text-faint tabular-nums">
        {turn.usage !== undefined && <span className="max-sm:hidden">{tokenWords(turn.usage)}</span>}
        {turn.cost_microusd !== undefined && <span>{money(turn.cost_microusd)}</span>}
        <span>{seconds < 60 ? `${String(seconds)} s` : duration(seconds * SECOND)}</span>
      </span>
    </div>
  );
}

/** The innermost of what runs; a question to a person before everything else. */
function Now({
  running,
  asked,
}: {
  readonly running: readonly ItemView[];
  /** The call that a person is asked about. */
  readonly asked: ItemView | undefined;
}): ReactNode {
  const item = (asked ?? running.at(-1))?.item;
  if (item === undefined) return "Waiting for the model";
  if (!isToolItem(item)) return item.type === "reasoning" ? "Thinking" : "Writing";
  const others = running.filter((one) => isToolItem(one.item)).length - 1;
  return (
    <>
      {asked !== undefined && "Waiting for a person: "}
      {visible(toolName(item))}{" "}
      <span className="font-mono text-[13px]">{visible(aboutTool(item).slice(0, ABOUT_CHARS))}</span>
      {others > 0 && ` and ${String(others)} more`}
    </>
  );
}
