import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import { LIMITS, type LabelSession, type SessionView } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Field, Input } from "../../../ui/field.tsx";
import { Trouble, wordsOf } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { sessionChanged } from "../../app/feed.tsx";
import { t } from "../../../ui/language/t.ts";

/** A session's name and tags. */
export function LabelDialog({
  session,
  onClose,
}: {
  readonly session: SessionView;
  readonly onClose: () => void;
}): ReactNode {
  const [title, setTitle] = useState(session.title);
  const [tags, setTags] = useState((session.tags ?? []).join(" "));
  const { save, error, busy } = useLabel(session.id, onClose);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const list = [
      ...new Set(
        tags
          .split(/[\s,]+/)
          .map((tag) => tag.replace(/^#/, ""))
          .filter(Boolean),
      ),
    ];
    save({ title: title.trim(), tags: list });
  };
  return (
    <Dialog open onClose={onClose} title={t("Rename and tag")}>
      <form onSubmit={submit} className="space-y-4">
        <Field label={t("Title")} hint={t("Leave it empty to use the first prompt.")}>
          {(ids) => (
            <Input
              {...ids}
              autoFocus
              maxLength={LIMITS.titleChars}
              value={title}
              onChange={(event) => setTitle(event.target.value)}
            />
          )}
        </Field>
        <Field label={t("Tags")} hint={t("Separated by blanks.")}>
          {(ids) => <Input {...ids} value={tags} onChange={(event) => setTags(event.target.value)} />}
        </Field>
        {error !== null && <Trouble title={t("Not saved")} error={error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button type="submit" variant="primary" busy={busy}>
            {t("Save")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Saves a label, and says so where it is another session than the one that is looked at. */
export function useLabel(
  id: string,
  onDone: () => void = () => undefined,
): { readonly save: (label: LabelSession) => void; readonly busy: boolean; readonly error: Error | null } {
  const { client } = useConnection();
  const queries = useQueryClient();
  const tell = useTell();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (label: LabelSession) => client.inbox.label(id, label),
    onSuccess: (changed, { archived }) => {
      sessionChanged(queries, changed);
      if (archived !== undefined) tell.ok(archived ? t("Archived") : t("Taken back from the archive"));
      onDone();
    },
    onError: (failure) => tell.bad(wordsOf(failure)),
  });
  return { save: mutate, busy: isPending, error };
}
