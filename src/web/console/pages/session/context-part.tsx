import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import type { SessionContext, SessionView } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { count } from "../../../ui/words.tsx";
import { t } from "../../../ui/language/t.ts";

/** What the workspace tells the agent, and what that costs. Asked for only when somebody looks. */
export function ContextPart({ session }: { readonly session: SessionView }): ReactNode {
  const { client } = useConnection();
  const [open, setOpen] = useState(false);
  const isOver = session.status === "complete" || session.status === "failed";
  const context = useQuery({
    queryKey: ["session-context", session.id, session.turns],
    queryFn: () => client.sessionContext(session.id),
    enabled: open && !isOver,
    retry: false,
  });
  if (isOver) return null;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer text-xs font-semibold tracking-wide text-faint uppercase">
        {t("Workspace instructions")}
      </summary>
      <div className="mt-1.5">
        {context.isError && <p className="text-faint">{t("They cannot be shown now.")}</p>}
        {context.data !== undefined && <LoadedParts context={context.data} />}
      </div>
    </details>
  );
}

function LoadedParts({ context }: { readonly context: SessionContext }): ReactNode {
  return (
    <>
      <LoadedFiles context={context} />
      {context.repository_parts.length > 0 && (
        <ul aria-label={t("Put beside messages that they fit")} className="mt-2 space-y-1 text-xs text-faint">
          {context.repository_parts.map(({ path, from, to, tokens }) => (
            <li key={`${path}:${String(from)}`} className="flex items-baseline gap-2">
              <code
                className="min-w-0 flex-1 truncate"
                title={t("{path}, lines {from} to {to}", { path, from: String(from), to: String(to) })}
              >
                {`${path}:${String(from)}-${String(to)}`}
              </code>
              <span className="tabular-nums">{count(tokens)}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function LoadedFiles({ context }: { readonly context: SessionContext }): ReactNode {
  const { files, left_out: left, file_tokens: tokens } = context;
  if (context.instructions === "off") return <p className="text-faint">{t("Off for this session.")}</p>;
  return (
    <>
      <p className="text-faint">
        {files.length === 0
          ? t("The workspace has none.")
          : t("About {tokens} tokens of each request.", { tokens: count(tokens) })}
      </p>
      <ul className="mt-1 space-y-1">
        {files.map(({ path, kind, tokens: own }) => (
          <li key={path} className="flex items-baseline gap-2">
            <code className="min-w-0 flex-1 truncate text-[13px]" title={`${kind}: ${path}`}>
              {path}
            </code>
            <span className="text-xs text-faint tabular-nums">{count(own)}</span>
          </li>
        ))}
      </ul>
      {left.length > 0 && (
        <ul aria-label={t("Not loaded")} className="mt-2 space-y-1 text-xs text-faint">
          {left.map(({ path, why }, index) => (
            <li key={`${String(index)} ${path}`} className="break-words">
              {path === "" ? why : `${path}: ${why}`}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
