import type { Table } from "../data/table.ts";
import { bigTable } from "./big.ts";
import { demog } from "./demog.ts";
import { flights } from "./flights.ts";
import { sales } from "./sales.ts";
import { words } from "./words.ts";

export interface Sample {
  readonly id: string;
  readonly title: string;
  /** One sentence. */
  readonly about: string;
  readonly make: () => Table;
}

const MANY_ROWS = 1_000_000;

/** Tables to begin with; made by code, the same each time. */
export const SAMPLES: readonly Sample[] = [
  {
    id: "demog",
    title: "Study people",
    about: "5,850 made-up people of a study: age, sex, height, weight, illness.",
    make: () => demog(),
  },
  { id: "sales", title: "Sales", about: "Two years of furniture orders by day, region and product.", make: sales },
  { id: "flights", title: "Flights", about: "How many flights go between which cities: a network.", make: flights },
  { id: "words", title: "Words", about: "Words with counts, in four groups, for a word cloud.", make: words },
  {
    id: "million",
    title: "A million rows",
    about: "Ten columns of every kind, to try large tables.",
    make: () => bigTable(MANY_ROWS),
  },
];

export { bigTable };
