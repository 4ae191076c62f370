import { CircleAlert, Info, X } from "lucide-react";
import type { ReactNode } from "react";
import { classes } from "../../../ui/classes.ts";
import { Button } from "../../../ui/button.tsx";
import { useBench, useOpening, useViews } from "../context.tsx";
import type { ImportAgain, OpeningChoice, OpeningState } from "../opening.ts";
import { ask } from "../surface.ts";

/** While a table is read: how far it is, and a way to stop; afterwards what went wrong, or what to know or choose. */
export function ReadingNote(): ReactNode {
  const { opening, keeper } = useBench();
  const { reading, trouble, notes, choice, restored } = useOpening();
  const isStart = useViews().length === 0;
  if ([reading, trouble, notes, choice, restored].every((part) => part === undefined)) return undefined;
  return (
    // Over a table it covers a few rows; on the start page there is room above.
    <div className={classes("inset-x-0 top-3 z-30 flex justify-center px-3", isStart ? "relative" : "absolute")}>
      {reading !== undefined && <Reading reading={reading} cancel={opening.cancel} />}
      {trouble !== undefined && (
        <Box role="alert" tone="bad" dismiss={opening.dismiss}>
          <strong className="block font-semibold text-bad">{trouble.name}</strong>
          {trouble.words}
          <AgainButton again={trouble.again} />
        </Box>
      )}
      {notes !== undefined && (
        <Box role="status" tone="plain" dismiss={opening.dismiss}>
          <strong className="block font-semibold">{notes.name}</strong>
          {notes.lines.map((line) => (
            <span key={line} className="block">
              {line}
            </span>
          ))}
          <AgainButton again={notes.again} />
        </Box>
      )}
      {restored !== undefined && (
        <Box role="status" tone="plain" dismiss={opening.dismiss}>
          <strong className="block font-semibold">Restored</strong>
          {restoredWords(restored)}
          <span className="mt-2 flex flex-wrap gap-2">
            <Button
              size="small"
              onClick={() => {
                opening.dismiss();
                void keeper.forget();
              }}
            >
              Close them and forget
            </Button>
          </span>
        </Box>
      )}
      {choice !== undefined && <Choice choice={choice} dismiss={opening.dismiss} />}
    </div>
  );
}

/** A text file may be read in another way. */
function AgainButton({ again }: { readonly again: ImportAgain | undefined }): ReactNode {
  if (again === undefined) return undefined;
  return (
    <span className="mt-2 block">
      <Button size="small" onClick={() => ask({ kind: "import", ...again })}>
        Import options…
      </Button>
    </span>
  );
}

function restoredWords({ tables, filters, failed, steps }: NonNullable<OpeningState["restored"]>): string {
  return [
    `${tables === 1 ? "1 table is" : `${tables} tables are`} open again, as before the page was loaded.`,
    filters === 0 ? "" : `${filters === 1 ? "1 filter is" : `${filters} filters are`} on.`,
    steps === 0 ? "Earlier steps cannot be undone any more." : "Earlier steps can still be undone.",
    failed.length === 0 ? "" : `Could not be restored: ${failed.join(", ")}.`,
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}

function Reading({
  reading,
  cancel,
}: {
  readonly reading: NonNullable<OpeningState["reading"]>;
  readonly cancel: () => void;
}): ReactNode {
  return (
    <div role="status" className="w-full max-w-md rounded-xl border bg-raised p-3.5 shadow-lg">
      <div className="flex items-center justify-between gap-3 text-sm">
        <span className="min-w-0 truncate">
          Reading <strong className="font-semibold">{reading.name}</strong>
        </span>
        <Button size="small" variant="quiet" onClick={cancel}>
          Cancel
        </Button>
      </div>
      <ReadingBar share={reading.share} />
    </div>
  );
}

interface BoxProps {
  readonly role: "alert" | "status";
  readonly tone: "bad" | "plain";
  readonly dismiss: () => void;
  readonly children: ReactNode;
}

function Box({ role, tone, dismiss, children }: BoxProps): ReactNode {
  const Icon = tone === "bad" ? CircleAlert : Info;
  return (
    <div
      role={role}
      className={classes(
        "flex max-w-xl items-start gap-2.5 rounded-xl border p-3.5 text-sm shadow-lg",
        tone === "bad" ? "border-bad/40 bg-bad-soft" : "bg-raised",
      )}
    >
      <Icon aria-hidden className={classes("mt-0.5 size-4 shrink-0", tone === "bad" ? "text-bad" : "text-accent")} />
      <div className="min-w-0 break-words">{children}</div>
      <button
        type="button"
        aria-label="Dismiss"
        className="flex size-6 shrink-0 items-center justify-center rounded text-faint hover:text-ink"
        onClick={dismiss}
      >
        <X aria-hidden className="size-4" />
      </button>
    </div>
  );
}

function Choice({ choice, dismiss }: { readonly choice: OpeningChoice; readonly dismiss: () => void }): ReactNode {
  return (
    <Box role="status" tone="plain" dismiss={dismiss}>
      <strong className="block font-semibold">{choice.name} holds several tables</strong>
      Which one do you want?
      <span className="mt-2 flex flex-wrap gap-2">
        {choice.choices.map(({ part, rows }) => (
          <Button key={part} size="small" onClick={() => choice.pick(part)}>
            {part} ({rows.toLocaleString("en")} rows)
          </Button>
        ))}
      </span>
    </Box>
  );
}

function ReadingBar({ share }: { readonly share: number }): ReactNode {
  const percent = Math.round(share * 100);
  const isKnown = share > 0;
  return (
    <div
      role="progressbar"
      {...(isKnown ? { "aria-valuenow": percent } : {})}
      aria-label="Share that is read"
      className="mt-2 h-1.5 overflow-hidden rounded-full bg-sunken"
    >
      <div
        className={isKnown ? "h-full bg-accent" : "h-full w-1/3 animate-pulse bg-accent"}
        style={isKnown ? { width: `${String(percent)}%` } : {}}
      />
    </div>
  );
}
