import * as Slider from "@radix-ui/react-slider";
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { NumberColumn } from "../../data/column.ts";
import type { Table } from "../../data/table.ts";
import { useTable } from "../../data/use-table.ts";
import { usePalette } from "../drawing/use-palette.ts";
import { isSpan, shareBetween } from "../drawing/scale.ts";
import { rowsWords } from "../drawing/words.ts";
import type { FiltersCardProps } from "./card.tsx";
import {
  BINS,
  boundsOf,
  endOf,
  endText,
  rangeOf,
  rangeSpec,
  stepOf,
  type FilterHistogram,
  type FilterRange,
} from "./model.ts";

/** Height of the histogram, in the units of its picture. */
const HIGH = 44;

export function RangeCard(props: FiltersCardProps & { readonly column: NumberColumn }): ReactNode {
  const { table, column, show, filter, content, set } = props;
  const bounds = boundsOf(column);
  const held = rangeOf(column, filter);
  const [draft, setDraft] = useDraft(held, (range) => set(column.name, rangeSpec(column, range)));
  if (bounds.min > bounds.max) return <p className="px-1 text-xs text-soft">No row has a value.</p>;
  const isMovable = isSpan(bounds.min, bounds.max) && Number.isFinite(bounds.max - bounds.min);
  const histogram = content?.kind === "range" ? content.histogram : undefined;
  return (
    <div className="px-2">
      {show.histogram && <Bars table={table} column={column} histogram={histogram} range={draft} show={show} />}
      {isMovable && (
        <Slider.Root
          className="relative flex h-6 touch-none items-center select-none"
          min={bounds.min}
          max={bounds.max}
          step={stepOf(column)}
          value={[Math.max(bounds.min, draft.min), Math.min(bounds.max, draft.max)]}
          onValueChange={([min = bounds.min, max = bounds.max]) => {
            // Steps rarely end at the bound: what is within a step of it means the bound.
            const near = stepOf(column);
            setDraft({
              ...draft,
              min: min - bounds.min < near / 2 ? bounds.min : min,
              max: bounds.max - max < near ? bounds.max : max,
            });
          }}
        >
          <Slider.Track className="relative h-1 grow rounded-full bg-line">
            <Slider.Range className="absolute h-full rounded-full bg-accent" />
          </Slider.Track>
          <Thumb label={`${column.name}, least`} words={endText(column, draft.min)} />
          <Thumb label={`${column.name}, most`} words={endText(column, draft.max)} />
        </Slider.Root>
      )}
      {show.minMax && (
        <div className="flex items-center gap-1 pb-0.5">
          <End
            column={column}
            label="least"
            value={draft.min}
            onChange={(min) => setDraft({ ...draft, min: Math.max(bounds.min, min) })}
          />
          <span aria-hidden className="text-faint">
            –
          </span>
          <End
            column={column}
            label="most"
            value={draft.max}
            onChange={(max) => setDraft({ ...draft, max: Math.min(bounds.max, max) })}
          />
        </div>
      )}
      {histogram !== undefined && (histogram.missing > 0 || !draft.missing) && (
        <label className="flex h-6 cursor-pointer items-center gap-1.5 text-xs text-soft">
          <input
            type="checkbox"
            checked={draft.missing}
            onChange={() => setDraft({ ...draft, missing: !draft.missing })}
          />
          Without a value{show.counts && `: ${rowsWords(histogram.missing)}`}
        </label>
      )}
    </div>
  );
}

/** While a thumb is dragged the filter follows once in a frame at most, and the thumb never waits for it. */
function useDraft(
  held: FilterRange,
  commit: (range: FilterRange) => void,
): readonly [FilterRange, (range: FilterRange) => void] {
  const [draft, setDraft] = useState<FilterRange>();
  const request = useRef(0);
  useEffect(() => () => cancelAnimationFrame(request.current), []);
  const change = (range: FilterRange): void => {
    setDraft(range);
    cancelAnimationFrame(request.current);
    request.current = requestAnimationFrame(() => {
      setDraft(undefined);
      commit(range);
    });
  };
  return [draft ?? held, change];
}

function Thumb({ label, words }: { readonly label: string; readonly words: string }): ReactNode {
  return (
    <Slider.Thumb
      aria-label={label}
      aria-valuetext={words}
      className="relative block size-3.5 cursor-grab rounded-full border-2 border-accent bg-raised after:absolute after:-inset-1.5 hover:bg-accent-soft"
    />
  );
}

interface EndProps {
  readonly column: NumberColumn;
  readonly label: string;
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** What was written counts with Enter or when the field is left; what is no number is put back. */
function End({ column, label, value, onChange }: EndProps): ReactNode {
  const [written, setWritten] = useState<string>();
  const wrong = written !== undefined && Number.isNaN(endOf(column, written));
  const take = (): void => {
    if (written !== undefined && !wrong) onChange(endOf(column, written));
    setWritten(undefined);
  };
  return (
    <input
      aria-label={`${column.name}, ${label}`}
      aria-invalid={wrong}
      value={written ?? endText(column, value)}
      onChange={(event) => setWritten(event.target.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === "Enter") take();
        if (event.key === "Escape") setWritten(undefined);
      }}
      className="h-6 w-0 min-w-0 flex-1 rounded border border-line-strong/60 bg-paper px-1 text-xs tabular-nums aria-invalid:border-bad"
    />
  );
}

interface BarsProps extends Pick<FiltersCardProps, "show"> {
  readonly table: Table;
  readonly column: NumberColumn;
  readonly histogram: FilterHistogram | undefined;
  readonly range: FilterRange;
}

function Bars({ table, column, histogram, range, show }: BarsProps): ReactNode {
  useTable(table, "rows");
  const palette = usePalette();
  const { min, max } = boundsOf(column);
  const placeOf = (value: number): number => shareBetween(value, { min, max }) * BINS;
  const line = (row: number, color: string): ReactNode => {
    const value = row < 0 ? Number.NaN : (column.numbers[row] ?? Number.NaN);
    if (Number.isNaN(value)) return undefined;
    return (
      <line
        x1={placeOf(value)}
        x2={placeOf(value)}
        y2={HIGH}
        stroke={color}
        strokeWidth={2}
        vectorEffect="non-scaling-stroke"
      />
    );
  };
  const [from, to] = [placeOf(range.min), placeOf(range.max)];
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${String(BINS)} ${String(HIGH)}`}
      preserveAspectRatio="none"
      className="block h-11 w-full"
    >
      {Array.from(histogram?.counts ?? [], (count, bin) => {
        const most = Math.max(1, histogram?.most ?? 1);
        const high = count === 0 ? 0 : Math.max(1, (count / most) * HIGH);
        const chosen = ((histogram?.selected[bin] ?? 0) / most) * HIGH;
        const inside = bin + 1 > from - 1e-9 && bin < to + 1e-9;
        return (
          <g key={bin}>
            <rect
              x={bin + 0.06}
              width={0.88}
              y={HIGH - high}
              height={high}
              fill={inside ? palette.mark : palette.out}
            />
            {show.selection && chosen > 0 && (
              <rect x={bin + 0.06} width={0.88} y={HIGH - chosen} height={chosen} fill={palette.selected} />
            )}
          </g>
        );
      })}
      {show.current && line(table.currentRow, palette.current)}
      {show.hover && line(table.hoverRow, palette.hover)}
    </svg>
  );
}
