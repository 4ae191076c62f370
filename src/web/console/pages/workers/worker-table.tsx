import type { ReactNode } from "react";
import type { WorkerState, WorkerView } from "../../../../protocol/index.ts";
import { DataTable, type TableColumn } from "../../../ui/data-table.tsx";
import { Badge, type Tone } from "../../../ui/states.tsx";
import { Ago, count, duration } from "../../../ui/words.tsx";
import { SessionLink } from "../../app/session-link.tsx";
import { t } from "../../../ui/language/t.ts";

const TONES: Readonly<Record<WorkerState, Tone>> = { starting: "info", idle: "ok", busy: "plain", unhealthy: "bad" };
const WORDS: Readonly<Record<WorkerState, string>> = {
  starting: "starting",
  idle: "ready",
  busy: t("in use"),
  unhealthy: "unhealthy",
};

const COLUMNS: readonly TableColumn<WorkerView>[] = [
  { label: t("Worker"), heading: true, cell: ({ id }) => <span className="font-mono">{id}</span> },
  { label: t("State"), cell: ({ state }) => <Badge tone={TONES[state]}>{WORDS[state]}</Badge> },
  {
    label: t("Kind"),
    cell: ({ sandbox, network = "host", engine, program }) => (
      <>
        {sandbox} <span className="text-soft">· {t("network {network}", { network })}</span>
        <span className="block text-xs text-faint max-md:text-end">
          {program ? t("{engine}, already running", { engine }) : engine}
        </span>
      </>
    ),
  },
  { label: t("Session"), cell: (worker) => <Owner worker={worker} /> },
  { label: t("Turns"), figure: true, cell: ({ requests, errors }) => <Turns requests={requests} errors={errors} /> },
  {
    label: t("First answer"),
    figure: true,
    cell: ({ latency_ms }) => (latency_ms === undefined ? <None /> : duration(latency_ms)),
  },
  { label: t("Load"), figure: true, cell: ({ load }) => `${Math.round(load * 100)} %` },
  { label: t("Since"), figure: true, className: "whitespace-nowrap", cell: ({ since }) => <Ago at={since} /> },
];

export function WorkerTable({ workers }: { readonly workers: readonly WorkerView[] }): ReactNode {
  return <DataTable label={t("Workers")} columns={COLUMNS} rows={workers} keyOf={({ id }) => id} />;
}

function Owner({ worker: { session_id } }: { readonly worker: WorkerView }): ReactNode {
  if (session_id === undefined) return <None />;
  return <SessionLink id={session_id} />;
}

function Turns({ requests, errors }: Pick<WorkerView, "requests" | "errors">): ReactNode {
  return (
    <>
      {count(requests)}
      {errors > 0 && <span className="text-bad"> {t("({errors} failed)", { errors: count(errors) })}</span>}
    </>
  );
}

function None(): ReactNode {
  return <span className="text-faint">–</span>;
}
