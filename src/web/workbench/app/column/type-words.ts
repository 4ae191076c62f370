import type { ColumnType } from "../../data/column.ts";

/** The types of columns as people call them. */
export const COLUMN_TYPE_WORDS: readonly (readonly [ColumnType, string])[] = [
  ["string", "Text"],
  ["int", "Whole number"],
  ["double", "Number"],
  ["bool", "True or false"],
  ["datetime", "Date and time"],
  ["bigint", "Large whole number"],
];
