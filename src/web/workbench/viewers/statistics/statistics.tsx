import { ArrowDown, ArrowUp } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { Bits } from "../../data/bits.ts";
import type { Column } from "../../data/column.ts";
import { statsOf, type ColumnStats } from "../../data/stats.ts";
import { useTable } from "../../data/use-table.ts";
import { Figure } from "../drawing/figure.tsx";
import { countWords, rowsWords } from "../drawing/words.ts";
import { chosenList, listOf } from "../look.ts";
import { LookColumns } from "../parts/column-picker.tsx";
import { Notice } from "../parts/notice.tsx";
import { useLater } from "../parts/use-later.ts";
import type { ViewerProps } from "../viewer.ts";
import { ordered, STAT_WORDS, statText, type Stat, type StatisticsOrder, type StatisticsRow } from "./model.ts";

/** Columns described at once; a wider table is told in words. */
const MOST_COLUMNS = 500;

export function Statistics(props: ViewerProps): ReactNode {
  const { table, look } = props;
  const key = useTable(table, "columns", "filter");
  const [order, setOrder] = useState<StatisticsOrder>();
  const all = chosenList(table, look, "columnNames");
  const columns = all.slice(0, MOST_COLUMNS);
  const { filtered } = table;
  const names = columns.map(({ name }) => name).join("\n");
  const made = useLater(`${table.id} ${key} ${names}`, () => describe(columns, filtered));
  const rows = columns.map((column): StatisticsRow => ({
    column,
    stats: made.find((one) => one.column === column)?.stats,
  }));
  return (
    <Figure
      viewer={props}
      sentence={`Statistics of ${countWords(columns.length, "column")} over ${rowsWords(filtered.count)}.`}
      top={
        <>
          <LookColumns label="Columns" viewer={props} name="columnNames" />
          <span className="ml-auto truncate px-1 text-xs text-soft">
            {filtered.count === table.rowCount ? "all rows" : `${rowsWords(filtered.count)} shown`}
            {all.length > columns.length && `, the first ${String(MOST_COLUMNS)} columns`}
          </span>
        </>
      }
    >
      {() =>
        columns.length === 0 ? (
          <Notice>Choose the columns to describe.</Notice>
        ) : (
          <Figures
            rows={ordered(rows, order)}
            stats={listOf(look, "stats") as readonly Stat[]}
            order={order}
            onOrder={setOrder}
          />
        )
      }
    </Figure>
  );
}

function* describe(
  columns: readonly Column[],
  rows: Bits,
): Generator<{ readonly column: Column; readonly stats: ColumnStats }, void> {
  for (const column of columns) yield { column, stats: statsOf(column, rows) };
}

interface FiguresProps {
  readonly rows: readonly StatisticsRow[];
  readonly stats: readonly Stat[];
  readonly order: StatisticsOrder | undefined;
  readonly onOrder: (order: StatisticsOrder | undefined) => void;
}

function Figures({ rows, stats, order, onOrder }: FiguresProps): ReactNode {
  const head = (by: StatisticsOrder["by"], words: string): ReactNode => (
    <Head key={by} by={by} words={words} order={order} onOrder={onOrder} />
  );
  return (
    <div className="size-full overflow-auto" tabIndex={0} role="region" aria-label="Statistics by column">
      <table className="w-full border-separate border-spacing-0 text-xs">
        <thead>
          <tr>
            {head("name", "Column")}
            {head("type", "Type")}
            {stats.map((stat) => head(stat, stat))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.column.name} className="hover:bg-sunken">
              <th
                scope="row"
                className="sticky left-0 max-w-44 truncate border-b bg-paper px-2 py-1 text-left font-medium"
                title={row.column.name}
              >
                {row.column.name}
              </th>
              <td className="border-b px-2 py-1 text-soft">{row.column.type}</td>
              {stats.map((stat) => (
                <td key={stat} className="border-b px-2 py-1 text-right whitespace-nowrap tabular-nums">
                  {row.stats === undefined ? <span className="text-faint">…</span> : statText(row, stat)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface StatisticsHeadProps {
  readonly by: StatisticsOrder["by"];
  readonly words: string;
  readonly order: StatisticsOrder | undefined;
  readonly onOrder: (order: StatisticsOrder | undefined) => void;
}

const DIRECTIONS = { none: undefined, up: "ascending", down: "descending" } as const;

/** First the most for figures, the first for names; then the other way; then as in the table. */
function Head({ by, words, order, onOrder }: StatisticsHeadProps): ReactNode {
  const isText = by === "name" || by === "type";
  const state = order?.by !== by ? "none" : order.descending ? "down" : "up";
  const first = isText ? "up" : "down";
  const next = state === "none" ? first : state === first ? (isText ? "down" : "up") : "none";
  return (
    <th
      scope="col"
      aria-sort={DIRECTIONS[state]}
      className={`sticky top-0 border-b bg-panel p-0 font-medium text-soft ${by === "name" ? "left-0 z-20" : "z-10"}`}
    >
      <button
        type="button"
        title={isText ? words : STAT_WORDS[by]}
        onClick={() => onOrder(next === "none" ? undefined : { by, descending: next === "down" })}
        className={`flex h-7 w-full items-center gap-1 px-2 hover:text-ink ${isText ? "" : "justify-end"}`}
      >
        {words}
        {state === "up" && <ArrowUp aria-hidden className="size-3" />}
        {state === "down" && <ArrowDown aria-hidden className="size-3" />}
      </button>
    </th>
  );
}
