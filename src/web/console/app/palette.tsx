import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { CornerDownLeft, MessagesSquare, type LucideIcon } from "lucide-react";
import { useEffect, useId, useState, type KeyboardEvent as ReactKeyboardEvent, type ReactNode } from "react";
import { LIMITS } from "../../../protocol/index.ts";
import { useConnection } from "../../ui/app/connection.tsx";
import { classes } from "../../ui/classes.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Input } from "../../ui/field.tsx";
import { visible } from "../../ui/visible.ts";
import { titleOf } from "../../ui/words.tsx";
import { KEYS } from "./feed.tsx";
import { useHitEntries } from "./palette-hits.ts";
import { t } from "../../ui/language/t.ts";

/** Something that the palette can do or open. */
export interface PaletteEntry {
  readonly id: string;
  /** With its hidden characters named. */
  readonly label: string;
  readonly icon: LucideIcon;
  readonly run: () => void;
}

const SESSIONS_SHOWN = 12;

/** Ctrl+K or ⌘K: pages, actions and sessions by a few letters. */
export function Palette({ entries }: { readonly entries: readonly PaletteEntry[] }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isKey = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
      if (!isKey || event.altKey || event.shiftKey || event.defaultPrevented) return;
      event.preventDefault();
      setOpen((before) => !before);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <Dialog open={isOpen} onClose={() => setOpen(false)} title={t("Go to or do")}>
      {isOpen && <PaletteList entries={entries} onDone={() => setOpen(false)} />}
    </Dialog>
  );
}

function PaletteList({
  entries,
  onDone,
}: {
  readonly entries: readonly PaletteEntry[];
  readonly onDone: () => void;
}): ReactNode {
  const id = useId();
  const [text, setText] = useState("");
  const [index, setIndex] = useState(0);
  const sessions = useSessionEntries(text.trim());
  const hits = useHitEntries(text.trim());
  const wanted = text.trim().toLowerCase();
  const shown = [...entries.filter(({ label }) => fits(label, wanted)), ...sessions, ...hits];
  const at = Math.min(index, Math.max(0, shown.length - 1));
  const run = (entry: PaletteEntry | undefined): void => {
    if (entry === undefined) return;
    onDone();
    entry.run();
  };
  const onKeyDown = (event: ReactKeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") run(shown[at]);
    else if (event.key === "ArrowDown") setIndex((at + 1) % Math.max(1, shown.length));
    else if (event.key === "ArrowUp") setIndex((at - 1 + shown.length) % Math.max(1, shown.length));
    else return;
    event.preventDefault();
  };
  return (
    <div className="space-y-2">
      <Input
        role="combobox"
        aria-label={t("Search pages, actions, sessions and what was said")}
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={shown.length === 0 ? undefined : `${id}-${String(at)}`}
        placeholder={t("A page, an action, a session, or words of a conversation")}
        autoFocus
        maxLength={LIMITS.searchChars}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setIndex(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={`${id}-list`} role="listbox" aria-label={t("Results")} className="max-h-[50dvh] overflow-y-auto">
        {shown.map((entry, place) => (
          <Line
            key={entry.id}
            id={`${id}-${String(place)}`}
            entry={entry}
            isCurrent={place === at}
            onRun={() => run(entry)}
          />
        ))}
      </ul>
      {shown.length === 0 && <p className="px-2 py-3 text-sm text-soft">{t("Nothing matches.")}</p>}
    </div>
  );
}

/** All words, in any order. */
function fits(label: string, wanted: string): boolean {
  const lower = label.toLowerCase();
  return wanted.split(/\s+/).every((word) => lower.includes(word));
}

function Line({
  id,
  entry: { icon: Icon, label },
  isCurrent,
  onRun,
}: {
  readonly id: string;
  readonly entry: PaletteEntry;
  readonly isCurrent: boolean;
  readonly onRun: () => void;
}): ReactNode {
  return (
    <li
      id={id}
      ref={(element) => {
        if (isCurrent) element?.scrollIntoView({ block: "nearest" });
      }}
      role="option"
      aria-selected={isCurrent}
      onClick={onRun}
      className={classes(
        "flex min-h-10 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-sm",
        isCurrent ? "bg-accent-soft" : "hover:bg-sunken",
      )}
    >
      <Icon aria-hidden className="size-4 shrink-0 text-soft" />
      <span dir="auto" className="min-w-0 flex-1 truncate rtl:text-right">
        {label}
      </span>
      {isCurrent && <CornerDownLeft aria-hidden className="size-4 text-faint" />}
    </li>
  );
}

function useSessionEntries(text: string): readonly PaletteEntry[] {
  const { client } = useConnection();
  const navigate = useNavigate();
  const { data } = useQuery({
    queryKey: [...KEYS.sessions, "palette", text],
    queryFn: () => client.sessions({ limit: SESSIONS_SHOWN, ...(text === "" ? {} : { search: text }) }),
    placeholderData: (before) => before,
  });
  return (data?.sessions ?? []).map((session) => ({
    id: session.id,
    label: visible(titleOf(session)),
    icon: MessagesSquare,
    run: () => void navigate({ to: "/sessions/$sessionId", params: { sessionId: session.id } }),
  }));
}
