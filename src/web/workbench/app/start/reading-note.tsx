import { CircleAlert, X } from "lucide-react";
import { Progress } from "radix-ui";
import type { ReactNode } from "react";
import { classes } from "../../../console/ui/classes.ts";
import { Button } from "../../../console/ui/button.tsx";
import { useBench, useOpening, useViews } from "../context.tsx";

/** While a table is read: how far it is, and a way to stop; afterwards what went wrong. */
export function ReadingNote(): ReactNode {
  const { opening } = useBench();
  const { reading, trouble } = useOpening();
  const isStart = useViews().length === 0;
  if (reading === undefined && trouble === undefined) return undefined;
  return (
    // Over a table it covers a few rows; on the start page there is room above.
    <div className={classes("inset-x-0 top-3 z-30 flex justify-center px-3", isStart ? "relative" : "absolute")}>
      {reading !== undefined && (
        <div role="status" className="w-full max-w-md rounded-xl border bg-raised p-3.5 shadow-lg">
          <div className="flex items-center justify-between gap-3 text-sm">
            <span className="min-w-0 truncate">
              Reading <strong className="font-semibold">{reading.name}</strong>
            </span>
            <Button size="small" variant="quiet" onClick={opening.cancel}>
              Cancel
            </Button>
          </div>
          <ReadingBar share={reading.share} />
        </div>
      )}
      {trouble !== undefined && (
        <div
          role="alert"
          className="flex max-w-xl items-start gap-2.5 rounded-xl border border-bad/40 bg-bad-soft p-3.5 text-sm shadow-lg"
        >
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
          <p className="min-w-0 break-words">
            <strong className="block font-semibold text-bad">{trouble.name}</strong>
            {trouble.words}
          </p>
          <button
            type="button"
            aria-label="Dismiss"
            className="rounded p-1 text-faint hover:text-ink"
            onClick={opening.dismiss}
          >
            <X aria-hidden className="size-4" />
          </button>
        </div>
      )}
    </div>
  );
}

function ReadingBar({ share }: { readonly share: number }): ReactNode {
  const percent = Math.round(share * 100);
  const isKnown = share > 0;
  return (
    <Progress.Root
      value={isKnown ? percent : null}
      aria-label="Share that is read"
      className="mt-2 h-1.5 overflow-hidden rounded-full bg-sunken"
    >
      <Progress.Indicator
        className={isKnown ? "h-full bg-accent" : "h-full w-1/3 animate-pulse bg-accent"}
        style={isKnown ? { width: `${String(percent)}%` } : {}}
      />
    </Progress.Root>
  );
}
