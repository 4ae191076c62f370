import { Link, Outlet } from "@tanstack/react-router";
import {
  Activity,
  ChartColumn,
  Inbox,
  KeyRound,
  MessagesSquare,
  Plug,
  ScrollText,
  ShieldCheck,
  type LucideIcon,
} from "lucide-react";
import { type ReactNode } from "react";
import { useConnection } from "./connection.tsx";
import { usePendingApprovals, useFeed } from "./feed.tsx";
import { ConnectionBar } from "./connection-bar.tsx";
import { PersonMenu } from "./person-menu.tsx";
import { useAttention } from "./attention.ts";

interface Place {
  readonly to: "/sessions" | "/approvals" | "/usage" | "/policy" | "/providers" | "/tokens" | "/audit";
  readonly label: string;
  readonly icon: LucideIcon;
  readonly needs: string;
}

const PLACES: readonly Place[] = [
  { to: "/sessions", label: "Sessions", icon: MessagesSquare, needs: "session.read" },
  { to: "/approvals", label: "Approvals", icon: Inbox, needs: "approval.read" },
  { to: "/usage", label: "Usage", icon: ChartColumn, needs: "usage.read" },
  { to: "/policy", label: "Policy", icon: ShieldCheck, needs: "policy.read" },
  { to: "/providers", label: "Providers", icon: Plug, needs: "provider.read" },
  { to: "/tokens", label: "Tokens", icon: KeyRound, needs: "token.manage" },
  { to: "/audit", label: "Audit", icon: ScrollText, needs: "audit.read" },
];
/** A phone's bar has room for these; the others are in the person's menu. */
const ON_PHONE = 4;

/** What stands around every page: the ways to the others, who is here, and whether the server is. */
export function Shell(): ReactNode {
  useFeed();
  const { approvals } = usePendingApprovals();
  useAttention(approvals);
  const { me } = useConnection();
  const places = PLACES.filter(({ needs }) => me.rights[needs] !== undefined);
  return (
    <div className="flex min-h-dvh flex-col md:flex-row">
      <a
        href="#page"
        className="absolute left-2 top-2 z-50 -translate-y-20 rounded bg-accent px-3 py-2 text-accent-ink focus:translate-y-0"
      >
        Skip to the page
      </a>
      <nav
        aria-label="Main"
        className="sticky top-0 hidden h-dvh w-52 shrink-0 flex-col gap-1 border-r bg-panel p-3 md:flex"
      >
        <p className="mb-3 flex items-center gap-2 px-2 pt-1 text-base font-semibold">
          <Activity aria-hidden className="size-5 text-accent" /> Sallyport
        </p>
        {places.map((place) => (
          <PlaceLink key={place.to} place={place} count={place.to === "/approvals" ? approvals.length : 0} />
        ))}
        <div className="mt-auto">
          <PersonMenu />
        </div>
      </nav>
      <div className="flex min-w-0 flex-1 flex-col pb-16 md:pb-0">
        <ConnectionBar />
        <main id="page" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
          <Outlet />
        </main>
      </div>
      <nav
        aria-label="Main"
        className="fixed inset-x-0 bottom-0 z-30 flex h-16 items-stretch border-t bg-panel pb-[env(safe-area-inset-bottom)] md:hidden"
      >
        {places.slice(0, ON_PHONE).map((place) => (
          <PlaceLink key={place.to} place={place} count={place.to === "/approvals" ? approvals.length : 0} phone />
        ))}
        <div className="grid flex-1 place-items-center">
          <PersonMenu more={places.slice(ON_PHONE)} />
        </div>
      </nav>
    </div>
  );
}

function PlaceLink({
  place,
  count,
  phone = false,
}: {
  readonly place: Place;
  readonly count: number;
  readonly phone?: boolean;
}): ReactNode {
  const { icon: Icon, label, to } = place;
  const shape = phone
    ? "flex-1 flex-col justify-center gap-0.5 text-xs"
    : "gap-2.5 rounded-lg px-2.5 py-2 text-sm hover:bg-sunken";
  return (
    <Link
      to={to}
      className={`relative flex items-center font-medium text-soft ${shape}`}
      activeProps={{ className: phone ? "text-accent!" : "bg-accent-soft! text-ink!", "aria-current": "page" }}
    >
      <Icon aria-hidden className="size-[1.15rem]" />
      {label}
      {count > 0 && (
        <span
          className={`rounded-full bg-accent px-1.5 text-xs leading-5 font-semibold text-accent-ink ${phone ? "absolute top-1.5 left-1/2 ml-2" : "ml-auto"}`}
        >
          {count}
          <span className="sr-only"> waiting</span>
        </span>
      )}
    </Link>
  );
}

export function NotFound(): ReactNode {
  return (
    <div className="mx-auto max-w-xl space-y-3 p-6">
      <h1 className="text-xl font-semibold">There is no such page</h1>
      <p className="text-soft">The address may be old or mistyped.</p>
      <Link to="/sessions" className="font-medium text-accent underline">
        To the sessions
      </Link>
    </div>
  );
}
