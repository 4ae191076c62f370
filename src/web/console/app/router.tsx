import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  type RouteComponent,
} from "@tanstack/react-router";
import { Loading, Trouble } from "../../ui/states.tsx";
import { NotFound, Shell } from "./shell.tsx";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

/** The texts of a search that are there and not empty. */
function texts<const Names extends readonly string[]>(
  search: Readonly<Record<string, unknown>>,
  ...names: Names
): { [Name in Names[number]]?: string } {
  const found = names.map((name) => [name, search[name]]).filter(([, value]) => typeof value === "string" && value);
  return Object.fromEntries(found) as { [Name in Names[number]]?: string };
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
  component: lazyRouteComponent(() => import("../pages/sessions/page.tsx"), "SessionsPage"),
});
const begin = createRoute({
  getParentRoute: () => root,
  path: "/new",
  validateSearch: (search) => texts(search, "template"),
  component: lazyRouteComponent(() => import("../pages/new/page.tsx"), "NewSessionPage"),
});
const approvals = createRoute({
  getParentRoute: () => root,
  path: "/approvals",
  validateSearch: (search): { id?: string; hash?: string; show?: "ended" | "together" } => ({
    ...texts(search, "id", "hash"),
    ...(search["show"] === "ended" || search["show"] === "together" ? { show: search["show"] } : {}),
  }),
  component: lazyRouteComponent(() => import("../pages/approvals/page.tsx"), "ApprovalsPage"),
});
const sessionPage = lazyRouteComponent(() => import("../pages/session/page.tsx"), "SessionPage");
const changesPage = lazyRouteComponent(() => import("../pages/changes/page.tsx"), "ChangesPage");
const usagePage = lazyRouteComponent(() => import("../pages/usage/page.tsx"), "UsagePage");
const policyPage = lazyRouteComponent(() => import("../pages/policy/page.tsx"), "PolicyPage");
const providersPage = lazyRouteComponent(() => import("../pages/providers/page.tsx"), "ProvidersPage");
const workersPage = lazyRouteComponent(() => import("../pages/workers/page.tsx"), "WorkersPage");
const tokensPage = lazyRouteComponent(() => import("../pages/tokens/page.tsx"), "TokensPage");
const auditPage = lazyRouteComponent(() => import("../pages/audit/page.tsx"), "AuditPage");

export const router = createRouter({
  routeTree: root.addChildren([
    moved("/", "/sessions"),
    sessions,
    begin,
    // Where document 001 has its agent view.
    moved("/agent", "/new"),
    // `#seq-12` in the address jumps to that event.
    page("/sessions/$sessionId", sessionPage),
    page("/sessions/$sessionId/changes", changesPage),
    approvals,
    page("/usage", usagePage),
    page("/policy", policyPage),
    page("/providers", providersPage),
    page("/workers", workersPage),
    page("/tokens", tokensPage),
    page("/audit", auditPage),
  ]),
  defaultPreload: "intent",
  defaultPendingComponent: () => <Loading label="Opening" page />,
  defaultErrorComponent: ({ error, reset }) => (
    <div className="mx-auto max-w-xl p-6">
      <Trouble title="This page crashed" error={error} onRetry={reset} />
    </div>
  ),
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
