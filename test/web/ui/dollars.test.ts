import { expect, test } from "vitest";
import { dollarWriter, exactDigits, roundedDigits } from "../../../src/web/ui/dollars.ts";
import { moneyAlike } from "../../../src/web/ui/words.tsx";

/** Without the marks of direction and the spaces that do not break. */
const plain = (text: string): string => text.replaceAll(/[\u200e\u200f\u061c]/g, "").replaceAll("\u00a0", " ");

test.each([
  ["en-US", ["$0.00", "$0.0042", "$0.12", "$1,234.50"], ["$0", "$3", "$0.205647", "$2.50"]],
  ["de-DE-u-nu-latn", ["0,00 $", "0,0042 $", "0,12 $", "1.234,50 $"], ["0 $", "3 $", "0,205647 $", "2,50 $"]],
  ["ar-EG-u-nu-latn", ["0.00 $", "0.0042 $", "0.12 $", "1,234.50 $"], ["0 $", "3 $", "0.205647 $", "2.50 $"]],
])("dollars in %s: with cents, and exact", (locale, rounded, exact) => {
  const write = dollarWriter(locale);
  const amounts = [0, 4_200, 123_456, 1_234_500_000];
  expect(amounts.map((microusd) => plain(write(microusd, roundedDigits(microusd))))).toEqual(rounded);
  const limits = [0, 3_000_000, 205_647, 2_500_000];
  expect(limits.map((microusd) => plain(write(microusd, exactDigits(microusd))))).toEqual(exact);
});

test("the labels of an axis have as many digits each", () => {
  expect(moneyAlike([0, 500_000, 1_000_000])).toEqual(["$0.00", "$0.50", "$1.00"]);
  expect(moneyAlike([0, 2_000_000, 4_000_000])).toEqual(["$0", "$2", "$4"]);
});
