import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { History } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { Approval, Outcome } from "../../../../protocol/index.ts";
import { OutcomeBadge } from "../../approval/outcome.tsx";
import { visible } from "../../../ui/visible.ts";
import { useRoomy } from "../../approval/diff-view.tsx";
import { useConnection } from "../../../ui/app/connection.tsx";
import { useShortcuts } from "../../../ui/app/shortcuts.tsx";
import { KEYS } from "../../app/feed.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field, Select } from "../../../ui/field.tsx";
import { Empty, Skeleton, Trouble } from "../../../ui/states.tsx";
import { ApprovalLine } from "./line.tsx";
import { Panes } from "./panes.tsx";
import { Detail, ListSkeleton } from "./waiting.tsx";
import { t } from "../../../ui/language/t.ts";

const OUTCOMES: readonly { readonly value: Outcome; readonly label: string }[] = [
  { value: "approved", label: t("Approved") },
  { value: "rejected", label: t("Rejected") },
  { value: "timed_out", label: t("Expired") },
  { value: "cancelled", label: t("Withdrawn") },
];
const PAGE = 50;

/** How questions ended: the outcome, who decided, what was said. Newest first. */
export function Ended({ id }: { readonly id: string | undefined }): ReactNode {
  const { client } = useConnection();
  const [status, setStatus] = useState<Outcome>("approved");
  const roomy = useRoomy();
  const query = useInfiniteQuery({
    queryKey: [...KEYS.approvals, "ended", status],
    queryFn: ({ pageParam }) =>
      client.approvals({ status, limit: PAGE, ...(pageParam === undefined ? {} : { cursor: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
  });
  const approvals = query.data?.pages.flatMap((page) => page.approvals) ?? [];
  const shown = id ?? (roomy ? approvals[0]?.id : undefined);
  useMoves(approvals, shown);
  const list = (
    <div className="space-y-3">
      <Field label={t("Outcome")}>
        {(ids) => (
          <Select {...ids} value={status} onChange={(event) => setStatus(event.target.value as Outcome)}>
            {OUTCOMES.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {query.isPending && <ListSkeleton />}
      {query.error !== null && (
        <Trouble title={t("Can’t load the history")} error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.isSuccess && approvals.length === 0 && (
        <Empty icon={History} title={t("None yet")}>
          {t("Approvals with this outcome appear here.")}
        </Empty>
      )}
      <Lines approvals={approvals} chosen={shown} />
      {query.hasNextPage && (
        <Button className="w-full" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t("Load more")}
        </Button>
      )}
    </div>
  );
  const known = approvals.find((approval) => approval.id === shown);
  const detail =
    shown === undefined ? (
      query.isPending && <Skeleton className="h-96" />
    ) : (
      <Detail key={shown} id={shown} known={known} />
    );
  return <Panes show="ended" open={id !== undefined} list={list} detail={detail} />;
}

function useMoves(approvals: readonly Approval[], shown: string | undefined): void {
  const navigate = useNavigate();
  const move = (step: 1 | -1): void => {
    const target = approvals[approvals.findIndex(({ id }) => id === shown) + step];
    if (target !== undefined)
      void navigate({ to: "/approvals", search: { id: target.id, show: "ended" }, replace: true });
  };
  useShortcuts(t("Approvals"), [
    { keys: ["j"], label: t("Next question"), run: () => move(1) },
    { keys: ["k"], label: t("Previous question"), run: () => move(-1) },
  ]);
}

function Lines({
  approvals,
  chosen,
}: {
  readonly approvals: readonly Approval[];
  readonly chosen: string | undefined;
}): ReactNode {
  if (approvals.length === 0) return null;
  return (
    <ul className="divide-y overflow-hidden rounded-xl border bg-raised">
      {approvals.map((approval) => (
        <li key={approval.id}>
          <ApprovalLine approval={approval} chosen={approval.id === chosen} show="ended">
            <span className="flex flex-wrap items-center gap-2 text-xs text-soft">
              {approval.status !== "pending" && <OutcomeBadge status={approval.status} />}
              {approval.resolved_by !== undefined && <span>{approval.resolved_by.name}</span>}
            </span>
            {approval.feedback !== undefined && (
              <span dir="auto" className="line-clamp-2 text-xs text-soft italic rtl:text-right">
                {visible(approval.feedback)}
              </span>
            )}
          </ApprovalLine>
        </li>
      ))}
    </ul>
  );
}
