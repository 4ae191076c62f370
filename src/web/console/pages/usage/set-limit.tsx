import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";
import type { SessionView } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { KEYS } from "../../app/feed.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { parseDollars, writeDollars } from "../../../ui/dollars.ts";
import { Field, Input } from "../../../ui/field.tsx";
import { Skeleton, Trouble, wordsOf } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { money, titleOf } from "../../../ui/words.tsx";
import { Budgets } from "./budgets.tsx";
import { t } from "../../../ui/language/t.ts";

const TITLE_CHARS = 60;

function shortTitle(session: SessionView): string {
  const title = titleOf(session);
  return title.length > TITLE_CHARS ? `${title.slice(0, TITLE_CHARS)}…` : title;
}

/** Every account that the session's next request will count on, and its own limit to change. */
export function SetLimit({
  session,
  onClose,
}: {
  readonly session: SessionView;
  readonly onClose: () => void;
}): ReactNode {
  const { client } = useConnection();
  const usage = useQuery({
    queryKey: KEYS.sessionUsage(session.id),
    queryFn: () => client.sessionUsage(session.id),
    staleTime: 0,
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("A session’s limit")}
      description={t("{session}: its forks draw on the same limit.", { session: shortTitle(session) })}
    >
      <div className="space-y-4">
        {usage.isPending && <Skeleton className="h-24" />}
        {usage.error !== null && (
          <Trouble title={t("Its usage could not be read")} error={usage.error} onRetry={() => void usage.refetch()} />
        )}
        {usage.data !== undefined && (
          <Budgets
            budgets={usage.data.budgets}
            nameOf={(id) => (id === session.created_by.id ? session.created_by.name : id)}
          />
        )}
        <LimitForm session={session} onClose={onClose} />
      </div>
    </Dialog>
  );
}

function LimitForm({ session, onClose }: { readonly session: SessionView; readonly onClose: () => void }): ReactNode {
  const { client } = useConnection();
  const queries = useQueryClient();
  const tell = useTell();
  const [text, setText] = useState(session.limit_microusd === undefined ? "" : writeDollars(session.limit_microusd));
  const amount = parseDollars(text);
  const save = useMutation({
    mutationFn: (max_cost_microusd: number) => client.setBudget(session.id, { max_cost_microusd }),
    onSuccess: async (changed) => {
      tell.ok(t("The session may now spend {limit}.", { limit: money(changed.limit_microusd ?? 0) }));
      await Promise.all([
        queries.invalidateQueries({ queryKey: KEYS.usage }),
        queries.invalidateQueries({ queryKey: KEYS.sessionUsage(session.id) }),
      ]);
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (amount !== undefined) save.mutate(amount);
  };
  const wrong =
    text !== "" && amount === undefined
      ? t("Write dollars, such as 2.50; six digits after the point at most.")
      : undefined;
  return (
    <form onSubmit={submit} className="space-y-4">
      <Field
        label={t("The most that it may spend, in dollars")}
        hint={t("A turn that waits for money continues when this is enough.")}
        error={wrong ?? (save.error === null ? undefined : wordsOf(save.error))}
      >
        {(ids) => (
          <Input
            {...ids}
            inputMode="decimal"
            autoFocus
            value={text}
            onChange={(event) => setText(event.target.value)}
            aria-invalid={wrong !== undefined || save.error !== null}
          />
        )}
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{t("Cancel")}</Button>
        <Button type="submit" variant="primary" disabled={amount === undefined} busy={save.isPending}>
          {t("Set the limit")}
        </Button>
      </div>
    </form>
  );
}
