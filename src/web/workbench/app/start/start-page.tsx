import { FileUp, Link, Server, Table2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { SAMPLES } from "../../samples/index.ts";
import { useBench, useOpening } from "../context.tsx";
import { ask } from "../surface.ts";
import { useFilePicker } from "./file-picker.tsx";

const RECENT_SHOWN = 6;

/** Nothing is open: the ways to begin. */
export function StartPage(): ReactNode {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto max-w-3xl space-y-8 px-4 py-8 md:py-14">
        <header>
          <h1 className="text-2xl font-semibold">Workbench</h1>
          <p className="mt-1.5 text-soft">
            Open a table, look at it in charts, and let Claude help. Your data stays in this browser; Claude sees what
            you ask about.
          </p>
        </header>
        <OpenBox />
        <Samples />
        <Recent />
      </div>
    </div>
  );
}

function OpenBox(): ReactNode {
  const pick = useFilePicker();
  return (
    <section
      aria-label="Open a table"
      className="flex flex-col items-center gap-3 rounded-2xl border-2 border-dashed border-line-strong/50 bg-paper px-4 py-9 text-center"
    >
      <FileUp aria-hidden className="size-8 text-faint" />
      <p className="font-medium">Drop a file anywhere on this page</p>
      <p className="text-sm text-faint">CSV, TSV, JSON, NDJSON, Parquet, Arrow or Excel</p>
      <div className="flex flex-wrap justify-center gap-2">
        <Button variant="primary" onClick={pick}>
          Choose a file
        </Button>
        <Button onClick={() => ask({ kind: "url" })}>
          <Link aria-hidden className="size-4" /> Open an address
        </Button>
        <Button onClick={() => ask({ kind: "projects" })}>
          <Server aria-hidden className="size-4" /> Open a project
        </Button>
      </div>
    </section>
  );
}

function Samples(): ReactNode {
  const { opening } = useBench();
  const { reading } = useOpening();
  return (
    <section>
      <h2 className="mb-2.5 text-sm font-semibold">Or begin with a sample</h2>
      <ul className="grid gap-2.5 sm:grid-cols-2">
        {SAMPLES.map((sample) => (
          <li key={sample.id}>
            <button
              type="button"
              disabled={reading !== undefined}
              onClick={() => void opening.sample(sample)}
              className="flex h-full w-full items-start gap-3 rounded-xl border bg-paper p-3.5 text-left hover:border-line-strong/60 hover:bg-raised disabled:opacity-60"
            >
              <Table2 aria-hidden className="mt-0.5 size-4.5 shrink-0 text-accent" />
              <span>
                <span className="block text-sm font-medium">{sample.title}</span>
                <span className="mt-0.5 block text-sm text-soft">{sample.about}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Recent(): ReactNode {
  const { layouts } = useBench();
  const [recent] = useState(() => layouts.recent().slice(0, RECENT_SHOWN));
  if (recent.length === 0) return undefined;
  return (
    <section>
      <h2 className="mb-1 text-sm font-semibold">Layouts kept in this browser</h2>
      <p className="mb-2.5 text-sm text-soft">Open the same table again, and its viewers come back.</p>
      <ul className="divide-y rounded-xl border bg-paper">
        {recent.map(({ table, at, viewers }) => (
          <li key={`${table}${String(at)}`} className="flex items-baseline justify-between gap-3 px-3.5 py-2 text-sm">
            <span className="min-w-0 truncate font-medium">{table}</span>
            <span className="shrink-0 text-faint">
              {viewers === 1 ? "1 viewer" : `${String(viewers)} viewers`} · {new Date(at).toLocaleDateString()}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
