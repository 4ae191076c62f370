import type { KeyboardEvent, ReactNode, RefObject } from "react";
import type { SessionView } from "../../../../protocol/index.ts";
import { useIsDesktop } from "../../../ui/media.ts";
import { Skeleton } from "../../../ui/states.tsx";
import { Ago } from "../../../ui/words.tsx";
import type { SessionActions } from "./data.ts";
import { RowMenu } from "./row-menu-button.tsx";
import { Cost, Forked, State, TitleLink, Workspace } from "./row-parts.tsx";
import { t } from "../../../ui/language/t.ts";

const HEAD = "px-3 py-2 text-start font-medium whitespace-nowrap";
const CELL = "px-3 py-2 align-middle";
const ROWS_WHILE_LOADING = 8;

interface ListProps {
  readonly sessions: readonly SessionView[];
  readonly actions: SessionActions;
  readonly place: RefObject<HTMLDivElement | null>;
}

/** A table where there is room, cards on a phone. The arrows go from one to the next. */
export function SessionList({ sessions, actions, place }: ListProps): ReactNode {
  const isDesktop = useIsDesktop();
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    if (!(event.target instanceof HTMLAnchorElement)) return;
    event.preventDefault();
    moveFocus(place.current, event.key === "ArrowDown" ? 1 : -1);
  };
  return (
    <div ref={place} onKeyDown={onKeyDown}>
      {isDesktop ? <Table sessions={sessions} actions={actions} /> : <Cards sessions={sessions} actions={actions} />}
    </div>
  );
}

/** To the next session, or the one before; from outside the list to its first. */
export function moveFocus(list: HTMLElement | null, by: 1 | -1): void {
  const links = [...(list?.querySelectorAll<HTMLAnchorElement>("a[data-session]") ?? [])];
  const at = links.findIndex((link) => link === document.activeElement);
  const next = links[at === -1 ? 0 : Math.min(links.length - 1, Math.max(0, at + by))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function Table({ sessions, actions }: Omit<ListProps, "place">): ReactNode {
  return (
    <TableFrame>
      {sessions.map((session) => (
        <tr key={session.id} className="relative hover:bg-panel">
          <td className={CELL}>
            <TitleLink session={session} className="line-clamp-1 break-all" />
            <span className="flex items-center gap-2 text-xs text-faint">
              <Workspace session={session} /> <Forked session={session} />
            </span>
          </td>
          <td className={CELL}>
            <State session={session} />
          </td>
          <td className={CELL}>
            <span className="line-clamp-1">{session.settings.engine}</span>
            <span className="line-clamp-1 text-xs break-all text-faint" title={session.settings.model}>
              {session.settings.model}
            </span>
          </td>
          <td className={`${CELL} text-end`}>
            <Cost session={session} isColumn />
          </td>
          <td className={CELL}>
            <span className="line-clamp-1 break-all text-soft" title={session.created_by.name}>
              {session.created_by.name}
            </span>
          </td>
          <td className={`${CELL} whitespace-nowrap text-soft`}>
            <Ago at={session.updated_at} />
          </td>
          <td className="py-2 pe-2 text-end align-middle">
            <RowMenu session={session} actions={actions} />
          </td>
        </tr>
      ))}
    </TableFrame>
  );
}

function TableFrame({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div className="overflow-hidden rounded-xl border bg-raised">
      <table className="w-full table-fixed text-sm">
        <caption className="sr-only">{t("Sessions, newest first")}</caption>
        <thead className="border-b bg-panel text-xs text-soft">
          <tr>
            <th className={HEAD}>{t("Session")}</th>
            <th className={`${HEAD} w-36`}>{t("State")}</th>
            <th className={`${HEAD} w-32 2xl:w-44`}>{t("Engine, model")}</th>
            <th className={`${HEAD} w-32 text-end!`}>{t("Cost")}</th>
            <th className={`${HEAD} w-28 2xl:w-36`}>{t("Created by")}</th>
            <th className={`${HEAD} w-32`}>{t("Last activity")}</th>
            <th className="w-11">
              <span className="sr-only">{t("Actions")}</span>
            </th>
          </tr>
        </thead>
        <tbody className="divide-y">{children}</tbody>
      </table>
    </div>
  );
}

function Cards({ sessions, actions }: Omit<ListProps, "place">): ReactNode {
  return (
    <ul className="space-y-2">
      {sessions.map((session) => (
        <li key={session.id} className="relative rounded-xl border bg-raised p-3 pe-2">
          <div className="flex items-start gap-2">
            <TitleLink session={session} className="line-clamp-2 min-w-0 flex-1 pt-1 leading-snug break-words" />
            <RowMenu session={session} actions={actions} />
          </div>
          <div className="mt-1.5 flex flex-wrap items-center justify-between gap-x-3 gap-y-1 pe-1 text-sm">
            <State session={session} />
            <Cost session={session} />
          </div>
          <div className="mt-1.5 flex items-center justify-between gap-3 pe-1 text-xs text-faint">
            <span dir="auto" className="min-w-0 truncate">
              {session.settings.engine} · {session.settings.model} · {session.created_by.name}
            </span>
            <span className="shrink-0">
              <Ago at={session.updated_at} />
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** As high as what comes. */
export function ListSkeleton(): ReactNode {
  const isDesktop = useIsDesktop();
  const lines = Array.from({ length: ROWS_WHILE_LOADING }, (_, index) => index);
  if (!isDesktop) {
    return (
      <div role="status" aria-label={t("Loading sessions")} className="space-y-2">
        {lines.map((line) => (
          <Skeleton key={line} className="h-[6.4rem] rounded-xl" />
        ))}
      </div>
    );
  }
  return (
    <div role="status" aria-label={t("Loading sessions")}>
      <TableFrame>
        {lines.map((line) => (
          <tr key={line}>
            {[0, 1, 2, 3, 4, 5, 6].map((cell) => (
              <td key={cell} className={CELL}>
                <Skeleton className="my-1 h-7" />
              </td>
            ))}
          </tr>
        ))}
      </TableFrame>
    </div>
  );
}
