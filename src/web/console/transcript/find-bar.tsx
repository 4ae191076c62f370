import { ChevronDown, ChevronUp, X } from "lucide-react";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { count } from "../../ui/words.tsx";
import { findMatches, type TextMatch } from "./find.ts";
import type { TranscriptView } from "./transcript.ts";
import { t } from "../../ui/language/t.ts";

export interface Find {
  readonly isOpen: boolean;
  readonly text: string;
  readonly matches: readonly TextMatch[];
  /** The match that is shown. Absent: there is none. */
  readonly current: TextMatch | undefined;
  readonly position: number;
  readonly open: () => void;
  readonly close: () => void;
  readonly search: (text: string) => void;
  readonly step: (by: 1 | -1) => void;
}

/** Searches a conversation: rows out of sight are not in the page, so the browser's own search does not find them. */
export function useFind(view: TranscriptView): Find {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<string>();
  const matches = useMemo(() => (isOpen ? findMatches(view, text) : []), [view, text, isOpen]);
  // A match may go away, as when live text is replaced, and older ones may come before it.
  const known = chosen === undefined ? -1 : matches.findIndex((match) => nameOf(match) === chosen);
  const at = Math.max(0, known);
  return {
    isOpen,
    text,
    matches,
    current: matches[at],
    position: at,
    open: () => setOpen(true),
    close: () => setOpen(false),
    search: (next) => {
      setText(next);
      setChosen(undefined);
    },
    step: (by) => {
      const next = matches[(at + by + matches.length) % matches.length];
      if (next !== undefined) setChosen(nameOf(next));
    },
  };
}

function nameOf({ key, opened }: TextMatch): string {
  return [key, ...opened].join("/");
}

/** Ctrl+F or ⌘F opens the search; pressed again in its field, the browser's own. */
export function useFindKey(open: () => void): void {
  const latest = useRef(open);
  useEffect(() => {
    latest.current = open;
  });
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      const isFind =
        event.key.toLowerCase() === "f" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      const isElsewhere =
        event.target instanceof Element && event.target.closest("[role=search], [role=dialog]") !== null;
      if (!isFind || isElsewhere || event.defaultPrevented) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

export function FindBar({
  find,
  isReading,
  onClose,
}: {
  readonly find: Find;
  /** Older parts of the conversation are still on their way. */
  readonly isReading: boolean;
  readonly onClose: () => void;
}): ReactNode {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    field.current?.select();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") onClose();
    else if (event.key === "Enter" && event.target === field.current) find.step(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  };
  const total = find.matches.length;
  return (
    <div
      role="search"
      aria-label={t("Find in conversation")}
      onKeyDown={onKeyDown}
      className="flex items-center gap-1 border-b bg-panel px-3 py-1.5 md:px-4"
    >
      <input
        ref={field}
        type="search"
        aria-label={t("Find in conversation")}
        placeholder={t("Find in conversation")}
        value={find.text}
        onChange={(event) => find.search(event.target.value)}
        className="min-h-9 min-w-0 flex-1 rounded-lg border border-line-strong bg-raised px-3 text-sm"
      />
      <span role="status" className="min-w-20 text-center text-sm text-soft tabular-nums">
        {findWords(find, isReading)}
      </span>
      <Button
        size="icon"
        variant="quiet"
        aria-label={t("Previous match")}
        disabled={total === 0}
        onClick={() => find.step(-1)}
      >
        <ChevronUp aria-hidden className="size-5" />
      </Button>
      <Button
        size="icon"
        variant="quiet"
        aria-label={t("Next match")}
        disabled={total === 0}
        onClick={() => find.step(1)}
      >
        <ChevronDown aria-hidden className="size-5" />
      </Button>
      <Button size="icon" variant="quiet" aria-label={t("Close the search")} onClick={onClose}>
        <X aria-hidden className="size-5" />
      </Button>
    </div>
  );
}

function findWords({ text, position, matches: { length: total } }: Find, isReading: boolean): string {
  if (text === "") return "";
  if (total === 0) return isReading ? t("Searching…") : t("No matches");
  return `${t("{position} of {total}", { position: count(position + 1), total: count(total) })}${isReading ? "…" : ""}`;
}
