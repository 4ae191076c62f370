import { CHOICE } from "./choice.ts";
import { DATE } from "./date.ts";
import type { FormulaFunction } from "./function.ts";
import { MATH } from "./math.ts";
import { TEXT } from "./text.ts";

/** Those that work row by row. */
export const ROW_FUNCTIONS: readonly FormulaFunction[] = [...MATH, ...TEXT, ...DATE, ...CHOICE];

/** Other names that people and models write. */
export const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["ceiling", "Ceil"],
  ["power", "Pow"],
  ["len", "Length"],
  ["lowercase", "Lower"],
  ["tolowercase", "Lower"],
  ["uppercase", "Upper"],
  ["touppercase", "Upper"],
  ["isnullorempty", "IsEmpty"],
  ["mean", "Avg"],
  ["average", "Avg"],
  ["weekday", "DayOfWeek"],
  ["tostring", "Text"],
  ["tonumber", "Number"],
  ["parsefloat", "Number"],
  ["iif", "If"],
]);
