import { useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { SessionView } from "../../../protocol/index.ts";
import { useMay } from "../../ui/app/connection.tsx";
import { KEYS } from "../app/feed.tsx";
import { filePathIn } from "./file-path.ts";

/** Code in a text that names a file of the workspace leads to it. */
export function FileLink({ text, children }: { readonly text: string; readonly children: ReactNode }): ReactNode {
  const place = useWorkspacePlace();
  const path = place === undefined ? undefined : filePathIn(text, place.workspace);
  if (path === undefined || place === undefined) return children;
  return (
    <Link
      to="/sessions/$sessionId/files"
      params={{ sessionId: place.sessionId }}
      search={{ path }}
      className="underline decoration-dotted underline-offset-2 hover:text-accent"
    >
      {children}
    </Link>
  );
}

interface WorkspacePlace {
  readonly sessionId: string;
  /** Absolute. Absent: not known yet. */
  readonly workspace: string | undefined;
}

/** The session of this page, and its workspace. Undefined: there is none, or its files may not be looked at. */
export function useWorkspacePlace(): WorkspacePlace | undefined {
  const { sessionId } = useParams({ strict: false });
  const may = useMay("workspace.open");
  const queries = useQueryClient();
  if (!may || sessionId === undefined) return undefined;
  // A session's workspace never changes: what the page has read of it is enough.
  return { sessionId, workspace: queries.getQueryData<SessionView>(KEYS.session(sessionId))?.settings.workspace };
}
