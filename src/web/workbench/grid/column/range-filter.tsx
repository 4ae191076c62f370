import { useMemo, useState, type FormEvent, type PointerEvent, type ReactNode } from "react";
import { Button } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/field.tsx";
import type { Column, NumberColumn } from "../../data/column.ts";
import type { FilterSpec } from "../../data/filter.ts";
import { dateText, shortNumber } from "../../data/format.ts";
import { timeOfText } from "../../data/make.ts";
import type { Table } from "../../data/table.ts";
import { rangeFacts, rangeSpec, type RangeFacts } from "./filter-facts.ts";

export interface ColumnFilterProps<Filtered extends Column> {
  readonly table: Table;
  readonly column: Filtered;
  readonly filterKey: string;
  readonly apply: (spec: FilterSpec | undefined) => void;
}

/** From, to, and a small histogram to drag them over. */
export function RangeFilter({ table, column, filterKey, apply }: ColumnFilterProps<NumberColumn>): ReactNode {
  const facts = useMemo(() => rangeFacts(column, table.filteredWithout(filterKey)), [column, table, filterKey]);
  const spec = table.filters.get(filterKey);
  const begun = spec?.kind === "range" ? spec : undefined;
  const isDate = column.type === "datetime";
  const write = (value: number | undefined): string =>
    value === undefined || Number.isNaN(value) ? "" : isDate ? dateText(value) : String(value);
  const [from, setFrom] = useState(() => write(begun?.min));
  const [to, setTo] = useState(() => write(begun?.max));
  const [missing, setMissing] = useState(begun === undefined || begun.missing === true);
  const read = (text: string): number | undefined =>
    text.trim() === "" ? undefined : isDate ? timeOfText(text.trim()) : Number(text.trim());
  const [min, max] = [read(from), read(to)];
  const wrong = (value: number | undefined): string | undefined =>
    value !== undefined && Number.isNaN(value)
      ? isDate
        ? "Like 2024-05-31 or 2024-05-31 13:45"
        : "Not a number"
      : undefined;
  const reversed = min !== undefined && max !== undefined && min > max ? "Is below the other" : undefined;
  const ends = [
    { label: "From", error: wrong(min), text: from, set: setFrom, bound: facts.min },
    { label: "To", error: wrong(max) ?? reversed, text: to, set: setTo, bound: facts.max },
  ];
  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (wrong(min) ?? wrong(max) ?? reversed) return;
    apply(rangeSpec(column.name, facts, { min, max, missing }));
  };
  if (Number.isNaN(facts.min)) return <p className="text-sm text-soft">The column has no values.</p>;
  return (
    <form onSubmit={send} className="space-y-3">
      <Histogram
        facts={facts}
        min={min ?? facts.min}
        max={max ?? facts.max}
        choose={(low, high) => {
          setFrom(write(isDate || column.type === "int" ? Math.round(low) : low));
          setTo(write(isDate || column.type === "int" ? Math.round(high) : high));
        }}
        words={isDate ? dateText : shortNumber}
      />
      <div className="grid grid-cols-2 gap-2">
        {ends.map(({ label, error, text, set, bound }) => (
          <TextField
            key={label}
            label={label}
            error={error}
            className="h-9!"
            value={text}
            placeholder={write(bound)}
            onChange={set}
          />
        ))}
      </div>
      {facts.missing > 0 && (
        <label className="flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            className="size-4"
            checked={missing}
            onChange={(event) => setMissing(event.target.checked)}
          />
          Also rows without a value ({facts.missing.toLocaleString("en")})
        </label>
      )}
      <FilterButtons clear={begun === undefined ? undefined : () => apply(undefined)} />
    </form>
  );
}

export function FilterButtons({ clear }: { readonly clear: (() => void) | undefined }): ReactNode {
  return (
    <div className="flex justify-end gap-2">
      {clear !== undefined && (
        <Button size="small" variant="quiet" onClick={clear}>
          Clear
        </Button>
      )}
      <Button size="small" variant="primary" type="submit">
        Apply
      </Button>
    </div>
  );
}

const WIDTH = 260;
const HEIGHT = 56;

/** Dragging over it chooses a range; the fields do the same by the keyboard. */
function Histogram(props: {
  readonly facts: RangeFacts;
  readonly min: number;
  readonly max: number;
  readonly choose: (low: number, high: number) => void;
  readonly words: (value: number) => string;
}): ReactNode {
  const { facts, min, max, choose, words } = props;
  const most = Math.max(1, ...facts.bins);
  const width = WIDTH / facts.bins.length;
  const valueAt = (event: { readonly clientX: number }, box: DOMRect): number =>
    facts.min + Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) * (facts.max - facts.min);
  const start = (event: PointerEvent<SVGSVGElement>): void => {
    const svg = event.currentTarget;
    const box = svg.getBoundingClientRect();
    const from = valueAt(event, box);
    svg.setPointerCapture(event.pointerId);
    const drag = (move: globalThis.PointerEvent): void => {
      const to = valueAt(move, box);
      choose(Math.min(from, to), Math.max(from, to));
    };
    svg.addEventListener("pointermove", drag);
    svg.addEventListener("lostpointercapture", () => svg.removeEventListener("pointermove", drag), { once: true });
  };
  const inside = (bin: number): boolean => {
    const step = (facts.max - facts.min) / facts.bins.length;
    const low = facts.min + bin * step;
    return low + step >= min && low <= max;
  };
  return (
    <div>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        className="w-full cursor-crosshair touch-none"
        role="img"
        aria-label={`How the values lie between ${words(facts.min)} and ${words(facts.max)}`}
        onPointerDown={start}
      >
        {facts.bins.map((rows, bin) => {
          const height = rows === 0 ? 0 : Math.max(1.5, (rows / most) * HEIGHT);
          return (
            <rect
              // eslint-disable-next-line react/no-array-index-key -- a bin is its place
              key={bin}
              x={bin * width + 0.5}
              y={HEIGHT - height}
              width={width - 1}
              height={height}
              className={inside(bin) ? "fill-accent" : "fill-line"}
            />
          );
        })}
      </svg>
      <p aria-hidden className="flex justify-between text-xs text-faint tabular-nums">
        <span>{words(facts.min)}</span>
        <span>{words(facts.max)}</span>
      </p>
    </div>
  );
}
