import { describe, expect, test } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import { calendar } from "../../../../src/web/workbench/viewers/calendar/definition.ts";
import {
  calendarOf,
  isoDay,
  monthMark,
  rowsIn,
  weekOf,
  type CalendarModel,
  type DateSpan,
} from "../../../../src/web/workbench/viewers/calendar/model.ts";
import { wholeLook } from "../../../../src/web/workbench/viewers/registry.ts";
import type { Look } from "../../../../src/web/workbench/viewers/viewer.ts";

const times = ["2024-02-28T23:59:59Z", "2024-02-29", "2024-02-29T08:00:00Z", "2024-03-02", null, "2024-03-04"];
const table = () => {
  const made = newTable("t", [
    columnOf(
      "When",
      times.map((time) => (time === null ? null : new Date(time))),
    ),
    columnOf(
      "Other",
      times.map(() => new Date("2020-01-01")),
    ),
  ]);
  made.setFilter("x", { kind: "rows", rows: Bits.of(6, [0, 1, 2, 3, 4]) });
  made.select(Bits.of(6, [2, 5]));
  return made;
};
const look = (set: Look = {}): Look => wholeLook(calendar, table(), set);
const model = (set: Look = {}): CalendarModel => {
  const made = calendarOf(table(), look(set));
  if (typeof made === "string") throw new Error(made);
  return made;
};
const brief = (made: CalendarModel): unknown => [
  isoDay(made.first),
  made.weeks,
  [...made.counts],
  [...made.selected],
  made.busiest,
  made.without,
];

describe("days", () => {
  test("of rows that are shown, in whole weeks from Monday, UTC", () => {
    expect(brief(model())).toEqual(["2024-02-26", 1, [0, 0, 1, 2, 0, 1, 0], [0, 0, 0, 1, 0, 0, 0], 2, 1]);
  });

  test("of all rows", () => {
    expect(brief(model({ showFilteredOnly: false }))).toEqual([
      "2024-02-26",
      2,
      [0, 0, 1, 2, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0],
      [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0],
      2,
      1,
    ]);
  });

  test("a week, its month and its red days", () => {
    const days = weekOf(model(), 0);
    expect(days.map(({ month, date, count, share, red }) => [month, date, count, share, red])).toEqual([
      [1, 26, 0, 0, false],
      [1, 27, 0, 0, false],
      [1, 28, 1, 0.5, false],
      [1, 29, 2, 1, false],
      [2, 1, 0, 0, false],
      [2, 2, 1, 0.5, true],
      [2, 3, 0, 0, true],
    ]);
    expect([monthMark(days, 0)?.month, monthMark(days.slice(0, 4), 0)?.month, monthMark(days.slice(0, 4), 1)]).toEqual([
      2,
      1,
      undefined,
    ]);
    expect(weekOf(model({ redWeekends: false }), 0).some(({ red }) => red)).toBe(false);
  });

  test("before 1970, another column, none, too long a time", () => {
    const old = newTable("old", [columnOf("When", [new Date("1969-12-31T12:00:00Z")])]);
    const made = calendarOf(old, wholeLook(calendar, old, {}));
    expect(typeof made !== "string" && brief(made)).toEqual([
      "1969-12-29",
      1,
      [0, 0, 1, 0, 0, 0, 0],
      [0, 0, 0, 0, 0, 0, 0],
      1,
      0,
    ]);
    expect(isoDay(model({ dateColumnName: "Other" }).first)).toBe("2019-12-30");
    expect(calendarOf(table(), {})).toBe("Choose a column of dates.");
    const long = newTable("long", [columnOf("When", [new Date("1500-01-01"), new Date("2000-01-01")])]);
    expect(calendarOf(long, wholeLook(calendar, long, {}))).toBe(
      "When reaches from 1500-01-01 to 2000-01-01, more than 200 years. Filter it.",
    );
  });
});

test.each<[DateSpan, readonly number[]]>([
  [{ kind: "day", day: Date.UTC(2024, 1, 29) / 86_400_000 }, [1, 2]],
  [{ kind: "month", year: 2024, month: 1 }, [0, 1, 2]],
  [{ kind: "month", year: 2024, month: 2 }, [3]],
  [{ kind: "weekday", weekday: 5 }, [3]],
  [{ kind: "weekday", weekday: 0 }, []],
])("rows of %j", (span, rows) => {
  expect(rowsIn(table(), look(), span)).toEqual(rows);
});
