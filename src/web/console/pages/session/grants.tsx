import { useMutation, useQueryClient } from "@tanstack/react-query";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import type { SessionView } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { visibleCommand } from "../../../ui/visible.ts";
import { sessionChanged } from "../../app/feed.tsx";
import { t } from "../../../ui/language/t.ts";

/** The rules that people granted for this session. Taking one back counts at once. */
export function GrantList({ session }: { readonly session: SessionView }): ReactNode {
  const { client } = useConnection();
  const queries = useQueryClient();
  const tell = useTell();
  const may = useMay("session.control");
  const { mutate } = useMutation({
    mutationFn: (rule: string) => client.inbox.revoke(session.id, { rule }),
    onSuccess: (changed, rule) => {
      sessionChanged(queries, changed);
      tell.ok(t("{rule} was taken back. It is asked about again.", { rule }));
    },
    onError: (error) => tell.bad(error.message),
  });
  return (
    <ul className="space-y-1">
      {session.grants.map((rule) => (
        <li key={rule} className="flex items-start gap-1">
          <code className="min-w-0 flex-1 text-sm break-all">{visibleCommand(rule)}</code>
          {may && (
            <button
              type="button"
              aria-label={t("Take back {rule}", { rule })}
              title={t("Take back")}
              onClick={() => mutate(rule)}
              className="grid size-6 shrink-0 place-items-center rounded text-soft hover:bg-sunken hover:text-ink"
            >
              <X aria-hidden className="size-4" />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
