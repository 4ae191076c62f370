import type { AnyValue } from "../data/make.ts";
import type { ColumnType } from "../data/column.ts";
import type { Table } from "../data/table.ts";
import { Chance } from "./chance.ts";
import { sampleTable } from "./sample-table.ts";

const ROWS = 5_850;
const DAY = 86_400_000;
const FIRST_START = Date.UTC(1990, 0, 1);
const YEARS_OF_STARTS = 3;

const RACES = { Caucasian: 62, Asian: 14, Black: 15, Other: 9 } as const;
/** Years that are typical for those who have it. */
const INDICATIONS = { RA: 52, UC: 41, PsA: 47, Psoriasis: 44, AS: 39, Indigestion: 50 } as const;
const INDICATION_WEIGHTS = { RA: 34, UC: 13, PsA: 12, Psoriasis: 16, AS: 10, Indigestion: 15 } as const;
const SEVERITIES = { None: 22, Low: 30, Medium: 27, High: 15, Critical: 6 } as const;

const TYPES: readonly (readonly [string, ColumnType])[] = [
  ["USUBJID", "string"],
  ["AGE", "int"],
  ["SEX", "string"],
  ["RACE", "string"],
  ["DIS_POP", "string"],
  ["HEIGHT", "double"],
  ["WEIGHT", "double"],
  ["DEMOG", "string"],
  ["CONTROL", "bool"],
  ["STARTED", "datetime"],
  ["SEVERITY", "string"],
];

function round(number: number, digits: number): number {
  return Number(number.toFixed(digits));
}

/** One made-up person of a made-up study. */
function person(row: number, chance: Chance): AnyValue[] {
  const indication = chance.pick(INDICATION_WEIGHTS);
  const sex = chance.pick({ F: 55, M: 45 });
  const age = Math.min(89, Math.max(18, Math.round(chance.normal(INDICATIONS[indication], 12.5))));
  const height = round(chance.normal(sex === "M" ? 176 : 163, 7.2), 2);
  const build = chance.normal(25.5 + (age - 18) * 0.03, 4.2);
  const weight = round(Math.max(38, (build * height * height) / 10_000), 2);
  // Some were not measured.
  const measured = chance.next() > 0.12;
  const race = chance.pick(RACES);
  const started = FIRST_START + chance.whole(YEARS_OF_STARTS * 365) * DAY;
  const control = chance.next() < 0.28;
  const severity = chance.pick(SEVERITIES);
  const site = 1 + chance.whole(24);
  return [
    `X0273T${String(site).padStart(2, "0")}${String(row + 1).padStart(6, "0")}`,
    age,
    sex,
    race,
    indication,
    measured ? height : null,
    measured || chance.next() < 0.5 ? weight : null,
    `${race}, ${sex === "F" ? "female" : "male"}, ${age}`,
    control,
    started,
    severity,
  ];
}

/** The people of a study: who they are, what they have, when they came. */
export function demog(rowCount: number = ROWS): Table {
  const chance = new Chance(5_850);
  const people = Array.from({ length: rowCount }, (_, row) => person(row, chance));
  return sampleTable(
    "demog",
    people,
    TYPES.map(([name, type], index) => [name, (values) => values[index], type]),
  );
}
