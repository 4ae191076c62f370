import type { QueryClient } from "@tanstack/react-query";
import type { SallyportClient } from "../../../client/index.ts";
import { KEYS, pendingApprovals } from "./feed.tsx";
import { sessionPages } from "./session-pages.ts";

const SESSION = /^\/sessions\/([\w-]+)$/;

/**
 * Reads what the page at this address shows first, while it is not known yet who the person is: on a slow line each way counts. What is
 * refused is asked again by the page itself, which shows why.
 */
export function readFirst(
  { client, queries }: { readonly client: SallyportClient; readonly queries: QueryClient },
  { pathname, search }: Pick<Location, "pathname" | "search">,
): void {
  void queries.prefetchQuery({ ...pendingApprovals(client), retry: false });
  const id = SESSION.exec(pathname)?.[1];
  if (id !== undefined)
    void queries.prefetchQuery({ queryKey: KEYS.session(id), queryFn: () => client.session(id), retry: false });
  else if ((pathname === "/sessions" || pathname === "/") && search === "")
    void queries.prefetchInfiniteQuery({ ...sessionPages(client, queries, { archived: false }), retry: false });
}
