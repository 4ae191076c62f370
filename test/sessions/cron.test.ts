import { describe, expect, it, vi } from "vitest";
import { nextTime, parseCron, zoneClock } from "../../src/sessions/triggers/cron.ts";
import { dueAt, timesAfter } from "../../src/sessions/triggers/due.ts";

const next = (cron: string, after: string, zone = "UTC"): string | undefined => {
  const ms = nextTime(parseCron(cron), zoneClock(zone), Date.parse(after));
  return ms === undefined ? undefined : new Date(ms).toISOString();
};

describe("the next time of a cron expression", () => {
  it.each([
    ["* * * * *", "2026-11-17T10:00:00.000Z", "2026-11-17T10:01:00.000Z"],
    ["* * * * *", "2026-11-17T10:00:59.999Z", "2026-11-17T10:01:00.000Z"],
    ["*/15 * * * *", "2026-11-17T10:01:00Z", "2026-11-17T10:15:00.000Z"],
    ["5/20 * * * *", "2026-11-17T10:06:00Z", "2026-11-17T10:25:00.000Z"],
    ["0 9 * * mon-fri", "2026-11-20T09:00:00Z", "2026-11-23T09:00:00.000Z"],
    ["0 9 * * 1-5", "2026-11-20T08:59:00Z", "2026-11-20T09:00:00.000Z"],
    ["30 4 1,15 * *", "2026-11-02T00:00:00Z", "2026-11-15T04:30:00.000Z"],
    ["0 0 29 2 *", "2026-03-01T00:00:00Z", "2028-02-29T00:00:00.000Z"],
    ["0 0 * * 7", "2026-11-17T00:00:00Z", "2026-11-22T00:00:00.000Z"],
    ["0 0 * * sun", "2026-11-17T00:00:00Z", "2026-11-22T00:00:00.000Z"],
    // Both are named: either will do.
    ["0 0 13 * fri", "2026-11-17T00:00:00Z", "2026-11-20T00:00:00.000Z"],
    ["0 12 * jan,jul *", "2026-11-17T00:00:00Z", "2027-01-01T12:00:00.000Z"],
    ["@daily", "2026-11-17T10:00:00Z", "2026-11-18T00:00:00.000Z"],
    ["@weekly", "2026-11-17T10:00:00Z", "2026-11-22T00:00:00.000Z"],
    ["0 0 30 2 *", "2026-11-17T10:00:00Z", undefined],
  ])("%s after %s is %s", (cron, after, wanted) => {
    expect(next(cron, after)).toBe(wanted);
  });

  it.each([
    // Madrid is an hour ahead in winter, two in summer.
    ["0 9 * * *", "2026-11-17T00:00:00Z", "Europe/Madrid", "2026-11-17T08:00:00.000Z"],
    ["0 9 * * *", "2026-07-17T00:00:00Z", "Europe/Madrid", "2026-07-17T07:00:00.000Z"],
    // Clocks go from 2:00 to 3:00: half past two never comes, and counts half an hour after the jump.
    ["30 2 * * *", "2026-03-28T12:00:00Z", "Europe/Madrid", "2026-03-29T01:30:00.000Z"],
    ["30 2 * * *", "2026-03-29T01:30:00Z", "Europe/Madrid", "2026-03-30T00:30:00.000Z"],
    // Clocks go from 3:00 back to 2:00: half past two comes twice, and counts once.
    ["30 2 * * *", "2026-10-24T12:00:00Z", "Europe/Madrid", "2026-10-25T00:30:00.000Z"],
    ["30 2 * * *", "2026-10-25T00:30:00Z", "Europe/Madrid", "2026-10-26T01:30:00.000Z"],
    ["0 0 * * *", "2026-11-17T10:00:00Z", "Asia/Kathmandu", "2026-11-17T18:15:00.000Z"],
    ["0 0 1 * *", "2026-12-31T20:00:00Z", "Pacific/Auckland", "2027-01-31T11:00:00.000Z"],
    ["0 0 1 1 *", "2026-11-17T00:00:00Z", "America/Los_Angeles", "2027-01-01T08:00:00.000Z"],
  ])("%s after %s in %s is %s", (cron, after, zone, wanted) => {
    expect(next(cron, after, zone)).toBe(wanted);
  });

  it.each([
    ["* * * *", "has 4 fields"],
    ["60 * * * *", "minute: 60 is not between 0 and 59"],
    ["* 24 * * *", "hour: 24 is not between"],
    ["* * 0 * *", "day of the month: 0 is not between"],
    ["* * * 13 *", "month: 13 is not between"],
    ["* * * * 8", "day of the week: 8 is not between"],
    ["*/0 * * * *", "minute: */0 cannot be read"],
    ["5-1 * * * *", "minute: 5-1 is no range"],
    ["1-2-3 * * * *", "minute: 1-2-3 is no range"],
    ["a * * * *", "minute: a cannot be read"],
    ["1, * * * *", "minute:  cannot be read"],
    ["@never", "has 1 fields"],
    ["constructor", "has 1 fields"],
  ])("%s is refused: %s", (cron, why) => {
    expect(() => parseCron(cron)).toThrow(why);
  });

  it("a time zone that does not exist is refused", () => {
    expect(() => zoneClock("Mars/Olympus")).toThrow("there is no time zone Mars/Olympus");
  });
});

describe("what is due", () => {
  const each = { cron: "0 * * * *", time_zone: "UTC" };
  const at = (text: string): number => Date.parse(`2026-11-17T${text}Z`);

  it.each([
    ["nothing yet", "10:00:00", "10:59:59", undefined],
    ["one, in time", "10:00:00", "11:00:00", { at: at("11:00:00"), missed: 0, isLate: false }],
    ["one, too late", "10:00:00", "11:30:00", { at: at("11:00:00"), missed: 0, isLate: true }],
    ["several: the newest counts", "10:00:00", "14:00:10", { at: at("14:00:00"), missed: 3, isLate: false }],
    ["a clock that was set back", "14:00:00", "11:00:00", undefined],
  ])("%s", (_what, after, now, wanted) => {
    expect(dueAt(each, at(after), at(now))).toEqual(wanted);
  });

  it("years of minutes are counted up to a bound, and the newest of them is found", () => {
    const due = dueAt({ cron: "* * * * *", time_zone: "UTC" }, 0, at("11:00:30"));
    expect(due).toEqual({ at: at("11:00:00"), missed: 100, isLate: false });
  });

  it.each([
    ["UTC", "2026-11-17T11:00:30.000Z"],
    // Clocks change on this day.
    ["Europe/Madrid", "2027-03-28T12:00:30.000Z"],
    ["Europe/Madrid", "2026-10-25T00:30:30.000Z"],
  ])("finding what is due after a day without a server costs little: %s at %s", (time_zone, now) => {
    const read = vi.spyOn(Intl.DateTimeFormat.prototype, "formatToParts");
    try {
      const ms = Date.parse(now);
      const due = dueAt({ cron: "* * * * *", time_zone }, ms - 86_400_000, ms);
      expect(due).toEqual({ at: ms - 30_000, missed: 100, isLate: false });
      // A look at a clock takes 10 µs; there may be 200 schedules.
      expect(read.mock.calls.length).toBeLessThan(5_000);
    } finally {
      read.mockRestore();
    }
  });

  it.each([
    ["0-9 3 * * *", "2026-11-17T02:00:00Z", "2026-11-17T23:00:00Z"],
    ["*/7 0-11 * * *", "2026-11-15T02:00:00Z", "2026-11-17T23:59:00Z"],
    ["30 2 * * *", "2026-01-01T00:00:00Z", "2026-10-25T01:45:00Z"],
  ])("the newest time of %s since %s is the one that walking there finds", (cron, since, until) => {
    const timetable = { cron, time_zone: "Europe/Madrid" };
    let walked: number | undefined;
    const clock = zoneClock("Europe/Madrid");
    for (let at = Date.parse(since); ;) {
      const later = nextTime(parseCron(cron), clock, at);
      if (later === undefined || later > Date.parse(until)) break;
      walked = later;
      at = later;
    }
    expect(dueAt(timetable, Date.parse(since), Date.parse(until))?.at).toBe(walked);
  });

  it("once is once", () => {
    const once = { at: "2026-11-17T11:00:00Z", time_zone: "UTC" };
    expect(dueAt(once, at("10:00:00"), at("11:00:00"))).toEqual({ at: at("11:00:00"), missed: 0, isLate: false });
    expect(dueAt(once, at("11:00:00"), at("12:00:00"))).toBeUndefined();
    expect(timesAfter(once, at("10:00:00"))).toEqual([at("11:00:00")]);
  });
});
