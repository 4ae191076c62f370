import { Link } from "@tanstack/react-router";
import { type ReactNode } from "react";
import type { LoginProgram, SessionView } from "../../../../protocol/index.ts";
import { GrantList } from "./grants.tsx";
import { TodoList } from "../../transcript/todo-list.tsx";
import type { TranscriptView } from "../../transcript/transcript.ts";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { count, money } from "../../../ui/words.tsx";
import { ContextPart } from "./context-part.tsx";
import { McpServerList, useMcpServers } from "./mcp-servers.tsx";
import { useSessionUsage } from "./use-session-usage.ts";

/** Beside the conversation: the plan, the changed files, the settings, the bill. On narrow screens a separate window. */
export function Side({
  session,
  view,
  open,
  onClose,
}: {
  readonly session: SessionView;
  readonly view: TranscriptView;
  readonly open: boolean;
  readonly onClose: () => void;
}): ReactNode {
  return (
    <>
      <aside
        aria-label="About this session"
        className="hidden w-72 shrink-0 overflow-y-auto border-l bg-panel p-4 lg:block"
      >
        <Facts session={session} view={view} />
      </aside>
      <Dialog open={open} onClose={onClose} title="About this session">
        <Facts session={session} view={view} />
      </Dialog>
    </>
  );
}

function Facts({ session, view }: { readonly session: SessionView; readonly view: TranscriptView }): ReactNode {
  const { files } = view;
  const servers = useMcpServers(session);
  return (
    <div className="space-y-5 text-sm">
      {view.todos.length > 0 && (
        <Part title="Plan">
          <TodoList todos={view.todos} />
        </Part>
      )}
      {files.length > 0 && (
        <Part title="Changed files">
          <ul className="space-y-1">
            {files.map(({ path, added, removed, item }) => (
              <li key={path} className="flex items-baseline gap-2">
                <a
                  href={`#seq-${String(view.items.get(item)?.seq ?? 0)}`}
                  className="min-w-0 flex-1 truncate font-mono text-[13px] underline decoration-line-strong"
                  title={path}
                >
                  {shortPath(path, session.settings.workspace)}
                </a>
                <span className="text-xs text-ok">+{added}</span>
                <span className="text-xs text-bad">−{removed}</span>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {servers.length > 0 && (
        <Part title="MCP servers">
          <McpServerList servers={servers} />
        </Part>
      )}
      {session.grants.length > 0 && (
        <Part title="Allowed for this session">
          <GrantList session={session} />
        </Part>
      )}
      <Settings session={session} />
      <ContextPart session={session} />
      <Bill session={session} />
    </div>
  );
}

const LOGIN_TITLES: Readonly<Record<LoginProgram, string>> = { claude: "Claude Code", codex: "Codex" };

function shortPath(path: string, workspace: string): string {
  return path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <section>
      <h2 className="mb-1.5 text-xs font-semibold tracking-wide text-faint uppercase">{title}</h2>
      {children}
    </section>
  );
}

function Settings({ session }: { readonly session: SessionView }): ReactNode {
  const { settings, forked_from: from } = session;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["Engine", settings.engine],
    ["Model", settings.model],
    ["Provider", settings.provider],
    ...(settings.own_login === undefined ? [] : [["Login", `${LOGIN_TITLES[settings.own_login]}’s own`] as const]),
    [
      "Workspace",
      <code key="workspace" className="break-all">
        {settings.source ?? settings.workspace}
      </code>,
    ],
    ...(settings.workspace_mode === undefined ? [] : [["Works in a", settings.workspace_mode] as const]),
    ...(settings.review === "at_end" ? [["Review", "all changes at the end"] as const] : []),
    ...(settings.withheld === undefined
      ? []
      : [["Withheld", `${String(settings.withheld)} ${settings.withheld === 1 ? "file" : "files"}`] as const]),
    ["Sandbox", settings.network === undefined ? settings.sandbox : `${settings.sandbox}, network ${settings.network}`],
    ["Profile", settings.profile],
    ["Autonomy", settings.permission_mode ?? settings.autonomy],
    ["By", session.created_by.name],
    ...(from === undefined
      ? []
      : [
          [
            "Forked from",
            <Link
              key="from"
              to="/sessions/$sessionId"
              params={{ sessionId: from.session_id }}
              className="text-accent underline"
            >
              parent session
            </Link>,
          ] as const,
        ]),
  ];
  return (
    <Part title="Settings">
      <dl className="grid grid-cols-[5.5rem_1fr] gap-x-2 gap-y-1">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-faint">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-2 flex items-center gap-1 text-faint">
        <code className="min-w-0 truncate text-xs">{session.id}</code>
        <CopyButton text={session.id} label="Copy the session’s id" />
      </p>
    </Part>
  );
}

function Bill({ session }: { readonly session: SessionView }): ReactNode {
  const { data } = useSessionUsage(session);
  const login = session.settings.own_login;
  const bound = data?.bound_microusd ?? session.bound_microusd ?? 0;
  const reserved = data?.reserved_microusd ?? 0;
  const spent = (data?.cost_microusd ?? session.cost_microusd) - bound;
  const { input_tokens, cache_read_tokens, cache_write_tokens } = data ?? session.usage;
  const input = input_tokens + cache_read_tokens + cache_write_tokens;
  return (
    <Part title="Usage">
      <dl className="grid grid-cols-[5.5rem_1fr] gap-x-2 gap-y-1 tabular-nums">
        <dt className="text-faint">Spent</dt>
        <dd>{money(spent)}</dd>
        {reserved > 0 && (
          <>
            <dt className="text-faint">Reserved</dt>
            <dd>{money(reserved)}</dd>
          </>
        )}
        {bound + reserved > 0 && (
          <>
            <dt className="text-faint">At most</dt>
            <dd title="Requests that run now, and answers that broke off before the provider said what they used, can have cost no more than this.">
              {money(spent + bound + reserved)}
            </dd>
          </>
        )}
        {data?.remaining_microusd !== undefined && (
          <>
            <dt className="text-faint">Left</dt>
            <dd>{money(data.remaining_microusd)}</dd>
          </>
        )}
        <dt className="text-faint">Tokens</dt>
        <dd>
          {count(input)} in, {count(data?.output_tokens ?? session.usage.output_tokens)} out
        </dd>
        <dt className="text-faint">Requests</dt>
        <dd>{count(data?.requests ?? session.usage.model_calls)}</dd>
      </dl>
      {login !== undefined && (
        <p className="mt-2 text-faint">
          This session uses {LOGIN_TITLES[login]}’s own login, so nobody bills these costs. They are estimates at the
          prices of the API. Limits count them all the same.
        </p>
      )}
    </Part>
  );
}
