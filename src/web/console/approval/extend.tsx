import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Approval } from "../../../protocol/index.ts";
import { useConnection, useMay } from "../../ui/app/connection.tsx";
import { Button } from "../../ui/button.tsx";
import { useTell } from "../../ui/toasts.tsx";
import { KEYS } from "../app/feed.tsx";
import { t } from "../../ui/language/t.ts";

const MINUTE_MS = 60_000;

/** "5 min", "1 h" */
function spanOf({ created_at, expires_at }: Approval): string {
  const minutes = Math.max(1, Math.round((Date.parse(expires_at ?? created_at) - Date.parse(created_at)) / MINUTE_MS));
  return minutes % 60 === 0
    ? t("{hours} h", { hours: minutes / 60 })
    : t("{minutes} min", { minutes: Math.min(minutes, 60) });
}

/** More time for a question. */
export function ExtendButton({ approval }: { readonly approval: Approval }): ReactNode {
  const { client } = useConnection();
  const queries = useQueryClient();
  const tell = useTell();
  const may = useMay("approval.decide");
  const { mutate, isPending } = useMutation({
    mutationFn: () => client.inbox.extend(approval.id),
    onSuccess: (extended) => queries.setQueryData(KEYS.approval(approval.id), extended),
    onError: (error) => tell.bad(error.message),
  });
  if (!may || approval.expires_at === undefined || approval.preview.type === "network") return null;
  return (
    <Button
      size="small"
      variant="quiet"
      busy={isPending}
      title={t("Restart the clock: {span}", { span: spanOf(approval) })}
      onClick={() => mutate()}
    >
      {t("Extend")}
    </Button>
  );
}

/** Lets the agent make a call again whose question expired. */
export function AskAgainButton({ approval }: { readonly approval: Approval }): ReactNode {
  const { client } = useConnection();
  const tell = useTell();
  const may = useMay("session.control");
  const { mutate, isPending, isSuccess } = useMutation({
    mutationFn: () => client.inbox.askAgain(approval.id),
    onSuccess: ({ queued }) =>
      tell.ok(queued ? t("The agent will be told when this turn ends.") : t("The agent was told to ask again.")),
    onError: (error) => tell.bad(error.message),
  });
  if (!may || isSuccess) return null;
  return (
    <Button size="small" variant="primary" busy={isPending} onClick={() => mutate()}>
      {t("Ask again")}
    </Button>
  );
}
