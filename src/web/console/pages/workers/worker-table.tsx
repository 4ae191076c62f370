import type { ReactNode } from "react";
import type { WorkerState, WorkerView } from "../../../../protocol/index.ts";
import { DataTable, type TableColumn } from "../../../ui/data-table.tsx";
import { Badge, type Tone } from "../../../ui/states.tsx";
import { Ago, count, duration } from "../../../ui/words.tsx";
import { SessionLink } from "../../app/session-link.tsx";

const TONES: Readonly<Record<WorkerState, Tone>> = { starting: "info", idle: "ok", busy: "plain", unhealthy: "bad" };
const WORDS: Readonly<Record<WorkerState, string>> = {
  starting: "starting",
  idle: "ready",
  busy: "in use",
  unhealthy: "unhealthy",
};

const COLUMNS: readonly TableColumn<WorkerView>[] = [
  { label: "Worker", heading: true, cell: ({ id }) => <span className="font-mono">{id}</span> },
  { label: "State", cell: ({ state }) => <Badge tone={TONES[state]}>{WORDS[state]}</Badge> },
  {
    label: "Kind",
    cell: ({ sandbox, network = "host", engine, program }) => (
      <>
        {sandbox} <span className="text-soft">· network {network}</span>
        <span className="block text-xs text-faint max-md:text-right">
          {program ? `${engine}, already running` : engine}
        </span>
      </>
    ),
  },
  { label: "Session", cell: (worker) => <Owner worker={worker} /> },
  { label: "Turns", figure: true, cell: ({ requests, errors }) => <Turns requests={requests} errors={errors} /> },
  {
    label: "First answer",
    figure: true,
    cell: ({ latency_ms }) => (latency_ms === undefined ? <None /> : duration(latency_ms)),
  },
  { label: "Load", figure: true, cell: ({ load }) => `${Math.round(load * 100)} %` },
  { label: "Since", figure: true, className: "whitespace-nowrap", cell: ({ since }) => <Ago at={since} /> },
];

export function WorkerTable({ workers }: { readonly workers: readonly WorkerView[] }): ReactNode {
  return <DataTable label="Workers" columns={COLUMNS} rows={workers} keyOf={({ id }) => id} />;
}

function Owner({ worker: { session_id } }: { readonly worker: WorkerView }): ReactNode {
  if (session_id === undefined) return <None />;
  return <SessionLink id={session_id} />;
}

function Turns({ requests, errors }: Pick<WorkerView, "requests" | "errors">): ReactNode {
  return (
    <>
      {count(requests)}
      {errors > 0 && <span className="text-bad"> ({count(errors)} failed)</span>}
    </>
  );
}

function None(): ReactNode {
  return <span className="text-faint">–</span>;
}
