import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type KeyboardEvent, type ReactNode } from "react";
import { LIMITS } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { TextArea } from "../../../ui/field.tsx";
import { Skeleton, Trouble } from "../../../ui/states.tsx";
import { sessionChanged } from "../../app/feed.tsx";
import { t } from "../../../ui/language/t.ts";

/** Changes a prompt that waits. The list has only its beginning, so it is read first. */
export function QueueEditor({
  session,
  turn,
  onClose,
}: {
  readonly session: string;
  readonly turn: string;
  readonly onClose: () => void;
}): ReactNode {
  const { client } = useConnection();
  const queued = useQuery({
    queryKey: ["queued", session, turn],
    queryFn: () => client.queue.get(session, turn),
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  });
  if (queued.error !== null)
    return <Trouble title={t("Can’t edit this prompt")} error={queued.error} onRetry={() => void queued.refetch()} />;
  if (queued.data === undefined) return <Skeleton className="h-20" />;
  return <PromptForm session={session} turn={turn} first={queued.data.prompt.text} onClose={onClose} />;
}

function PromptForm({
  session,
  turn,
  first,
  onClose,
}: {
  readonly session: string;
  readonly turn: string;
  readonly first: string;
  readonly onClose: () => void;
}): ReactNode {
  const { client } = useConnection();
  const queries = useQueryClient();
  const [text, setText] = useState(first);
  const save = useMutation({
    mutationFn: () => client.queue.edit(session, turn, text),
    onSuccess: (changed) => {
      sessionChanged(queries, changed);
      onClose();
    },
  });
  const isEmpty = text.trim() === "";
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") onClose();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !isEmpty) save.mutate();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <form
      className="space-y-2 py-1"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <TextArea
        autoFocus
        aria-label={t("Queued prompt")}
        rows={3}
        maxLength={LIMITS.promptChars}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
      />
      {save.error !== null && <Trouble title={t("Not saved")} error={save.error} />}
      <div className="flex justify-end gap-2">
        <Button size="small" onClick={onClose}>
          {t("Cancel")}
        </Button>
        <Button size="small" type="submit" variant="primary" busy={save.isPending} disabled={isEmpty}>
          {t("Save")}
        </Button>
      </div>
    </form>
  );
}
