import { useEffect, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import type { PromptTiming, SessionView } from "../../../../protocol/index.ts";
import { attach, type Attached } from "../../../ui/attachments.ts";
import { enterSends } from "../../../ui/media.ts";
import { commandOf, type SlashCommandName } from "./commands.ts";
import { keepDraft, readDraft, readHistory, remember } from "./drafts.ts";
import { useChooser, useSuggestions, type Chooser, type Suggestion } from "./suggestions.tsx";
import { useSend, type Send } from "./use-send.tsx";

interface Files {
  readonly attached: readonly Attached[];
  /** Why some were left out, one sentence each. */
  readonly refused: readonly string[];
  readonly take: (files: readonly File[]) => void;
  readonly remove: (id: number) => void;
  readonly clear: () => void;
}

export interface PromptBox {
  readonly box: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly typed: (text: string, caret: number) => void;
  readonly moved: (caret: number) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  /** `now`: into the running turn. Absent: after it. */
  readonly submit: (when?: PromptTiming) => void;
  readonly files: Files;
  readonly send: Send;
  readonly suggestions: readonly Suggestion[];
  readonly chooser: Chooser;
}

/** A prompt being written: its text, its files, its completions, and where it is sent. */
export function useWriting(
  { id: sessionId, status }: Pick<SessionView, "id" | "status">,
  { onCommand, canSteer }: { readonly onCommand: (name: SlashCommandName) => void; readonly canSteer: boolean },
): PromptBox {
  const box = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(() => readDraft(sessionId));
  const [caret, setCaret] = useState(0);
  const files = useFiles();
  const send = useSend(sessionId);
  useEffect(() => keepDraft(sessionId, text), [sessionId, text]);
  const typed = (next: string, at: number): void => {
    setText(next);
    setCaret(at);
  };
  const write = (next: string, at = next.length): void => {
    typed(next, at);
    requestAnimationFrame(() => box.current?.setSelectionRange(at, at));
  };
  const command = (name: SlashCommandName): void => {
    write("");
    onCommand(name);
  };
  const suggestions = useSuggestions({ sessionId, text, caret, onText: write, onCommand: command });
  const chooser = useChooser(suggestions, text);
  const past = usePast(text, write);
  const submit = (when?: PromptTiming): void => {
    const named = commandOf(text);
    if (named !== undefined) return command(named);
    if (text.trim() === "") return;
    remember(text);
    const attachments = files.attached.map(({ attachment }) => attachment);
    send.send({ text, ...(attachments.length === 0 ? {} : { attachments }), ...(when === "now" ? { when } : {}) });
    write("");
    files.clear();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (chooser.onKey(event) || past(event)) return;
    if (event.nativeEvent.isComposing) return;
    const isForced = event.ctrlKey || event.metaKey;
    if (event.key === "Enter" && !event.shiftKey && (enterSends() || isForced)) {
      event.preventDefault();
      submit(isForced && canSteer ? "now" : undefined);
    }
    // As everywhere on the page.
    if (event.key === "Escape" && (status === "working" || status === "pending_approval")) {
      event.preventDefault();
      onCommand("stop");
    }
  };
  return { box, text, typed, moved: setCaret, onKeyDown, submit, files, send, suggestions, chooser };
}

function useFiles(): Files {
  const [attached, setAttached] = useState<readonly Attached[]>([]);
  const [refused, setRefused] = useState<readonly string[]>([]);
  return {
    attached,
    refused,
    take: (files) => {
      if (files.length === 0) return;
      void attach(attached, files).then((taken) => {
        setAttached(taken.attached);
        setRefused(taken.refused);
      });
    },
    remove: (gone) => setAttached(attached.filter(({ id }) => id !== gone)),
    clear: () => {
      setAttached([]);
      setRefused([]);
    },
  };
}

/** Up and down go through earlier prompts, starting from an empty box. */
function usePast(text: string, write: (text: string) => void): (event: KeyboardEvent) => boolean {
  const place = useRef<number>(undefined);
  return (event) => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return false;
    const all = readHistory();
    const at = place.current;
    const isThere = at !== undefined && all[at] === text;
    if (!isThere && (text !== "" || event.key === "ArrowDown")) return false;
    const next = event.key === "ArrowUp" ? (isThere ? at : all.length) - 1 : (at ?? 0) + 1;
    if (next < 0) return true;
    event.preventDefault();
    place.current = next >= all.length ? undefined : next;
    write(all[next] ?? "");
    return true;
  };
}
