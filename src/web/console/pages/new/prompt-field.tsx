import { useId, useState, type DragEvent, type ReactNode } from "react";
import { LIMITS } from "../../../../protocol/index.ts";
import { AttachmentList } from "../../../ui/attachment-list.tsx";
import { attach, filesOf, type Attached } from "../../../ui/attachments.ts";
import { classes } from "../../../ui/classes.ts";
import { FilePicker } from "../../../ui/file-picker.tsx";
import { useIsDesktop } from "../../../ui/media.ts";
import { Wrong, type PartProps } from "./parts.tsx";
import { t } from "../../../ui/language/t.ts";

/** The field's name in the form. */
export const PROMPT = "prompt";

interface PromptFieldProps extends PartProps {
  readonly attached: readonly Attached[];
  readonly onAttached: (attached: readonly Attached[]) => void;
}

/** What the agent should do, with files by drop, paste or picker. */
export function PromptField({ draft, change, problems, attached, onAttached }: PromptFieldProps): ReactNode {
  const id = useId();
  // On a phone the keyboard would cover the page.
  const isDesktop = useIsDesktop();
  const [refused, setRefused] = useState<readonly string[]>([]);
  const take = (files: readonly File[]): void => {
    if (files.length === 0) return;
    void attach(attached, files).then((taken) => {
      onAttached(taken.attached);
      setRefused(taken.refused);
    });
  };
  return (
    <DropZone onFiles={take}>
      <label htmlFor={id} className="mb-2 block text-base font-semibold">
        {t("What should the agent do?")}
      </label>
      <textarea
        id={id}
        name={PROMPT}
        autoFocus={isDesktop}
        rows={3}
        maxLength={LIMITS.promptChars}
        value={draft.prompt}
        aria-invalid={problems.prompt !== undefined}
        aria-describedby={`${id}-wrong`}
        placeholder={t("Describe the task. The more detail, the fewer questions.")}
        className="field-sizing-content max-h-[50dvh] min-h-24 w-full resize-y rounded-lg border border-line-strong/60 bg-raised px-3 py-2.5 text-[0.95rem] leading-relaxed placeholder:text-faint aria-invalid:border-bad"
        onChange={(event) => change({ prompt: event.target.value })}
        onPaste={(event) => {
          const files = filesOf(event.clipboardData);
          if (files.length > 0) event.preventDefault();
          take(files);
        }}
      />
      <div className="mt-2 space-y-2">
        <AttachmentList
          attached={attached}
          onRemove={(gone) => onAttached(attached.filter((one) => one.id !== gone))}
        />
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-faint">
          <FilePicker onFiles={take} /> {t("or drop and paste images and text files")}
          <span className="ms-auto max-md:sr-only">{t("Enter starts, Shift+Enter adds a line.")}</span>
        </div>
        <div id={`${id}-wrong`} aria-live="polite" className="space-y-1">
          <Wrong text={problems.prompt ?? problems.attachments} />
          {refused.map((words) => (
            <p key={words} className="text-sm text-warn">
              {words}
            </p>
          ))}
        </div>
      </div>
    </DropZone>
  );
}

function DropZone({
  onFiles,
  children,
}: {
  readonly onFiles: (files: readonly File[]) => void;
  readonly children: ReactNode;
}): ReactNode {
  const [over, setOver] = useState(false);
  const drag = (event: DragEvent, inside: boolean): void => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    setOver(inside);
  };
  return (
    <section
      aria-label={t("Prompt")}
      className={classes("rounded-xl border bg-raised p-4", over && "border-accent! ring-2 ring-accent/40")}
      onDragOver={(event) => drag(event, true)}
      onDragLeave={(event) => drag(event, false)}
      onDrop={(event) => {
        drag(event, false);
        onFiles(filesOf(event.dataTransfer));
      }}
    >
      {children}
    </section>
  );
}
