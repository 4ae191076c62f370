import type { Column } from "../data/column.ts";
import { newTable } from "../data/make.ts";
import type { Table } from "../data/table.ts";
import { Chance } from "./chance.ts";

const CITIES = [
  "Accra",
  "Bogotá",
  "Cairo",
  "Delhi",
  "Essen",
  "Fez",
  "Graz",
  "Hanoi",
  "Izmir",
  "Jaipur",
  "Kyiv",
  "Lima",
] as const;
const STATES = ["new", "open", "waiting", "done", "failed"] as const;
const MINUTE = 60_000;
const FIRST_TIME = Date.UTC(2020, 0, 1);

/** A table of any length with columns of every kind, to try how the workbench does with many rows. */
export function bigTable(rowCount: number): Table {
  const chance = new Chance(1_000_000);
  const numbers = (make: (row: number) => number): Float64Array => {
    const made = new Float64Array(rowCount);
    for (let row = 0; row < rowCount; row += 1) made[row] = make(row);
    return made;
  };
  const texts = (name: string, categories: readonly string[]): Column => {
    const codes = new Int32Array(rowCount);
    for (let row = 0; row < rowCount; row += 1) codes[row] = chance.whole(categories.length);
    return { name, type: "string", codes, categories };
  };
  let price = 100;
  return newTable(`rows-${rowCount}`, [
    { name: "Id", type: "int", numbers: numbers((row) => row + 1) },
    { name: "Time", type: "datetime", numbers: numbers((row) => FIRST_TIME + row * MINUTE) },
    texts("City", CITIES),
    texts("State", STATES),
    { name: "Pieces", type: "int", numbers: numbers(() => 1 + chance.whole(500)) },
    {
      name: "Price",
      type: "double",
      numbers: numbers(() => {
        price = Math.max(1, price + chance.next() - 0.5);
        return Math.round(price * 100) / 100;
      }),
    },
    { name: "Normal", type: "double", numbers: numbers(() => chance.normal(0, 1)) },
    { name: "Skewed", type: "double", numbers: numbers(() => -Math.log(1 - chance.next())) },
    { name: "Sparse", type: "double", numbers: numbers(() => (chance.next() < 0.3 ? Number.NaN : chance.next() * 10)) },
    { name: "Paid", type: "bool", numbers: numbers(() => Number(chance.next() < 0.6)) },
  ]);
}
