import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { showHidden, type McpServerState, type McpServerView, type SessionView } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { KEYS } from "../../app/feed.tsx";
import { plural, t } from "../../../ui/language/t.ts";

/** Changes of servers are not sent live: this is the polling interval while the session works. */
const WORKING_MS = 4_000;

const STATES: Readonly<Record<McpServerState, { readonly label: string; readonly colour: string }>> = {
  waiting: { label: t("starts with the next turn"), colour: "text-faint" },
  starting: { label: t("starting"), colour: "text-warn" },
  ready: { label: t("ready"), colour: "text-ok" },
  restarting: { label: t("ended, starting again"), colour: "text-warn" },
  failed: { label: t("failed"), colour: "text-bad" },
  refused: { label: t("not allowed"), colour: "text-bad" },
};

/** The MCP servers of a session, reloaded when it began or ended a turn. */
export function useMcpServers(session: SessionView): readonly McpServerView[] {
  const { client } = useConnection();
  const { data } = useQuery({
    queryKey: [...KEYS.sessionMcpServers(session.id), session.turns, session.status],
    queryFn: () => client.sessionMcpServers(session.id),
    placeholderData: (before) => before,
    refetchInterval: session.status === "working" ? WORKING_MS : false,
  });
  return data?.servers ?? [];
}

/** Each server with its state, its last failure, and its tools behind a fold. */
export function McpServerList({ servers }: { readonly servers: readonly McpServerView[] }): ReactNode {
  return (
    <ul className="space-y-2">
      {servers.map((server) => (
        <li key={server.name}>
          <Server server={server} />
        </li>
      ))}
    </ul>
  );
}

function Server({ server }: { readonly server: McpServerView }): ReactNode {
  const { name, state, error, tools, left_out: leftOut = [], transport } = server;
  const { label, colour } = STATES[state];
  return (
    <>
      <p className="flex items-baseline gap-2">
        <span className="min-w-0 flex-1 truncate font-mono text-[13px]" title={`${name} (${transport})`}>
          {name}
        </span>
        <span className={`text-xs ${colour}`}>{label}</span>
      </p>
      {error !== undefined && <p className="text-xs break-words text-bad">{showHidden(error, "content")}</p>}
      {tools.length + leftOut.length > 0 && (
        <details className="text-xs text-faint">
          <summary className="cursor-pointer">
            {plural({ one: "{count} tool", other: "{count} tools" }, { count: tools.length })}
            {leftOut.length > 0 && (
              <>, {plural({ one: "{count} left out", other: "{count} left out" }, { count: leftOut.length })}</>
            )}
          </summary>
          <ul className="mt-1 space-y-0.5">
            {tools.map((tool) => (
              <li key={tool.name} className="flex gap-2">
                <code className="min-w-0 flex-1 break-all">{tool.name.slice(`mcp__${name}__`.length)}</code>
                <span>{tool.tier}</span>
              </li>
            ))}
            {leftOut.map((line) => (
              <li key={line} className="break-words text-bad">
                {showHidden(line, "content")}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
