import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { useConnection } from "../../../ui/app/connection.tsx";
import { classes } from "../../../ui/classes.ts";
import { commandBegun, mentionAt, suggestCommands, withMention, type SlashCommandName } from "./commands.ts";
import { t } from "../../../ui/language/t.ts";

const FILES = 12;

/** One line of the list over the prompt box. */
export interface Suggestion {
  readonly key: string;
  readonly label: string;
  readonly hint?: string;
  readonly pick: () => void;
}

/** Commands after `/`, files after `@`. */
export function useSuggestions(options: {
  readonly sessionId: string;
  readonly text: string;
  readonly caret: number;
  readonly onText: (text: string, caret: number) => void;
  readonly onCommand: (name: SlashCommandName) => void;
}): readonly Suggestion[] {
  const { client } = useConnection();
  const { sessionId, text, caret, onText, onCommand } = options;
  const mention = mentionAt(text, caret);
  const files = useQuery({
    queryKey: ["files", sessionId, mention?.query ?? ""],
    queryFn: () => client.files(sessionId, { query: mention?.query ?? "", limit: FILES }),
    enabled: mention !== undefined,
    placeholderData: (before) => before,
    staleTime: 5_000,
    retry: false,
  });
  const begun = commandBegun(text);
  const commands = useQuery({
    queryKey: ["session-commands", sessionId],
    queryFn: () => client.sessionCommands(sessionId),
    enabled: begun !== undefined,
    staleTime: 5_000,
    retry: false,
  });
  if (mention !== undefined) {
    return (files.data?.files ?? []).map((file) => ({
      key: file,
      label: file,
      pick: () => {
        const next = withMention(text, mention, file);
        onText(next.text, next.caret);
      },
    }));
  }
  const ours = suggestCommands(text).map(({ name, does }) => ({
    key: name,
    label: `/${name}`,
    hint: does,
    pick: () => onCommand(name),
  }));
  const theirs = (commands.data?.commands ?? []).filter(({ name }) => begun !== undefined && name.startsWith(begun));
  return [
    ...ours,
    ...theirs.map(({ name, description, argument_hint: hint }) => ({
      key: `workspace ${name}`,
      label: `/${name}`,
      hint: hint === undefined ? description : `${hint} · ${description}`,
      // Written out, so that arguments can follow.
      pick: () => onText(`/${name} `, name.length + 2),
    })),
  ];
}

export interface Chooser {
  readonly index: number;
  /** Whether the key was meant for the list. */
  readonly onKey: (event: KeyboardEvent) => boolean;
  readonly hide: () => void;
  readonly shown: boolean;
}

/** Arrows choose, Enter and Tab take, Escape hides. */
export function useChooser(suggestions: readonly Suggestion[], text: string): Chooser {
  const [index, setIndex] = useState(0);
  const [hiddenFor, setHiddenFor] = useState<string>();
  const first = suggestions[0]?.key;
  useEffect(() => setIndex(0), [first, suggestions.length]);
  const shown = suggestions.length > 0 && hiddenFor !== text;
  const onKey = (event: KeyboardEvent): boolean => {
    if (!shown) return false;
    const size = suggestions.length;
    if (event.key === "ArrowDown") setIndex((index + 1) % size);
    else if (event.key === "ArrowUp") setIndex((index + size - 1) % size);
    else if (event.key === "Escape") setHiddenFor(text);
    else if ((event.key === "Enter" && !event.shiftKey) || event.key === "Tab") suggestions[index]?.pick();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return { index, onKey, hide: () => setHiddenFor(text), shown };
}

export function SuggestionList({
  id,
  suggestions,
  chooser,
}: {
  readonly id: string;
  readonly suggestions: readonly Suggestion[];
  readonly chooser: Chooser;
}): ReactNode {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.children[chooser.index]?.scrollIntoView({ block: "nearest" }), [chooser.index]);
  if (!chooser.shown) return null;
  return (
    <ul
      ref={list}
      id={id}
      role="listbox"
      aria-label={t("Suggestions")}
      className="absolute bottom-full start-0 z-20 mb-1 max-h-72 w-full overflow-y-auto rounded-lg border bg-raised p-1 shadow-lg sm:w-96"
    >
      {suggestions.map(({ key, label, hint, pick }, index) => (
        <li
          key={key}
          id={`${id}-${String(index)}`}
          role="option"
          aria-selected={index === chooser.index}
          onMouseDown={(event) => {
            event.preventDefault();
            pick();
          }}
          className={classes(
            "flex cursor-pointer items-baseline gap-2 rounded px-2.5 py-1.5 text-sm",
            index === chooser.index && "bg-accent-soft",
          )}
        >
          <code className={hint === undefined ? "min-w-0 truncate" : "shrink-0"}>{label}</code>
          {hint !== undefined && <span className="min-w-0 truncate text-xs text-faint">{hint}</span>}
        </li>
      ))}
    </ul>
  );
}

/** Shown below the prompt box. */
export const COMMAND_HELP = t("Enter sends, Shift+Enter adds a line, / for commands, @ for files.");
