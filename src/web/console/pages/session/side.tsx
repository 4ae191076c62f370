import { Link } from "@tanstack/react-router";
import { type ReactNode } from "react";
import type { LoginProgram, SessionView } from "../../../../protocol/index.ts";
import { GrantList } from "./grants.tsx";
import { modeWords } from "../../transcript/mode-words.ts";
import { Counts } from "../../approval/diff-view.tsx";
import { TodoList } from "../../transcript/todo-list.tsx";
import type { TranscriptView } from "../../transcript/transcript.ts";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { useHasSide } from "../../../ui/media.ts";
import { count, money } from "../../../ui/words.tsx";
import { ContextFill } from "./context-fill.tsx";
import { ContextPart } from "./context-part.tsx";
import { McpServerList, useMcpServers } from "./mcp-servers.tsx";
import { useSessionUsage } from "./use-session-usage.ts";
import { plural, t } from "../../../ui/language/t.ts";

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
  // A phone asks for none of it before somebody wants to see it.
  const hasRoom = useHasSide();
  return (
    <>
      {hasRoom && (
        <aside aria-label={t("About this session")} className="w-72 shrink-0 overflow-y-auto border-s bg-panel p-4">
          <Facts session={session} view={view} />
        </aside>
      )}
      <Dialog open={open} onClose={onClose} title={t("About this session")}>
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
        <Part title={t("The agent’s plan")}>
          <TodoList todos={view.todos} />
        </Part>
      )}
      {files.length > 0 && (
        <Part title={t("Changed files")}>
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
                <Counts added={added} removed={removed} />
              </li>
            ))}
          </ul>
        </Part>
      )}
      {servers.length > 0 && (
        <Part title={t("MCP servers")}>
          <McpServerList servers={servers} />
        </Part>
      )}
      {session.grants.length > 0 && (
        <Part title={t("Allowed for this session")}>
          <GrantList session={session} />
        </Part>
      )}
      <Settings session={session} />
      <ContextPart session={session} />
      <Bill session={session} turns={view.turns} />
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
    [t("Engine"), settings.engine],
    [t("Model"), settings.model],
    [t("Provider"), settings.provider],
    ...(settings.own_login === undefined
      ? []
      : [[t("Login"), t("{program}’s own", { program: LOGIN_TITLES[settings.own_login] })] as const]),
    [
      t("Workspace"),
      <code key="workspace" className="break-all">
        {settings.source ?? settings.workspace}
      </code>,
    ],
    ...(settings.workspace_mode === undefined ? [] : [[t("Works in a"), settings.workspace_mode] as const]),
    ...(settings.review === "at_end" ? [[t("Review"), t("all changes at the end")] as const] : []),
    ...(settings.withheld === undefined
      ? []
      : [
          [
            t("Withheld"),
            plural({ one: "{count} file", other: "{count} files" }, { count: settings.withheld }),
          ] as const,
        ]),
    [
      t("Sandbox"),
      settings.network === undefined
        ? settings.sandbox
        : t("{sandbox}, network {network}", { sandbox: settings.sandbox, network: settings.network }),
    ],
    [t("Profile"), settings.profile],
    [t("Mode"), modeWords(settings)],
    [t("By"), session.created_by.name],
    ...(from === undefined
      ? []
      : [
          [
            t("Forked from"),
            <Link
              key="from"
              to="/sessions/$sessionId"
              params={{ sessionId: from.session_id }}
              className="text-accent underline"
            >
              {t("parent session")}
            </Link>,
          ] as const,
        ]),
  ];
  return (
    <Part title={t("Settings")}>
      <dl className="grid grid-cols-[minmax(5.5rem,auto)_minmax(0,1fr)] gap-x-2 gap-y-1">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-faint">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-2 flex items-center gap-1 text-faint">
        <code className="min-w-0 truncate text-xs">{session.id}</code>
        <CopyButton text={session.id} label={t("Copy the session’s id")} />
      </p>
    </Part>
  );
}

function Bill({
  session,
  turns,
}: {
  readonly session: SessionView;
  readonly turns: TranscriptView["turns"];
}): ReactNode {
  const { data } = useSessionUsage(session);
  const login = session.settings.own_login;
  const bound = data?.bound_microusd ?? session.bound_microusd ?? 0;
  const reserved = data?.reserved_microusd ?? 0;
  const spent = (data?.cost_microusd ?? session.cost_microusd) - bound;
  const { input_tokens, cache_read_tokens, cache_write_tokens } = data ?? session.usage;
  const input = input_tokens + cache_read_tokens + cache_write_tokens;
  return (
    <Part title={t("Usage")}>
      <dl className="grid grid-cols-[minmax(5.5rem,auto)_minmax(0,1fr)] gap-x-2 gap-y-1 tabular-nums">
        <dt className="text-faint">{t("Spent")}</dt>
        <dd>{money(spent)}</dd>
        {reserved > 0 && (
          <>
            <dt className="text-faint">{t("Reserved")}</dt>
            <dd>{money(reserved)}</dd>
          </>
        )}
        {bound + reserved > 0 && (
          <>
            <dt className="text-faint">{t("At most")}</dt>
            <dd
              title={t(
                "Requests that run now, and answers that broke off before the provider said what they used, can have cost no more than this.",
              )}
            >
              {money(spent + bound + reserved)}
            </dd>
          </>
        )}
        {data?.remaining_microusd !== undefined && (
          <>
            <dt className="text-faint">{t("Left")}</dt>
            <dd>{money(data.remaining_microusd)}</dd>
          </>
        )}
        <dt className="text-faint">{t("Tokens")}</dt>
        <dd>
          {t("{input} in, {output} out", {
            input: count(input),
            output: count(data?.output_tokens ?? session.usage.output_tokens),
          })}
        </dd>
        <dt className="text-faint">{t("Requests")}</dt>
        <dd>{count(data?.requests ?? session.usage.model_calls)}</dd>
        <ContextFill session={session} turns={turns} />
      </dl>
      {login !== undefined && (
        <p className="mt-2 text-faint">
          {t(
            "This session uses {login}’s own login, so nobody bills these costs. They are estimates at the prices of the API. Limits count them all the same.",
            { login: LOGIN_TITLES[login] },
          )}
        </p>
      )}
    </Part>
  );
}
