import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { BudgetLine, SessionView } from "../../../../protocol/index.ts";
import { useMay } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Section } from "../../../ui/page.tsx";
import { Skeleton } from "../../../ui/states.tsx";
import { money, StatusBadge, titleOf } from "../../../ui/words.tsx";
import { BudgetBar } from "./budgets.tsx";
import { SetLimit } from "./set-limit.tsx";
import { plural, t } from "../../../ui/language/t.ts";

const SHOWN = 8;

/** Sessions that have not ended: those nearest to their limit first, those without one last. */
function openByShare(sessions: readonly SessionView[]): readonly SessionView[] {
  const share = ({ cost_microusd, limit_microusd }: SessionView): number =>
    limit_microusd === undefined ? -1 : cost_microusd / Math.max(1, limit_microusd);
  return sessions
    .filter(({ status }) => status !== "complete" && status !== "failed")
    .toSorted((left, right) => share(right) - share(left) || right.cost_microusd - left.cost_microusd);
}

/** `sessions`: undefined until they are known. */
export function SessionLimits({ sessions }: { readonly sessions: readonly SessionView[] | undefined }): ReactNode {
  const mayRaise = useMay("budget.raise");
  const [all, setAll] = useState(false);
  const [chosen, setChosen] = useState<SessionView>();
  const open = openByShare(sessions ?? []);
  return (
    <Section title={t("Limits of open sessions")}>
      {sessions === undefined ? (
        <Skeleton className="h-24" />
      ) : open.length === 0 ? (
        <p className="text-sm text-soft">
          {t("No session is open. A session’s limit is set when it starts and can be raised here.")}
        </p>
      ) : (
        <ul className="divide-y">
          {(all ? open : open.slice(0, SHOWN)).map((session) => (
            <li key={session.id} className="py-2.5 first:pt-0 last:pb-0">
              <SessionLimit session={session} {...(mayRaise ? { onSet: () => setChosen(session) } : {})} />
            </li>
          ))}
        </ul>
      )}
      {open.length > SHOWN && (
        <Button variant="quiet" size="small" className="mt-3" onClick={() => setAll(!all)}>
          {all
            ? t("Show fewer")
            : plural({ one: "Show all {count}", other: "Show all {count}" }, { count: open.length })}
        </Button>
      )}
      {chosen !== undefined && <SetLimit session={chosen} onClose={() => setChosen(undefined)} />}
    </Section>
  );
}

function SessionLimit({ session, onSet }: { readonly session: SessionView; readonly onSet?: () => void }): ReactNode {
  const { cost_microusd: spent, limit_microusd: limit } = session;
  const line: BudgetLine = {
    kind: "session",
    of: session.id,
    spent_microusd: spent,
    reserved_microusd: 0,
    ...(limit === undefined ? {} : { limit_microusd: limit }),
  };
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <div className="flex min-w-0 flex-1 basis-56 items-center gap-2 text-sm">
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId: session.id }}
          dir="auto"
          className="min-w-0 truncate font-medium hover:underline"
        >
          {titleOf(session)}
        </Link>
        <StatusBadge status={session.status} />
      </div>
      <div className="w-40 max-md:flex-1">
        <BudgetBar line={line} />
      </div>
      <p className="w-40 text-sm text-soft tabular-nums max-md:w-auto">
        {limit === undefined
          ? t("{amount} spent, no limit", { amount: money(spent) })
          : t("{amount} of {limit}", { amount: money(spent), limit: money(limit) })}
      </p>
      {onSet !== undefined && (
        <Button size="small" onClick={onSet}>
          {limit === undefined ? t("Set a limit") : t("Change")}
          <span className="sr-only"> {t("of {name}", { name: titleOf(session) })}</span>
        </Button>
      )}
    </div>
  );
}
