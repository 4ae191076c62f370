import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  type RouteComponent,
} from "@tanstack/react-router";
import { loadPart } from "../../ui/load.ts";
import { Loading, Trouble } from "../../ui/states.tsx";
import { NotFound, Shell } from "./shell.tsx";
import { t } from "../../ui/language/t.ts";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

/** The texts of a search that are there and not empty. */
function texts<const Names extends readonly string[]>(
  search: Readonly<Record<string, unknown>>,
  ...names: Names
): { [Name in Names[number]]?: string } {
  const found = names.map((name) => [name, search[name]]).filter(([, value]) => typeof value === "string" && value);
  return Object.fromEntries(found) as { [Name in Names[number]]?: string };
}

/** A page that a newer version of the server no longer has: the router reloads once when it gets the browser's own error. */
async function loadPage<Page>(load: () => Promise<Page>): Promise<Page> {
  try {
    return await loadPart(load);
  } catch (error) {
    throw error instanceof Error ? error.cause : error;
  }
}

function page<const Path extends string>(path: Path, component: RouteComponent) {
  return createRoute({ getParentRoute: () => root, path, component });
}

function moved<const Path extends string>(path: Path, to: "/sessions" | "/new") {
  const beforeLoad = (): never => {
    throw redirect({ to, replace: true });
  };
  return createRoute({ getParentRoute: () => root, path, beforeLoad });
}

const sessions = createRoute({
  getParentRoute: () => root,
  path: "/sessions",
  validateSearch: (search) => texts(search, "q", "status", "engine", "tag", "folder", "since", "archived"),
  component: lazyRouteComponent(() => loadPage(() => import("../pages/sessions/page.tsx")), "SessionsPage"),
});
const search = createRoute({
  getParentRoute: () => root,
  path: "/search",
  validateSearch: (texted) => texts(texted, "q"),
  component: lazyRouteComponent(() => loadPage(() => import("../pages/search/page.tsx")), "SearchResultsPage"),
});
const begin = createRoute({
  getParentRoute: () => root,
  path: "/new",
  validateSearch: (search) => texts(search, "template"),
  component: lazyRouteComponent(() => loadPage(() => import("../pages/new/page.tsx")), "NewSessionPage"),
});
const approvals = createRoute({
  getParentRoute: () => root,
  path: "/approvals",
  validateSearch: (search): { id?: string; hash?: string; show?: "ended" | "together" } => ({
    ...texts(search, "id", "hash"),
    ...(search["show"] === "ended" || search["show"] === "together" ? { show: search["show"] } : {}),
  }),
  component: lazyRouteComponent(() => loadPage(() => import("../pages/approvals/page.tsx")), "ApprovalsPage"),
});
const sessionPage = lazyRouteComponent(() => loadPage(() => import("../pages/session/page.tsx")), "SessionPage");
const changesPage = lazyRouteComponent(() => loadPage(() => import("../pages/changes/page.tsx")), "ChangesPage");
const usagePage = lazyRouteComponent(() => loadPage(() => import("../pages/usage/page.tsx")), "UsagePage");
const policyPage = lazyRouteComponent(() => loadPage(() => import("../pages/policy/page.tsx")), "PolicyPage");
const providersPage = lazyRouteComponent(() => loadPage(() => import("../pages/providers/page.tsx")), "ProvidersPage");
const workersPage = lazyRouteComponent(() => loadPage(() => import("../pages/workers/page.tsx")), "WorkersPage");
const tokensPage = lazyRouteComponent(() => loadPage(() => import("../pages/tokens/page.tsx")), "TokensPage");
const auditPage = lazyRouteComponent(() => loadPage(() => import("../pages/audit/page.tsx")), "AuditPage");
const compare = createRoute({
  getParentRoute: () => root,
  path: "/sessions/$sessionId/compare",
  validateSearch: (search) => texts(search, "with"),
  component: lazyRouteComponent(() => loadPage(() => import("../pages/compare/page.tsx")), "ComparePage"),
});
const files = createRoute({
  getParentRoute: () => root,
  path: "/sessions/$sessionId/files",
  validateSearch: (search) => texts(search, "path", "q"),
  component: lazyRouteComponent(() => loadPage(() => import("../pages/files/page.tsx")), "FilesPage"),
});
const terminalPage = lazyRouteComponent(() => loadPage(() => import("../pages/terminal/page.tsx")), "TerminalPage");
const tunnelsPage = lazyRouteComponent(() => loadPage(() => import("../pages/tunnels/page.tsx")), "TunnelsPage");
const longRunsPage = lazyRouteComponent(() => loadPage(() => import("../pages/long-runs/page.tsx")), "LongRunsPage");
const schedulesPage = lazyRouteComponent(
  () => loadPage(() => import("../pages/triggers/schedules.tsx")),
  "SchedulesPage",
);
const webhooksPage = lazyRouteComponent(() => loadPage(() => import("../pages/triggers/webhooks.tsx")), "WebhooksPage");
const mcpLoginsPage = lazyRouteComponent(() => loadPage(() => import("../pages/mcp/page.tsx")), "McpLoginsPage");

export const router = createRouter({
  routeTree: root.addChildren([
    moved("/", "/sessions"),
    sessions,
    search,
    begin,
    // Where document 001 has its agent view.
    moved("/agent", "/new"),
    // `#seq-12` in the address jumps to that event.
    page("/sessions/$sessionId", sessionPage),
    page("/sessions/$sessionId/changes", changesPage),
    page("/sessions/$sessionId/terminal", terminalPage),
    compare,
    files,
    approvals,
    page("/usage", usagePage),
    page("/policy", policyPage),
    page("/providers", providersPage),
    page("/long-runs", longRunsPage),
    page("/schedules", schedulesPage),
    page("/webhooks", webhooksPage),
    page("/tunnels", tunnelsPage),
    page("/mcp-logins", mcpLoginsPage),
    page("/workers", workersPage),
    page("/tokens", tokensPage),
    page("/audit", auditPage),
  ]),
  defaultPreload: "intent",
  defaultPendingComponent: () => <Loading label={t("Opening")} page />,
  defaultErrorComponent: ({ error, reset }) => (
    <div className="mx-auto max-w-xl p-6">
      <Trouble title={t("This page crashed")} error={error} onRetry={reset} />
    </div>
  ),
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
