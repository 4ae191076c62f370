import { Hourglass, LoaderCircle } from "lucide-react";
import type { ReactNode } from "react";
import { useNow } from "../approval/use-now.ts";
import { type TurnView } from "../../../protocol/index.ts";
import { duration, spending } from "../../ui/words.tsx";
import { tokenWords } from "./turn-rows.tsx";
import type { TranscriptView } from "./transcript.ts";
import { workingWords } from "./working-words.ts";
import { plural, t } from "../../ui/language/t.ts";

const SECOND = 1_000;

/** At the end while a turn is open: what runs now, the turn's duration and its cost so far. */
export function WorkingRow({ turn, view }: { readonly turn: TurnView; readonly view: TranscriptView }): ReactNode {
  const now = useNow(true);
  const { isAsked, words, about, others } = workingWords(view);
  const tokens = tokenWords(turn);
  const seconds = Math.max(0, Math.floor((now - Date.parse(turn.at)) / SECOND));
  return (
    <div className="flex items-center gap-2.5 px-1 text-sm text-soft">
      {isAsked ? (
        <Hourglass aria-hidden className="size-4 shrink-0 text-warn" />
      ) : (
        <LoaderCircle aria-hidden className="size-4 shrink-0 animate-spin text-accent" />
      )}
      <span className="min-w-0 flex-1 truncate">
        {words}
        {about !== undefined && (
          <>
            {" "}
            <span className="font-mono text-[13px]">{about}</span>
          </>
        )}
        {others > 0 && <> {plural({ one: "and {count} more", other: "and {count} more" }, { count: others })}</>}
      </span>
      <span className="flex shrink-0 gap-3 text-xs text-faint tabular-nums">
        {tokens !== "" && <span className="max-sm:hidden">{tokens}</span>}
        {turn.cost_microusd !== undefined && <span>{spending({ ...turn, cost_microusd: turn.cost_microusd })}</span>}
        <span>{seconds < 60 ? t("{seconds} s", { seconds }) : duration(seconds * SECOND)}</span>
      </span>
    </div>
  );
}
