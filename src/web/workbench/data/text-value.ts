import { cellNumber, waysOf, CELL } from "./cells.ts";

const encoder = new TextEncoder();
const DATES = CELL.isoDate | CELL.monthFirstDate | CELL.dayFirstDate | CELL.namedDate;

/** The number that a text reads as; NaN where it is none. */
export function numberOfText(text: string): number {
  const bytes = encoder.encode(text.trim());
  if (bytes.length === 0) return Number.NaN;
  return cellNumber("double", bytes, 0, bytes.length);
}

/** The time that a text means, in any of the known forms; NaN where it means none. */
export function timeOfText(text: string): number {
  const bytes = encoder.encode(text.trim());
  if (bytes.length === 0) return Number.NaN;
  const ways = waysOf(bytes, 0, bytes.length, DATES);
  if ((ways & CELL.isoDate) !== 0) return cellNumber("isoDate", bytes, 0, bytes.length);
  if ((ways & CELL.monthFirstDate) !== 0) return cellNumber("monthFirstDate", bytes, 0, bytes.length);
  if ((ways & CELL.dayFirstDate) !== 0) return cellNumber("dayFirstDate", bytes, 0, bytes.length);
  return (ways & CELL.namedDate) === 0 ? Number.NaN : cellNumber("namedDate", bytes, 0, bytes.length);
}
