import fc from "fast-check";
import { expect, test } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";

/** A length and two sets of rows below it. */
const sets = fc.integer({ min: 0, max: 100 }).chain((length) => {
  const rows = fc.uniqueArray(fc.nat({ max: Math.max(0, length - 1) }), { maxLength: length });
  return fc.tuple(fc.constant(length), rows, rows);
});

const ascending = (rows: Iterable<number>): number[] => [...rows].toSorted((left, right) => left - right);

test("a set of bits is a set", () => {
  fc.assert(
    fc.property(sets, ([length, first, second]) => {
      const left = Bits.of(length, first);
      const right = Bits.of(length, second);
      const one = new Set(first);
      const other = new Set(second);
      const everything = Array.from({ length }, (_, row) => row);
      const expected: readonly (readonly [Bits, readonly number[]])[] = [
        [left, first],
        [left.and(right), first.filter((row) => other.has(row))],
        [left.or(right), [...new Set([...first, ...second])]],
        [left.without(right), first.filter((row) => !other.has(row))],
        [left.xor(right), everything.filter((row) => one.has(row) !== other.has(row))],
        [left.not(), everything.filter((row) => !one.has(row))],
        [Bits.all(length), everything],
        [Bits.where(length, (row) => one.has(row)), first],
      ];
      for (const [bits, rows] of expected) {
        expect([...bits.rows()]).toEqual(ascending(rows));
        expect([...bits.toArray()]).toEqual(ascending(rows));
        expect([bits.length, bits.count, bits.isEmpty]).toEqual([length, rows.length, rows.length === 0]);
        expect(everything.filter((row) => bits.has(row))).toEqual(ascending(rows));
      }
    }),
    { seed: 6, numRuns: 300 },
  );
});

test("rows outside are not in it", () => {
  const bits = Bits.of(40, [-1, 39, 40, 64]);
  expect([...bits.rows()]).toEqual([39]);
  expect([bits.has(-1), bits.has(40), bits.has(1_000)]).toEqual([false, false, false]);
});
