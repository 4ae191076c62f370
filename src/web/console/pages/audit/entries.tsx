import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import type { AuditEntry } from "../../../../protocol/index.ts";
import { DataTable, type TableColumn } from "../../../ui/data-table.tsx";
import { Ago } from "../../../ui/words.tsx";
import { actionWords, approvalOf, detailWords, sessionOf } from "./actions.ts";
import { t } from "../../../ui/language/t.ts";

/** The entries as rows; a name links to everything that its owner did. */
export function Entries({
  entries,
  onPerson,
}: {
  readonly entries: readonly AuditEntry[];
  readonly onPerson: (id: string) => void;
}): ReactNode {
  const columns: readonly TableColumn<AuditEntry>[] = [
    {
      label: t("Who"),
      heading: true,
      className: "md:w-44",
      cell: ({ by }) => (
        <button
          type="button"
          title={t("Show only their actions")}
          onClick={() => onPerson(by.id)}
          className="-my-1 min-h-7 rounded py-1 text-start font-medium hover:underline"
        >
          {by.name} <span className="font-normal text-soft">({by.role})</span>
        </button>
      ),
    },
    {
      label: t("Action"),
      className: "md:w-52",
      cell: (entry) => <span title={entry.action}>{actionWords(entry)}</span>,
    },
    { label: t("Target"), className: "md:w-64", cell: (entry) => <Target entry={entry} /> },
    { label: t("Details"), cell: ({ details }) => <Details details={details} /> },
    { label: t("When"), figure: true, className: "whitespace-nowrap md:w-36", cell: ({ at }) => <Ago at={at} /> },
  ];
  return <DataTable label={t("Audit log")} columns={columns} rows={entries} keyOf={({ id }) => id} />;
}

function Target({ entry }: { readonly entry: AuditEntry }): ReactNode {
  const session = sessionOf(entry);
  const approval = approvalOf(entry);
  const style = "font-mono text-xs break-all";
  if (session !== undefined) {
    return (
      <Link
        to="/sessions/$sessionId"
        params={{ sessionId: session }}
        className={`${style} text-accent hover:underline`}
      >
        {entry.target}
      </Link>
    );
  }
  if (approval !== undefined) {
    return (
      <Link to="/approvals" search={{ id: approval, show: "ended" }} className={`${style} text-accent hover:underline`}>
        {entry.target}
      </Link>
    );
  }
  return <span className={`${style} text-soft`}>{entry.target}</span>;
}

function Details({ details }: { readonly details: unknown }): ReactNode {
  const words = detailWords(details);
  if (words === undefined) return <span className="text-faint">–</span>;
  return (
    <details className="group max-w-full">
      <summary className="flex min-h-7 cursor-pointer list-none items-start gap-1 text-soft">
        <ChevronRight
          aria-hidden
          className="mt-0.5 size-4 shrink-0 text-faint transition-transform group-open:rotate-90 rtl:group-open:-rotate-90"
        />
        <span className="line-clamp-2 min-w-0 [overflow-wrap:anywhere]">{words}</span>
      </summary>
      <pre
        tabIndex={0}
        className="mt-1 max-h-72 overflow-auto rounded-md border bg-panel p-2 text-start text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]"
      >
        {JSON.stringify(details, undefined, 2)}
      </pre>
    </details>
  );
}
