import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ChevronLeft } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { SessionView } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { useTitle } from "../../../ui/app/page-title.ts";
import { Button } from "../../../ui/button.tsx";
import { NotPermitted } from "../../../ui/not-permitted.tsx";
import { Note, Skeleton, Trouble } from "../../../ui/states.tsx";
import { visible } from "../../../ui/visible.ts";
import { titleOf } from "../../../ui/words.tsx";
import { KEYS } from "../../app/feed.tsx";
import { TerminalScreen } from "./screen.tsx";
import { rich, t } from "../../../ui/language/t.ts";

/** A terminal for a person, among the processes of a session. */
export function TerminalPage(): ReactNode {
  const { sessionId } = useParams({ from: "/sessions/$sessionId/terminal" });
  const { client } = useConnection();
  const may = useMay("shell.use");
  const session = useQuery({ queryKey: KEYS.session(sessionId), queryFn: () => client.session(sessionId) });
  useTitle(t("Terminal"));
  return (
    <div className="mx-auto flex h-full w-full max-w-7xl flex-col gap-3 p-4 md:px-8">
      <header>
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId }}
          className="inline-flex max-w-full items-center gap-1 text-sm text-accent underline"
        >
          <ChevronLeft aria-hidden className="size-4 shrink-0" />
          <span className="truncate">
            {session.data === undefined ? t("To the session") : visible(titleOf(session.data))}
          </span>
        </Link>
        <h1 className="mt-1 text-xl font-semibold">{t("Terminal")}</h1>
      </header>
      {!may && <NotPermitted what={t("Terminals")} roles={t("admin or operator")} />}
      {may && session.isPending && <Skeleton className="h-64" />}
      {session.error !== null && (
        <Trouble title={t("Can’t load the session")} error={session.error} onRetry={() => void session.refetch()} />
      )}
      {may && session.data !== undefined && <OneTerminal session={session.data} />}
    </div>
  );
}

function OneTerminal({ session }: { readonly session: SessionView }): ReactNode {
  // Another number is another terminal.
  const [number, setNumber] = useState(1);
  const [end, setEnd] = useState<string>();
  const { sandbox, workspace } = session.settings;
  return (
    <>
      <Note tone={sandbox === "local" ? "warn" : "plain"}>
        {sandbox === "local"
          ? t("There are no walls: commands run as the server’s user, with all that this user may do.")
          : t("Commands run in the session’s sandbox ({sandbox}), like those of the agent.", { sandbox })}{" "}
        {rich(
          "You start in {folder}. What the terminal shows is recorded in the audit. It ends when you leave this page.",
          { folder: <code className="break-all">{visible(workspace)}</code> },
        )}
      </Note>
      {end !== undefined && (
        <p role="status" className="flex flex-wrap items-center gap-3 text-sm">
          <span>{end}</span>
          <Button
            size="small"
            onClick={() => {
              setEnd(undefined);
              setNumber(number + 1);
            }}
          >
            {t("Open another terminal")}
          </Button>
        </p>
      )}
      <TerminalScreen key={number} session={session.id} onEnd={setEnd} />
    </>
  );
}
