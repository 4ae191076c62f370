import { expect, it } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import { ClockTrust } from "../../src/sessions/lifecycle/clock-trust.ts";
import { MovableClock } from "../support/clock.ts";

const DAY = 86_400_000;
const LOOK = 600_000;
const AHEAD = "the clock is far ahead of what was last seen: nothing is deleted by age for a while. Is it right?";

function watched() {
  const clock = new MovableClock({ stands: true });
  const warnings: unknown[] = [];
  const silent = (): void => undefined;
  const warn = (fields: object, message: string): void => void warnings.push({ ...fields, message });
  const trust = new ClockTrust({ clock, log: { info: silent, error: silent, warn } });
  /** Whether it is trusted at each look of so many milliseconds. */
  const looks = (ms: number): boolean[] =>
    Array.from({ length: Math.ceil(ms / LOOK) }, () => {
      clock.pass(LOOK);
      return trust.look();
    });
  return { clock, trust, warnings, looks };
}

it("trusts a clock that goes on as it should, for days", () => {
  const { warnings, looks } = watched();
  expect(new Set(looks(3 * DAY))).toEqual(new Set([true]));
  expect(warnings).toEqual([]);
});

it("distrusts a clock that jumped ahead for a day, and warns once", () => {
  const { clock, trust, warnings, looks } = watched();
  clock.jump(400 * DAY);
  expect(trust.look()).toBe(false);
  const later = looks(LIMITS.clockJumpHoldMs);
  expect([later.slice(0, -1).some(Boolean), later.at(-1)]).toEqual([false, true]);
  expect(warnings).toEqual([{ days_ahead: 400, hours: 24, message: AHEAD }]);
});

it("distrusts it where the clock of durations jumped with it", () => {
  const { clock, trust, warnings } = watched();
  clock.pass(400 * DAY);
  expect([trust.look(), warnings.length]).toEqual([false, 1]);
});

it("trusts it again when it was set right", () => {
  const { clock, trust, looks } = watched();
  clock.jump(400 * DAY);
  expect(trust.look()).toBe(false);
  clock.jump(-400 * DAY);
  expect(looks(LOOK)).toEqual([true]);
});

it("waits an hour where nothing was stored for long before the start, not where something was", () => {
  const [long, short] = [watched(), watched()];
  long.trust.compareWith(long.clock.now() - 5 * DAY);
  short.trust.compareWith(short.clock.now() - DAY / 2);
  expect([long.trust.look(), short.trust.look()]).toEqual([false, true]);
  expect(long.looks(LIMITS.clockStartHoldMs).at(-1)).toBe(true);
  expect([long.warnings, short.warnings]).toEqual([[{ days_ahead: 5, hours: 1, message: AHEAD }], []]);
});
