import { useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { Bits } from "../../data/bits.ts";
import { MONTHS } from "../../data/dates.ts";
import { useTable } from "../../data/use-table.ts";
import { LookColumn } from "../drawing/column-select.tsx";
import { inkOn, type Palette } from "../drawing/colors.ts";
import { Figure, type Area } from "../drawing/figure.tsx";
import { chooseGroup, rowsOf, type ModifierKeys } from "../drawing/rows.ts";
import { hideTooltip, showTooltip, showTooltipAt } from "../drawing/tooltip.ts";
import { usePalette } from "../drawing/use-palette.ts";
import { rowsWords } from "../drawing/words.ts";
import { flagOf, textOf } from "../look.ts";
import { Notice } from "../parts/notice.tsx";
import { useLines } from "../parts/use-lines.ts";
import type { ViewerProps } from "../viewer.ts";
import {
  calendarOf,
  isoDay,
  monthMark,
  rowsIn,
  WEEKDAYS,
  weekOf,
  type CalendarModel,
  type Day,
  type DateSpan,
} from "./model.ts";

/** Width of the months' names, and bounds of a day's side, px. */
const MONTH = 52;
const SMALLEST = 20;
const LARGEST = 44;

export function Calendar(props: ViewerProps): ReactNode {
  const { table, look } = props;
  const key = useTable(table, "columns", "filter", "selection");
  const model = useMemo(() => calendarOf(table, look, rowsOf(table, look, props.id)), [table, look, key, props.id]);
  return (
    <Figure
      viewer={props}
      sentence={typeof model === "string" ? model : sentenceOf(model)}
      top={<LookColumn label="Date" viewer={props} name="dateColumnName" columns="datetime" />}
    >
      {(area) =>
        typeof model === "string" ? <Notice>{model}</Notice> : <Weeks {...props} area={area} model={model} />
      }
    </Figure>
  );
}

interface WeeksProps extends ViewerProps {
  readonly area: Area;
  readonly model: CalendarModel;
}

function Weeks({ table, look, id, area, model }: WeeksProps): ReactNode {
  const palette = usePalette();
  const scroller = useRef<HTMLDivElement>(null);
  const [reached, setReached] = useState(() => model.counts.findIndex((count) => count > 0));
  const side = Math.max(SMALLEST, Math.min(LARGEST, (area.width - MONTH - 20) / 7));
  const height = Math.min(side, 32);
  const weeks = useLines(scroller, { count: model.weeks, size: height, overscan: 6 });
  const choose = (span: DateSpan, keys: ModifierKeys): void =>
    chooseGroup({
      table,
      id,
      action: textOf(look, "onClick"),
      rows: Bits.of(table.rowCount, rowsIn(table, look, span, rowsOf(table, look, id))),
      keys,
    });
  const move = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 7, ArrowUp: -7, PageDown: 28, PageUp: -28 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(model.weeks * 7 - 1, reached + by));
    setReached(next);
    weeks.scrollToIndex(Math.floor(next / 7));
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-day="${String(next)}"]`)?.focus());
  };
  return (
    <div ref={scroller} className="size-full overflow-auto px-1">
      <div
        role="grid"
        aria-label="Days by week"
        aria-rowcount={model.weeks + 1}
        aria-multiselectable="true"
        onKeyDown={move}
        className="mx-auto"
        style={{ width: MONTH + side * 7 }}
      >
        {flagOf(look, "showHeader") && <WeekdayHeads side={side} red={model.redWeekends} choose={choose} />}
        <div role="rowgroup" className="relative" style={{ height: weeks.getTotalSize() }}>
          {weeks.getVirtualItems().map((item) => {
            const days = weekOf(model, item.index);
            const mark = monthMark(days, item.index);
            return (
              <div
                key={item.key}
                role="row"
                aria-rowindex={item.index + 2}
                className="absolute flex"
                style={{ top: item.start, height }}
              >
                <MonthName mark={mark} isFirst={item.index === 0} choose={choose} />
                {days.map((day) => (
                  <DayCell
                    key={day.day}
                    {...{ day, side, height, palette, choose }}
                    place={item.index * 7 + day.weekday}
                    reachable={item.index * 7 + day.weekday === reached}
                    onReach={setReached}
                  />
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function WeekdayHeads({
  side,
  red,
  choose,
}: {
  readonly side: number;
  readonly red: boolean;
  readonly choose: (span: DateSpan, keys: ModifierKeys) => void;
}): ReactNode {
  const letters = side < 30 ? 2 : 3;
  return (
    <div role="row" className="sticky top-0 z-10 flex bg-paper" style={{ paddingLeft: MONTH }}>
      {WEEKDAYS.map((name, weekday) => (
        <div key={name} role="columnheader" style={{ width: side }}>
          <button
            type="button"
            aria-label={`${name.slice(0, letters)}: all rows on a ${name}`}
            title={name}
            onClick={(event) => choose({ kind: "weekday", weekday }, event)}
            className={`h-6 w-full rounded text-center text-xs hover:bg-sunken ${red && weekday >= 5 ? "text-bad" : "text-soft"}`}
          >
            {name.slice(0, letters)}
          </button>
        </div>
      ))}
    </div>
  );
}

function MonthName({
  mark,
  isFirst,
  choose,
}: {
  readonly mark: Day | undefined;
  readonly isFirst: boolean;
  readonly choose: (span: DateSpan, keys: ModifierKeys) => void;
}): ReactNode {
  return (
    <div role={mark === undefined ? "presentation" : "rowheader"} className="shrink-0" style={{ width: MONTH }}>
      {mark !== undefined && (
        <button
          type="button"
          title={`All rows of ${MONTHS[mark.month] ?? ""} ${String(mark.year)}`}
          onClick={(event) => choose({ kind: "month", year: mark.year, month: mark.month }, event)}
          className="h-full min-h-6 w-full rounded px-1 text-left text-[11px] leading-none text-soft hover:bg-sunken hover:text-ink"
        >
          {(MONTHS[mark.month] ?? "").slice(0, 3)}
          {(isFirst || mark.month === 0) && <span className="block font-medium text-ink">{mark.year}</span>}
          <span className="sr-only">
            : all rows of {MONTHS[mark.month]} {mark.year}
          </span>
        </button>
      )}
    </div>
  );
}

interface DayCellProps {
  readonly day: Day;
  readonly place: number;
  readonly side: number;
  readonly height: number;
  readonly palette: Palette;
  readonly reachable: boolean;
  readonly onReach: (place: number) => void;
  readonly choose: (span: DateSpan, keys: ModifierKeys) => void;
}

function DayCell({ day, place, side, height, palette, reachable, onReach, choose }: DayCellProps): ReactNode {
  const words = `${WEEKDAYS[day.weekday] ?? ""} ${isoDay(day.day)}`;
  // The least that has a row is told apart from none.
  const color = day.count === 0 ? undefined : palette.linear(0.05 + 0.95 * Math.sqrt(day.share));
  const lines = [
    ["", words],
    ["Rows", day.count.toLocaleString("en-US")],
    ...(day.selected > 0 ? [["Selected", day.selected.toLocaleString("en-US")]] : []),
  ] as [string, string][];
  const newMonth = day.date <= 7;
  return (
    <div
      role="gridcell"
      data-day={place}
      tabIndex={reachable ? 0 : -1}
      aria-label={`${String(day.date)}: ${words}, ${rowsWords(day.count)}`}
      aria-selected={day.selected > 0}
      onFocus={(event) => {
        onReach(place);
        if (event.currentTarget.matches(":focus-visible")) showTooltipAt(event.currentTarget, lines);
      }}
      onBlur={hideTooltip}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        choose({ kind: "day", day: day.day }, event);
      }}
      onClick={(event) => choose({ kind: "day", day: day.day }, event)}
      onPointerMove={(event) => showTooltip({ x: event.clientX, y: event.clientY }, lines)}
      onPointerLeave={hideTooltip}
      style={{ width: side, height, borderColor: newMonth ? palette.lineStrong : "transparent" }}
      className={`cursor-pointer p-px text-[11px] focus-visible:z-10 focus-visible:-outline-offset-2 ${newMonth ? "border-t" : ""} ${day.date === 1 && day.weekday > 0 ? "border-l" : ""}`}
    >
      <span
        className={`relative flex size-full items-center justify-center rounded-[3px] tabular-nums ${day.red && color === undefined ? "text-bad" : "text-soft"}`}
        style={
          color === undefined ? undefined : { background: color, color: inkOn(color), fontWeight: day.red ? 700 : 400 }
        }
      >
        {day.date}
        {day.red && color !== undefined && side >= 28 && (
          <span
            aria-hidden
            className="absolute top-0.5 right-0.5 size-1.5 rounded-full border border-paper"
            style={{ background: "var(--bad)" }}
          />
        )}
        {day.selected > 0 && (
          <span
            aria-hidden
            className="absolute bottom-0 left-0 h-[3px] rounded-full"
            style={{
              background: palette.selected,
              width: `${String(Math.max(20, (day.selected / day.count) * 100))}%`,
            }}
          />
        )}
      </span>
    </div>
  );
}

function sentenceOf(model: CalendarModel): string {
  const rows = model.counts.reduce((sum, count) => sum + count, 0);
  const busiest = model.counts.indexOf(model.busiest);
  const without = model.without > 0 ? ` ${rowsWords(model.without)} without a date.` : "";
  return `Calendar of ${rowsWords(rows)} from ${isoDay(model.from)} to ${isoDay(model.to)}. Most on ${isoDay(model.first + busiest)}: ${rowsWords(model.busiest)}.${without}`;
}
