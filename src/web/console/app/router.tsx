import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { Loading, Trouble } from "../../ui/states.tsx";
import { NotFound, Shell } from "./shell.tsx";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });
const at = root;

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

const home = createRoute({
  getParentRoute: () => at,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/sessions", replace: true });
  },
});
const sessions = createRoute({
  getParentRoute: () => at,
  path: "/sessions",
  validateSearch: (search): { q?: string; status?: string; engine?: string } => ({
    ...(text(search["q"]) === undefined ? {} : { q: text(search["q"]) as string }),
    ...(text(search["status"]) === undefined ? {} : { status: text(search["status"]) as string }),
    ...(text(search["engine"]) === undefined ? {} : { engine: text(search["engine"]) as string }),
  }),
  component: lazyRouteComponent(() => import("../pages/sessions/page.tsx"), "SessionsPage"),
});
const begin = createRoute({
  getParentRoute: () => at,
  path: "/new",
  validateSearch: (search): { template?: string } =>
    text(search["template"]) === undefined ? {} : { template: text(search["template"]) as string },
  component: lazyRouteComponent(() => import("../pages/new/page.tsx"), "NewSessionPage"),
});
/** Where document 001 has its agent view. */
const agent = createRoute({
  getParentRoute: () => at,
  path: "/agent",
  beforeLoad: () => {
    throw redirect({ to: "/new", replace: true });
  },
});
/** `#seq-12` in the address jumps to that event. */
const session = createRoute({
  getParentRoute: () => at,
  path: "/sessions/$sessionId",
  component: lazyRouteComponent(() => import("../pages/session/page.tsx"), "SessionPage"),
});
const approvals = createRoute({
  getParentRoute: () => at,
  path: "/approvals",
  validateSearch: (search): { id?: string; show?: "pending" | "ended" } => ({
    ...(text(search["id"]) === undefined ? {} : { id: text(search["id"]) as string }),
    ...(search["show"] === "ended" ? { show: "ended" as const } : {}),
  }),
  component: lazyRouteComponent(() => import("../pages/approvals/page.tsx"), "ApprovalsPage"),
});
const usage = createRoute({
  getParentRoute: () => at,
  path: "/usage",
  component: lazyRouteComponent(() => import("../pages/usage/page.tsx"), "UsagePage"),
});
const policy = createRoute({
  getParentRoute: () => at,
  path: "/policy",
  component: lazyRouteComponent(() => import("../pages/policy/page.tsx"), "PolicyPage"),
});
const providers = createRoute({
  getParentRoute: () => at,
  path: "/providers",
  component: lazyRouteComponent(() => import("../pages/providers/page.tsx"), "ProvidersPage"),
});
const tokens = createRoute({
  getParentRoute: () => at,
  path: "/tokens",
  component: lazyRouteComponent(() => import("../pages/tokens/page.tsx"), "TokensPage"),
});
const audit = createRoute({
  getParentRoute: () => at,
  path: "/audit",
  component: lazyRouteComponent(() => import("../pages/audit/page.tsx"), "AuditPage"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    sessions,
    begin,
    agent,
    session,
    approvals,
    usage,
    policy,
    providers,
    tokens,
    audit,
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
