import { Paperclip, SendHorizontal } from "lucide-react";
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { LIMITS, type SessionView } from "../../../../protocol/index.ts";
import { useMay } from "../../app/connection.tsx";
import { AttachmentList } from "../../ui/attachment-list.tsx";
import { attach, filesOf, type Attached } from "../../ui/attachments.ts";
import { Button } from "../../ui/button.tsx";
import { Note } from "../../ui/states.tsx";
import { commandOf, type CommandName } from "./commands.ts";
import { keepDraft, readDraft, readHistory, remember } from "./drafts.ts";
import { Queue } from "./queue.tsx";
import { COMMAND_HELP, SuggestionList, useChooser, useSuggestions } from "./suggestions.tsx";
import { useControl } from "./use-control.ts";
import { Unsent, useSend } from "./use-send.tsx";

/** Where people write. What could not be sent stays here, with the reason. */
export function Composer({
  session,
  onFork,
}: {
  readonly session: SessionView;
  readonly onFork: () => void;
}): ReactNode {
  const mayControl = useMay("session.control");
  if (session.status === "complete" || session.status === "failed") {
    return (
      <Foot>
        <Note className="flex flex-wrap items-center gap-3">
          <span className="mr-auto">
            {session.status === "complete" ? "This session is closed." : "This session cannot go on."} It can be read,
            and continued in a fork.
          </span>
          {mayControl && (
            <Button size="small" onClick={onFork}>
              Continue in a fork
            </Button>
          )}
        </Note>
      </Foot>
    );
  }
  if (!mayControl) {
    return (
      <Foot>
        <Note>You may read along. To write, you need the role operator or admin.</Note>
      </Foot>
    );
  }
  return (
    <Foot>
      <Queue session={session} />
      <PromptBox session={session} onFork={onFork} />
    </Foot>
  );
}

function Foot({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className="mx-auto w-full max-w-4xl space-y-2 px-4 pt-2 pb-3">{children}</div>;
}

function PromptBox({ session, onFork }: { readonly session: SessionView; readonly onFork: () => void }): ReactNode {
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(() => readDraft(session.id));
  const [caret, setCaret] = useState(0);
  const [attached, setAttached] = useState<readonly Attached[]>([]);
  const [refused, setRefused] = useState<readonly string[]>([]);
  const send = useSend(session.id);
  const control = useControl(session.id);
  useEffect(() => keepDraft(session.id, text), [session.id, text]);
  const write = (next: string, at = next.length): void => {
    setText(next);
    setCaret(at);
    requestAnimationFrame(() => box.current?.setSelectionRange(at, at));
  };
  const command = (name: CommandName): void => {
    write("");
    if (name === "fork") onFork();
    else control.run(name === "stop" ? "interrupt" : name);
  };
  const suggestions = useSuggestions({ sessionId: session.id, text, caret, onText: write, onCommand: command });
  const chooser = useChooser(suggestions, text);
  const submit = (): void => {
    const named = commandOf(text);
    if (named !== undefined) return command(named);
    if (text.trim() === "") return;
    remember(text);
    send.send({
      text,
      ...(attached.length === 0 ? {} : { attachments: attached.map(({ attachment }) => attachment) }),
    });
    write("");
    setAttached([]);
  };
  const past = usePast(text, write);
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (chooser.onKey(event) || past(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      submit();
    }
  };
  const take = (files: readonly File[]): void => {
    if (files.length === 0) return;
    void attach(attached, files).then((taken) => {
      setAttached(taken.attached);
      setRefused(taken.refused);
    });
  };
  const busy = session.status === "working" || session.status === "pending_approval";
  return (
    <div
      className="relative rounded-xl border border-line-strong/60 bg-raised p-2 focus-within:border-accent"
      onDragOver={(event) => event.dataTransfer.types.includes("Files") && event.preventDefault()}
      onDrop={(event) => {
        if (event.dataTransfer.types.includes("Files")) event.preventDefault();
        take(filesOf(event.dataTransfer));
      }}
    >
      <SuggestionList id={`${id}-list`} suggestions={suggestions} chooser={chooser} />
      <Unsent unsent={send.unsent} onAgain={send.again} onDrop={send.drop} />
      <AttachmentList attached={attached} onRemove={(gone) => setAttached(attached.filter((one) => one.id !== gone))} />
      <label htmlFor={id} className="sr-only">
        Prompt
      </label>
      <textarea
        ref={box}
        id={id}
        rows={2}
        value={text}
        maxLength={LIMITS.promptChars}
        aria-describedby={`${id}-help`}
        aria-autocomplete="list"
        {...(chooser.shown
          ? { "aria-controls": `${id}-list`, "aria-activedescendant": `${id}-list-${String(chooser.index)}` }
          : {})}
        placeholder={busy ? "Write what comes next: it waits until this turn has ended" : "Write to the agent"}
        className="field-sizing-content max-h-[35dvh] min-h-14 w-full resize-none bg-transparent px-2 py-1.5 text-[0.95rem] leading-relaxed outline-none placeholder:text-faint"
        onChange={(event) => {
          setText(event.target.value);
          setCaret(event.target.selectionStart);
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          const files = filesOf(event.clipboardData);
          if (files.length > 0) event.preventDefault();
          take(files);
        }}
      />
      <Tools id={id} refused={refused} onFiles={take}>
        <Button size="small" variant="primary" busy={send.busy} disabled={text.trim() === ""} onClick={submit}>
          <SendHorizontal aria-hidden className="size-4" /> {busy ? "Queue" : "Send"}
        </Button>
      </Tools>
    </div>
  );
}

function Tools({
  id,
  refused,
  onFiles,
  children,
}: {
  readonly id: string;
  readonly refused: readonly string[];
  readonly onFiles: (files: readonly File[]) => void;
  readonly children: ReactNode;
}): ReactNode {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <div className="flex items-center gap-2">
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      <Button size="small" variant="quiet" aria-label="Attach files" onClick={() => picker.current?.click()}>
        <Paperclip aria-hidden className="size-4" />
      </Button>
      <p id={`${id}-help`} className="mr-auto text-xs text-faint">
        <span className="max-sm:sr-only">{COMMAND_HELP}</span>
        <span aria-live="polite" className="text-warn">
          {refused.join(" ")}
        </span>
      </p>
      {children}
    </div>
  );
}

/** Up and down go through what was sent before, from an empty box on. */
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
