import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Inbox, ListChecks } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import type { Approval } from "../../../../protocol/index.ts";
import { ApprovalCard } from "../../approval/card.tsx";
import { useSession } from "../../approval/card-head.tsx";
import { Key } from "../../approval/decide.tsx";
import { useRoomy } from "../../approval/diff-view.tsx";
import { visible } from "../../../ui/visible.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { useShortcuts } from "../../../ui/app/shortcuts.tsx";
import { KEYS, usePendingApprovals } from "../../app/feed.tsx";
import { Button } from "../../../ui/button.tsx";
import { Empty, Skeleton, Trouble } from "../../../ui/states.tsx";
import { titleOf } from "../../../ui/words.tsx";
import { ExpiredLines, useExpired } from "./expired.tsx";
import { bySession, isBatchable } from "./groups.ts";
import { ApprovalLine } from "./line.tsx";
import { Panes } from "./panes.tsx";
import { plural, t } from "../../../ui/language/t.ts";

/** What waits, by session, oldest first; one of them open. */
export function Waiting({ id }: { readonly id: string | undefined }): ReactNode {
  const { approvals, isPending, error } = usePendingApprovals();
  const queries = useQueryClient();
  const roomy = useRoomy();
  const groups = bySession(approvals);
  const order = groups.flatMap(({ approvals: mine }) => mine);
  const first = useFirst(order[0]?.id, id === undefined && roomy);
  const shown = id ?? first;
  const go = useMoves(order, shown);
  const expired = useExpired();
  // The file had changed: what replaces the question is shown in its place.
  const replacement = order.find(({ replaces }) => replaces !== undefined && replaces === shown)?.id;
  useEffect(() => {
    if (replacement !== undefined) go(replacement);
  });
  if (isPending)
    return <Panes list={<ListSkeleton />} detail={<Skeleton className="h-96" />} open={false} show="pending" />;
  if (error !== null) {
    return (
      <Trouble
        title={t("Can’t load the approvals")}
        error={error}
        onRetry={() => void queries.invalidateQueries({ queryKey: KEYS.approvals })}
      />
    );
  }
  if (order.length === 0 && shown === undefined && expired.length === 0) {
    return (
      <Empty icon={Inbox} title={t("Nothing is waiting")}>
        {t("Calls that need your approval appear here immediately.")}
      </Empty>
    );
  }
  const next = order.find((approval) => approval.id !== shown);
  return (
    <Panes
      show="pending"
      open={id !== undefined}
      list={
        <div className="space-y-3">
          {order.length === 0 ? (
            <p className="text-sm text-soft">{t("Nothing else is waiting.")}</p>
          ) : (
            <Groups groups={groups} chosen={shown} />
          )}
          <ExpiredLines approvals={expired} chosen={shown} />
        </div>
      }
      detail={
        shown !== undefined && (
          <Detail
            key={shown}
            id={shown}
            known={order.find((approval) => approval.id === shown)}
            next={next === undefined ? undefined : <NextButton onNext={() => go(next.id)} />}
          />
        )
      }
    />
  );
}

/**
 * The question shown by default. It stays after it was answered, here or elsewhere, so that its outcome can be read, until the person moves
 * on.
 */
function useFirst(first: string | undefined, isWanted: boolean): string | undefined {
  const [kept, setKept] = useState<string>();
  const shown = isWanted ? (kept ?? first) : undefined;
  // During rendering, so that no frame shows another one.
  if (shown !== kept) setKept(shown);
  return shown;
}

function NextButton({ onNext }: { readonly onNext: () => void }): ReactNode {
  return (
    <Button size="small" onClick={onNext}>
      {t("Next question")} <Key name="j" />
    </Button>
  );
}

/** j and k move through the list, and the list follows. */
function useMoves(order: readonly Approval[], shown: string | undefined): (id: string) => void {
  const navigate = useNavigate();
  const go = (id: string): void => void navigate({ to: "/approvals", search: { id }, replace: true });
  const move = (step: 1 | -1): void => {
    const at = order.findIndex(({ id }) => id === shown);
    const target = at === -1 ? order[0] : order[at + step];
    if (target !== undefined) go(target.id);
  };
  useShortcuts(t("Approvals"), [
    { keys: ["j"], label: t("Next question"), run: () => move(1) },
    { keys: ["k"], label: t("Previous question"), run: () => move(-1) },
  ]);
  useEffect(() => {
    if (shown === undefined) return;
    document.querySelector(`[data-approval="${CSS.escape(shown)}"]`)?.scrollIntoView({ block: "nearest" });
  }, [shown]);
  return go;
}

function Groups({
  groups,
  chosen,
}: {
  readonly groups: ReturnType<typeof bySession>;
  readonly chosen: string | undefined;
}): ReactNode {
  const may = useMay("approval.decide");
  const together = groups.flatMap(({ approvals }) => approvals).filter(isBatchable).length;
  return (
    <>
      {may && together > 1 && (
        <Link
          to="/approvals"
          search={{ show: "together" }}
          className="mb-3 flex h-10 items-center justify-center gap-2 rounded-lg border border-line-strong/60 bg-raised text-sm font-medium hover:bg-sunken"
        >
          <ListChecks aria-hidden className="size-4" />{" "}
          {plural({ one: "Review {count} together", other: "Review {count} together" }, { count: together })}
        </Link>
      )}
      <ul className="space-y-3">
        {groups.map(({ sessionId, approvals }) => (
          <li key={sessionId} className="overflow-hidden rounded-xl border bg-raised">
            <GroupHead sessionId={sessionId} count={approvals.length} />
            <ul className="divide-y">
              {approvals.map((approval) => (
                <li key={approval.id}>
                  <ApprovalLine approval={approval} chosen={approval.id === chosen} show="pending" />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
      <p className="mt-3 flex flex-wrap gap-x-3 gap-y-1 text-xs text-faint max-md:hidden">
        <Hint keys={["j", "k"]} does={t("move")} />
        {may && <Hint keys={["a"]} does={t("approve")} />}
        {may && <Hint keys={["r"]} does={t("reject")} />}
        {may && <Hint keys={["e"]} does={t("edit")} />}
        <Hint keys={["u", "s"]} does={t("one column, two columns")} />
      </p>
    </>
  );
}

function Hint({ keys, does }: { readonly keys: readonly string[]; readonly does: string }): ReactNode {
  return (
    <span className="inline-flex items-center gap-1">
      {keys.map((key) => (
        <kbd key={key} className="rounded border px-1">
          {key}
        </kbd>
      ))}
      {does}
    </span>
  );
}

function GroupHead({ sessionId, count }: { readonly sessionId: string; readonly count: number }): ReactNode {
  const session = useSession(sessionId);
  return (
    <h2 className="flex items-center gap-2 border-b bg-panel px-3 py-1.5 text-xs font-medium text-soft">
      <span dir="auto" className="min-w-0 flex-1 truncate rtl:text-right">
        {session === undefined ? sessionId : visible(titleOf(session))}
      </span>
      {count > 1 && (
        <span className="tabular-nums">{plural({ one: "{count} waiting", other: "{count} waiting" }, { count })}</span>
      )}
    </h2>
  );
}

/** A question that is no longer in the list, or was opened by a link, is loaded separately. */
export function Detail({
  id,
  known,
  next,
}: {
  readonly id: string;
  readonly known: Approval | undefined;
  readonly next?: ReactNode;
}): ReactNode {
  const { client } = useConnection();
  const { data, error, refetch } = useQuery({
    queryKey: KEYS.approval(id),
    queryFn: () => client.approval(id),
    ...(known === undefined ? {} : { initialData: known, staleTime: Infinity }),
  });
  if (data !== undefined) return <ApprovalCard approval={data} keys next={next} />;
  if (error === null) return <Skeleton className="h-96" />;
  return <Trouble title={t("Can’t load this approval")} error={error} onRetry={() => void refetch()} />;
}

export function ListSkeleton(): ReactNode {
  return (
    <div role="status" className="space-y-2">
      <span className="sr-only">{t("Loading approvals …")}</span>
      {[1, 2, 3].map((line) => (
        <Skeleton key={line} className="h-14" />
      ))}
    </div>
  );
}
