import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { MessageSquare, Send, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import type { LineComment } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Trouble } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { visible } from "../../../ui/visible.ts";
import { plural, t } from "../../../ui/language/t.ts";

/** Comments that wait, and the button that sends them together. */
export function CommentList({
  sessionId,
  comments,
  onRemove,
  onSent,
}: {
  readonly sessionId: string;
  readonly comments: readonly LineComment[];
  readonly onRemove: (at: number) => void;
  readonly onSent: () => void;
}): ReactNode {
  const { client } = useConnection();
  const tell = useTell();
  const navigate = useNavigate();
  const sending = useMutation({
    mutationFn: () => client.reviews.comment(sessionId, { comments: [...comments] }),
    onSuccess: ({ queued }) => {
      tell.ok(queued ? t("Sent. The agent reads it after this turn.") : t("Sent to the agent"));
      onSent();
      void navigate({ to: "/sessions/$sessionId", params: { sessionId } });
    },
  });
  if (comments.length === 0) return null;
  return (
    <section aria-label={t("Your comments")} className="rounded-lg border bg-raised">
      <header className="flex flex-wrap items-center gap-2 border-b px-3 py-2">
        <MessageSquare aria-hidden className="size-4 text-soft" />
        <h2 className="text-sm font-medium">
          {plural(
            { one: "{count} comment, not sent yet", other: "{count} comments, not sent yet" },
            { count: comments.length },
          )}
        </h2>
        <Button
          variant="primary"
          size="small"
          className="ms-auto"
          busy={sending.isPending}
          onClick={() => sending.mutate()}
        >
          <Send aria-hidden className="size-4" /> {t("Send to the agent")}
        </Button>
      </header>
      {sending.error !== null && (
        <div className="p-3">
          <Trouble title={t("Nothing was sent")} error={sending.error} />
        </div>
      )}
      <ul className="divide-y">
        {comments.map(({ path, line, side, quote, text }, at) => (
          <li key={at} className="flex items-start gap-2 px-3 py-2 text-sm">
            <div className="min-w-0 flex-1">
              <code className="break-all text-soft">
                {visible(path)}:{line}
              </code>
              {side === "old" && <span className="text-soft"> {t("(before)")}</span>}
              {quote !== undefined && <code className="block truncate text-faint">{visible(quote)}</code>}
              <p className="break-words whitespace-pre-wrap">{visible(text)}</p>
            </div>
            <Button
              size="icon"
              variant="quiet"
              aria-label={t("Remove the comment on line {line} of {path}", { line, path: visible(path) })}
              onClick={() => onRemove(at)}
            >
              <Trash2 aria-hidden className="size-4" />
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
