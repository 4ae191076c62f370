import { useId, type ComponentProps, type ReactNode } from "react";
import { classes } from "../../../ui/classes.ts";
import type { Draft, Problems } from "./draft.ts";

/** What every part of the form gets. */
export interface PartProps {
  readonly draft: Draft;
  readonly change: (change: Partial<Draft>) => void;
  readonly problems: Problems;
}

/** One of several, with room for words that say when to take it. */
export function Choice({
  label,
  badge,
  children,
  ...input
}: ComponentProps<"input"> & { readonly label: string; readonly badge?: ReactNode }): ReactNode {
  const id = useId();
  return (
    <label
      className={classes(
        "flex gap-2.5 rounded-lg border p-2.5 text-sm has-checked:border-accent has-checked:bg-accent-soft/50",
        input.disabled === true ? "opacity-70" : "cursor-pointer hover:bg-panel",
      )}
    >
      <input
        {...input}
        type="radio"
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-words`}
        className="mt-0.5 size-4 shrink-0 accent-(--accent)"
      />
      <span className="min-w-0 flex-1">
        <span id={`${id}-name`} className="flex flex-wrap items-center gap-x-2 gap-y-0.5 font-medium">
          {label} {badge}
        </span>
        {children !== undefined && (
          <span id={`${id}-words`} className="mt-0.5 block text-soft">
            {children}
          </span>
        )}
      </span>
    </label>
  );
}

export function Wrong({ text }: { readonly text: string | undefined }): ReactNode {
  return text === undefined ? undefined : <p className="text-sm text-bad">{text}</p>;
}
