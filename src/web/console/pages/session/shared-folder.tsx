import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { SessionView } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Note } from "../../../ui/states.tsx";
import { visible } from "../../../ui/visible.ts";
import { titleOf } from "../../../ui/words.tsx";
import { KEYS } from "../../app/feed.tsx";
import { EMPTY } from "../new/draft.ts";
import { useDraft } from "../new/draft-store.ts";
import { sharers } from "./sharers.ts";
import { plural, rich, t } from "../../../ui/language/t.ts";

const LOOKED_AT = 50;

/** Warns when another session works in the same folder at the same time, and offers a worktree. Where the window is low, answers need its place. */
export function SharedFolder({ session }: { readonly session: SessionView }): ReactNode {
  const { client } = useConnection();
  const navigate = useNavigate();
  const may = useMay("session.create");
  const { workspace, workspace_mode } = session.settings;
  const isDirect = workspace_mode === undefined || workspace_mode === "direct";
  const { data } = useQuery({
    // Below the lists: the feed has them read again.
    queryKey: [...KEYS.session(session.id), "shared-folder", session.status],
    queryFn: () => client.sessions({ workspace, limit: LOOKED_AT }),
    enabled: isDirect && session.turn_id !== undefined,
    staleTime: 0,
  });
  const [other, ...more] = sharers(session, data?.sessions ?? []);
  if (other === undefined) return null;
  const link = (
    <Link to="/sessions/$sessionId" params={{ sessionId: other.id }} className="underline">
      {visible(titleOf(other))}
    </Link>
  );
  return (
    <Note tone="warn" role="status" className="m-3 flex flex-wrap items-center gap-2 max-sm:m-2 short:hidden">
      <span className="min-w-0 flex-1">
        {more.length === 0
          ? rich("{session} works in this folder too. They see and may overwrite each other’s changes.", {
              session: link,
            })
          : rich("{session} and {others} work in this folder too. They see and may overwrite each other’s changes.", {
              session: link,
              others: plural({ one: "{count} more", other: "{count} more" }, { count: more.length }),
            })}
      </span>
      {may && (
        <Button
          size="small"
          onClick={() => {
            useDraft.getState().start({ ...EMPTY, workspace, workspaceMode: "worktree" }, undefined);
            void navigate({ to: "/new" });
          }}
        >
          {t("Start one in a worktree")}
        </Button>
      )}
    </Note>
  );
}
