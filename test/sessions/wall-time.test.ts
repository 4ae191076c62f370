import { expect, it } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import { atWallTime } from "../../src/sessions/lifecycle/wall-time.ts";
import { MovableClock } from "../support/clock.ts";

const HOUR = 3_600_000;

function waiting(bounds: { readonly atMostMs?: number; readonly checkMs?: number } = {}) {
  const clock = new MovableClock({ stands: true });
  const calls: number[] = [];
  const began = clock.now();
  const stop = atWallTime(clock, { ...bounds, at: began + HOUR, callback: () => calls.push(clock.now() - began) });
  return { clock, calls, stop };
}

it("calls back once at a moment of the wall clock, and not before", () => {
  const { clock, calls } = waiting();
  clock.pass(HOUR - 1);
  expect(calls).toEqual([]);
  clock.pass(1);
  clock.pass(HOUR);
  expect(calls).toEqual([HOUR]);
});

it("finds out soon that the machine slept or that its clock was set ahead", () => {
  const { clock, calls } = waiting();
  clock.jump(2 * HOUR);
  clock.pass(LIMITS.expiryCheckMs);
  expect(calls).toEqual([2 * HOUR + LIMITS.expiryCheckMs]);
});

it("waits longer where the clock was set back, unless the elapsed time is bounded", () => {
  const [unbounded, bounded] = [waiting(), waiting({ atMostMs: HOUR, checkMs: HOUR / 2 })];
  for (const { clock } of [unbounded, bounded]) {
    clock.jump(-HOUR);
    for (let halves = 0; halves < 2; halves += 1) clock.pass(HOUR / 2);
  }
  expect([unbounded.calls, bounded.calls]).toEqual([[], [0]]);
});

it("does not call back when it was stopped", () => {
  const { clock, calls, stop } = waiting();
  clock.pass(LIMITS.expiryCheckMs);
  stop();
  clock.pass(2 * HOUR);
  expect(calls).toEqual([]);
});
