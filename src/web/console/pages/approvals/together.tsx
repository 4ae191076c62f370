import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowLeft, CircleCheck } from "lucide-react";
import { useId, useState, type ReactNode } from "react";
import { Failure, type Approval, type DecisionResults } from "../../../../protocol/index.ts";
import { useSession } from "../../approval/card-head.tsx";
import { isDestructive } from "../../approval/decide.tsx";
import { PreviewView } from "../../approval/preview.tsx";
import { toolLabel } from "../../approval/reason.ts";
import { ToolIcon } from "../../approval/tool-icon.tsx";
import { refusalWords, settle } from "../../approval/use-decision.ts";
import { Warnings } from "../../approval/warnings.tsx";
import { usePendingApprovals } from "../../app/feed.tsx";
import { useConnection } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Empty, Note, Skeleton } from "../../../ui/states.tsx";
import { visible } from "../../../ui/visible.ts";
import { titleOf } from "../../../ui/words.tsx";
import { isBatchable } from "./groups.ts";
import { plural, t } from "../../../ui/language/t.ts";

/** Several questions one below the other, each whole, answered together. Each answer is bound to what is shown here. */
export function Together(): ReactNode {
  const { approvals, isPending } = usePendingApprovals();
  const shown = approvals.filter(isBatchable);
  const choice = useChoice(shown, isPending);
  const { decide, busy, left } = useBatch();
  if (isPending) return <Skeleton className="h-96" />;
  const chosen = shown.filter(({ id }) => choice.has(id));
  const back = (
    <Link to="/approvals" className="inline-flex min-h-8 items-center gap-1 text-sm font-medium text-accent">
      <ArrowLeft aria-hidden className="size-4" /> {t("Back to list")}
    </Link>
  );
  return (
    <div className="space-y-3">
      {back}
      <LeftOut left={left} />
      {shown.length === 0 ? (
        <Empty icon={CircleCheck} title={t("All answered")}>
          {t("Nothing is left that can be answered together.")}
        </Empty>
      ) : (
        <>
          <ul className="space-y-3">
            {shown.map((approval) => (
              <li key={approval.id}>
                <Compact
                  approval={approval}
                  checked={choice.has(approval.id)}
                  onChange={() => choice.toggle(approval.id)}
                />
              </li>
            ))}
          </ul>
          <Actions chosen={chosen} all={shown} busy={busy} choice={choice} decide={decide} />
        </>
      )}
    </div>
  );
}

interface Choice {
  readonly has: (id: string) => boolean;
  readonly toggle: (id: string) => void;
  readonly all: (isOn: boolean) => void;
}

/** All that wait when the page opens are chosen. What comes later is not: nobody has seen it yet. */
function useChoice(shown: readonly Approval[], isPending: boolean): Choice {
  const [ids, setIds] = useState<ReadonlySet<string>>();
  if (ids === undefined && !isPending) setIds(new Set(shown.map(({ id }) => id)));
  const current = ids ?? new Set();
  return {
    has: (id) => current.has(id),
    toggle: (id) =>
      setIds(current.has(id) ? new Set([...current].filter((other) => other !== id)) : new Set([...current, id])),
    all: (isOn) => setIds(new Set(isOn ? shown.map(({ id }) => id) : [])),
  };
}

type BatchDecision = "approve" | "reject";

function useBatch(): {
  readonly decide: (approvals: readonly Approval[], decision: BatchDecision) => void;
  readonly busy: boolean;
  /** Why answers were not taken. */
  readonly left: readonly string[];
} {
  const { client } = useConnection();
  const queries = useQueryClient();
  const { mutate, isPending, data, error } = useMutation({
    mutationFn: ({
      approvals,
      decision,
    }: {
      readonly approvals: readonly Approval[];
      readonly decision: BatchDecision;
    }) => client.inbox.decideAll({ decisions: approvals.map(({ id, input_hash }) => ({ id, decision, input_hash })) }),
    onSuccess: ({ results }) => {
      for (const { approval } of results) if (approval !== undefined) settle(queries, approval);
    },
  });
  return {
    decide: (approvals, decision) => mutate({ approvals, decision }),
    busy: isPending,
    left: error === null ? reasons(data) : [refusalWords(error)],
  };
}

function reasons(data: DecisionResults | undefined): readonly string[] {
  return (data?.results ?? []).flatMap(({ error }) =>
    error === undefined ? [] : [refusalWords(new Failure(error.code, error.message))],
  );
}

function LeftOut({ left }: { readonly left: readonly string[] }): ReactNode {
  if (left.length === 0) return null;
  return (
    <Note tone="warn" role="status">
      <p className="font-medium">
        {plural({ one: "{count} was left out", other: "{count} were left out" }, { count: left.length })}
      </p>
      <ul className="list-disc ps-5">
        {left.map((words, index) => (
          <li key={index}>{words}</li>
        ))}
      </ul>
    </Note>
  );
}

function Compact({
  approval,
  checked,
  onChange,
}: {
  readonly approval: Approval;
  readonly checked: boolean;
  readonly onChange: () => void;
}): ReactNode {
  const session = useSession(approval.session_id);
  const title = useId();
  return (
    <article aria-labelledby={title} className="rounded-xl border bg-raised has-checked:border-accent">
      <label className="flex min-h-11 cursor-pointer items-center gap-2.5 border-b px-4 py-2">
        <input type="checkbox" className="size-5 shrink-0 accent-accent" checked={checked} onChange={onChange} />
        <ToolIcon tool={approval.tool} className="size-4 shrink-0 text-soft" />
        <span id={title} dir="auto" className="min-w-0 flex-1 truncate text-sm rtl:text-right">
          <span className="font-semibold">{visible(toolLabel(approval.tool))}</span>{" "}
          <span className="text-soft">
            {t("in {session}", { session: session === undefined ? approval.session_id : visible(titleOf(session)) })}
          </span>
        </span>
      </label>
      <div className="space-y-3 p-4">
        <Warnings warnings={approval.warnings} />
        <PreviewView preview={approval.preview} input={approval.input} />
      </div>
    </article>
  );
}

function Actions({
  chosen,
  all,
  busy,
  choice,
  decide,
}: {
  readonly chosen: readonly Approval[];
  readonly all: readonly Approval[];
  readonly busy: boolean;
  readonly choice: Choice;
  readonly decide: (approvals: readonly Approval[], decision: BatchDecision) => void;
}): ReactNode {
  const isNone = chosen.length === 0;
  const isAll = chosen.length === all.length;
  return (
    <div
      role="group"
      aria-label={t("Answer the selected")}
      className="sticky bottom-(--below) z-10 flex flex-wrap items-center gap-2 rounded-xl border bg-raised p-3 shadow-md"
    >
      <Button
        variant={chosen.some(isDestructive) ? "danger" : "primary"}
        className="max-sm:flex-1"
        busy={busy}
        disabled={isNone}
        onClick={() => decide(chosen, "approve")}
      >
        {plural({ one: "Approve {count}", other: "Approve {count}" }, { count: chosen.length })}
      </Button>
      <Button aria-disabled={busy} disabled={isNone} onClick={() => decide(chosen, "reject")}>
        {plural({ one: "Reject {count}", other: "Reject {count}" }, { count: chosen.length })}
      </Button>
      <Button variant="quiet" onClick={() => choice.all(!isAll)}>
        {isAll ? t("Select none") : t("Select all")}
      </Button>
    </div>
  );
}
