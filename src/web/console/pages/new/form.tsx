import { Bookmark } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import type { Template } from "../../../../protocol/index.ts";
import type { Attached } from "../../../ui/attachments.ts";
import { Button } from "../../../ui/button.tsx";
import { enterSends } from "../../../ui/media.ts";
import { Advanced } from "./advanced.tsx";
import { useStart, type StartState } from "./data.ts";
import { EMPTY, type Draft } from "./draft.ts";
import { useDraft } from "./draft-store.ts";
import type { PartProps } from "./parts.tsx";
import { PermissionField } from "./permission-field.tsx";
import { PROMPT, PromptField } from "./prompt-field.tsx";
import { SaveTemplateButton } from "./save-template.tsx";
import { WorkspaceField } from "./workspace-field.tsx";
import { rich, t } from "../../../ui/language/t.ts";

export function NewForm({ template }: { readonly template: Template | undefined }): ReactNode {
  const { draft, change: keep } = useDraft();
  const [attached, setAttached] = useState<readonly Attached[]>([]);
  const starting = useStart();
  const form = useRef<HTMLFormElement>(null);
  useShownProblem(form, starting);
  const change = (one: Partial<Draft>): void => {
    keep(one);
    // A field's mistake is cleared once the field changes.
    const changed = new Set<string>([...Object.keys(one), "form"]);
    starting.setProblems(
      Object.fromEntries(Object.entries(starting.problems).filter(([field]) => !changed.has(field))),
    );
  };
  const submit = (): void => starting.start(draft, attached);
  const onKeyDown = (event: KeyboardEvent): void => {
    // In the prompt Enter alone starts, as it sends everywhere else.
    const isSent = event.target instanceof HTMLTextAreaElement && event.target.name === PROMPT && !event.shiftKey;
    const isForced = event.ctrlKey || event.metaKey;
    if (event.key !== "Enter" || event.nativeEvent.isComposing || starting.busy) return;
    if (!isForced && !(isSent && enterSends())) return;
    event.preventDefault();
    submit();
  };
  const part: PartProps = { draft, change, problems: starting.problems };
  return (
    <form
      ref={form}
      noValidate
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className="space-y-4">
        <PromptField {...part} attached={attached} onAttached={setAttached} />
        <section aria-label={t("Where and how")} className="space-y-4 rounded-xl border bg-raised p-4">
          <WorkspaceField {...part} />
          <PermissionField {...part} />
        </section>
        <Advanced {...part} />
      </div>
      <Footer starting={starting} draft={draft} attached={attached.length} template={template} />
    </form>
  );
}

/** The first wrong field gets the focus, so that it is seen and read out. */
function useShownProblem(form: { readonly current: HTMLFormElement | null }, { problems }: StartState): void {
  useEffect(() => {
    if (Object.keys(problems).length === 0) return;
    const described = form.current?.querySelector<HTMLElement>("[aria-invalid=true]");
    const shown = described ?? form.current?.querySelector<HTMLElement>(".text-bad");
    shown?.scrollIntoView({ block: "center" });
    if (described !== null) described?.focus();
  }, [problems, form]);
}

/** Always visible: the start button, and what prevents it. */
function Footer({
  starting,
  draft,
  attached,
  template,
}: {
  readonly starting: StartState;
  readonly draft: Draft;
  readonly attached: number;
  readonly template: Template | undefined;
}): ReactNode {
  const clear = useDraft((kept) => kept.start);
  const wrong = Object.values(starting.problems);
  return (
    <div className="sticky bottom-(--below) z-20 -mx-4 mt-4 flex flex-wrap items-center justify-end gap-2 border-t bg-paper px-4 py-3 md:-mx-8 md:px-8">
      <p role="alert" className="min-w-0 flex-1 basis-60 text-sm break-words text-bad empty:hidden">
        {starting.problems.form ?? (wrong.length > 0 ? wrong[0] : undefined)}
      </p>
      {JSON.stringify(draft) !== JSON.stringify(EMPTY) && (
        <Button variant="quiet" onClick={() => clear(EMPTY, template?.id)}>
          {t("Clear")}
        </Button>
      )}
      <SaveTemplateButton draft={draft} attached={attached} template={template} onProblems={starting.setProblems}>
        <Bookmark aria-hidden className="size-4" /> <span className="max-sm:sr-only">{t("Save as template")}</span>
      </SaveTemplateButton>
      <Button type="submit" variant="primary" busy={starting.busy} aria-keyshortcuts="Enter Control+Enter Meta+Enter">
        {rich("Start session {keys}", {
          keys: <kbd className="rounded border border-accent-ink/40 px-1 text-xs max-md:hidden">⏎</kbd>,
        })}
      </Button>
    </div>
  );
}
