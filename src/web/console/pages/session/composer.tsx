import { CornerDownRight, SendHorizontal } from "lucide-react";
import { useId, type ReactNode } from "react";
import { LIMITS, type SessionView } from "../../../../protocol/index.ts";
import { useMay } from "../../../ui/app/connection.tsx";
import { useShortcuts } from "../../../ui/app/shortcuts.tsx";
import { AttachmentList } from "../../../ui/attachment-list.tsx";
import { filesOf } from "../../../ui/attachments.ts";
import { Button } from "../../../ui/button.tsx";
import { FilePicker } from "../../../ui/file-picker.tsx";
import { laterPart } from "../../../ui/later-part.tsx";
import { Note } from "../../../ui/states.tsx";
import { ModeSwitch } from "./mode-switch.tsx";
import { Queue } from "./queue.tsx";
import { COMMAND_HELP, SuggestionList } from "./suggestions.tsx";
import { useCommands } from "./use-commands.ts";
import { Unsent } from "./use-send.tsx";
import { useSteering } from "./use-steering.ts";
import { useWriting } from "./use-writing.ts";
import { t } from "../../../ui/language/t.ts";

const Windows = laterPart(async () => (await import("./session-dialog.tsx")).SessionDialog);

/** The prompt box. What could not be sent stays here, with the reason. */
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
          <span className="me-auto">
            {session.status === "complete"
              ? t("This session is closed. You can read it, or continue in a fork.")
              : t("This session cannot continue. You can read it, or continue in a fork.")}
          </span>
          {mayControl && (
            <Button size="small" onClick={onFork}>
              {t("Continue in a fork")}
            </Button>
          )}
        </Note>
      </Foot>
    );
  }
  if (!mayControl) {
    return (
      <Foot>
        <Note>{t("You can read this session. To write, you need the operator or admin role.")}</Note>
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
  return <div className="mx-auto w-full max-w-4xl space-y-2 px-4 pt-2 pb-3 short:pt-1 short:pb-1.5">{children}</div>;
}

function PromptBox({ session, onFork }: { readonly session: SessionView; readonly onFork: () => void }): ReactNode {
  const id = useId();
  const commands = useCommands(session.id, onFork);
  Windows.useSoon();
  const canSteer = useSteering(session);
  const writing = useWriting(session, { onCommand: commands.run, canSteer });
  const { files, send, suggestions, chooser, text, box } = writing;
  useShortcuts(t("Prompt"), [{ keys: ["i"], label: t("Write to the agent"), run: () => box.current?.focus() }]);
  const busy = session.status === "working" || session.status === "pending_approval";
  return (
    <div
      className="@container relative rounded-xl border border-line-strong/60 bg-raised p-2 focus-within:border-accent short:flex short:flex-wrap short:items-end short:py-1"
      onDragOver={(event) => event.dataTransfer.types.includes("Files") && event.preventDefault()}
      onDrop={(event) => {
        if (event.dataTransfer.types.includes("Files")) event.preventDefault();
        files.take(filesOf(event.dataTransfer));
      }}
    >
      <SuggestionList id={`${id}-list`} suggestions={suggestions} chooser={chooser} />
      <Unsent unsent={send.unsent} onAgain={send.again} onDrop={send.drop} />
      <AttachmentList attached={files.attached} onRemove={files.remove} />
      <label htmlFor={id} className="sr-only">
        {t("Prompt")}
      </label>
      <textarea
        ref={box}
        id={id}
        rows={1}
        value={text}
        maxLength={LIMITS.promptChars}
        aria-describedby={`${id}-help`}
        aria-autocomplete="list"
        {...(chooser.shown
          ? { "aria-controls": `${id}-list`, "aria-activedescendant": `${id}-list-${String(chooser.index)}` }
          : {})}
        placeholder={busy ? t("Add a follow-up (sent when this turn ends)") : t("Message the agent")}
        className="field-sizing-content max-h-[35dvh] min-h-10 w-full resize-none short:w-auto short:min-w-0 short:flex-1 bg-transparent px-2 py-1.5 text-[0.95rem] leading-relaxed outline-none placeholder:text-faint"
        onChange={({ target }) => writing.typed(target.value, target.selectionStart)}
        onSelect={({ currentTarget }) => writing.moved(currentTarget.selectionStart)}
        onKeyDown={writing.onKeyDown}
        onPaste={(event) => {
          const pasted = filesOf(event.clipboardData);
          if (pasted.length > 0) event.preventDefault();
          files.take(pasted);
        }}
      />
      <Tools id={id} refused={files.refused} onFiles={files.take}>
        <ModeSwitch session={session} />
        {canSteer && (
          <Button
            size="small"
            aria-keyshortcuts="Control+Enter"
            title={t("Sends it into the running turn: the agent reads it before its next step (Ctrl+Enter)")}
            disabled={text.trim() === ""}
            onClick={() => writing.submit("now")}
          >
            <CornerDownRight aria-hidden className="size-4" /> <span className="@max-md:sr-only">{t("Send now")}</span>
          </Button>
        )}
        <Button
          size="small"
          variant="primary"
          busy={send.busy}
          disabled={text.trim() === ""}
          onClick={() => writing.submit()}
        >
          <SendHorizontal aria-hidden className="size-4" /> {busy ? t("Queue") : t("Send")}
        </Button>
      </Tools>
      {commands.asked !== undefined && <Windows.Part props={{ session, asked: commands.asked, onEnd: commands.end }} />}
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
  return (
    <div className="flex items-center gap-2 short:min-h-10">
      <FilePicker onFiles={onFiles} compact />
      <p id={`${id}-help`} className="me-auto text-xs text-faint">
        <span className="@max-2xl:sr-only short:sr-only">{COMMAND_HELP}</span>
        <span aria-live="polite" className="text-warn">
          {refused.join(" ")}
        </span>
      </p>
      {children}
    </div>
  );
}
