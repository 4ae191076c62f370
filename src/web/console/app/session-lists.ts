import type { SessionListFilter } from "../../../client/index.ts";
import type { SessionView } from "../../../protocol/index.ts";

/** What an infinite query of sessions holds: newest first, in pages. */
export interface SessionPages {
  readonly pages: readonly { readonly sessions: readonly SessionView[]; readonly next?: string }[];
  readonly pageParams: readonly unknown[];
}

/** A list after a session has changed: the session is updated, added or removed. */
export function withSession(data: SessionPages, filter: SessionListFilter, session: SessionView): SessionPages {
  const held = data.pages.some((page) => page.sessions.some(({ id }) => id === session.id));
  if (held) {
    // Search results stay: only the server knows which words match.
    const stays = fits({ ...filter, search: "" }, session);
    return mapPages(data, (sessions) =>
      sessions.flatMap((old) => (old.id !== session.id ? [old] : stays ? [session] : [])),
    );
  }
  if (!fits(filter, session)) return data;
  const last = data.pages.at(-1);
  const oldest = last?.sessions.at(-1);
  // It belongs on a page that is not loaded yet.
  if (last?.next !== undefined && (oldest === undefined || newer(oldest, session))) return data;
  let placed = false;
  const pages = data.pages.map((page, index) => {
    const at = page.sessions.findIndex((old) => newer(session, old));
    const here = !placed && (at !== -1 || index === data.pages.length - 1);
    if (!here) return page;
    placed = true;
    return { ...page, sessions: page.sessions.toSpliced(at === -1 ? page.sessions.length : at, 0, session) };
  });
  return { ...data, pages };
}

export function flat(data: SessionPages | undefined): readonly SessionView[] {
  return data?.pages.flatMap(({ sessions }) => sessions) ?? [];
}

function mapPages(
  data: SessionPages,
  change: (sessions: readonly SessionView[]) => readonly SessionView[],
): SessionPages {
  return { ...data, pages: data.pages.map((page) => ({ ...page, sessions: change(page.sessions) })) };
}

function fits(filter: SessionListFilter, session: SessionView): boolean {
  const { status, engine, search = "", archived, tag, workspace, from, to } = filter;
  if (archived !== undefined && archived !== (session.archived ?? false)) return false;
  if (tag !== undefined && session.tags?.includes(tag) !== true) return false;
  if (workspace !== undefined && ![session.settings.workspace, session.settings.source].includes(workspace))
    return false;
  if ((from !== undefined && session.created_at < from) || (to !== undefined && session.created_at >= to)) return false;
  if (status !== undefined && status !== session.status) return false;
  if (engine !== undefined && engine !== session.settings.engine) return false;
  return search === "" || session.title.toLowerCase().includes(search.toLowerCase());
}

/** In the server's order: by creation time, then by id. */
function newer(one: SessionView, other: SessionView): boolean {
  return one.created_at === other.created_at ? one.id > other.id : one.created_at > other.created_at;
}
