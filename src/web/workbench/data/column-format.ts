import { z } from "zod";
import type { ColumnType } from "./column.ts";

const NUMBER_STYLES = ["plain", "percent", "currency", "scientific", "short"] as const;
const DIGIT_GROUPS = ["comma", "point", "space", "apostrophe", "none"] as const;
const DATE_STYLES = ["full", "day", "minute", "second", "us", "european", "long", "month", "year", "time"] as const;
/** Digits behind the point that a person can ask for. */
export const MOST_DIGITS = 12;

const numberFormat = z.strictObject({
  kind: z.literal("number"),
  style: z.enum(NUMBER_STYLES),
  /** How thousands are parted; with points, decimals have a comma. */
  groups: z.enum(DIGIT_GROUPS),
  /** Digits behind the point. Absent: as many as the value has; two of a currency. */
  digits: z.int().min(0).max(MOST_DIGITS).optional(),
  /** Three letters, such as EUR. Only of a currency. Absent: USD. */
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional(),
});

const dateFormat = z.strictObject({
  kind: z.literal("date"),
  style: z.enum(DATE_STYLES),
  /** A name of the IANA database, such as Europe/Berlin. Absent: UTC. */
  zone: z.string().max(100).refine(isZone, "there is no such time zone").optional(),
});

export const columnFormat = z.discriminatedUnion("kind", [numberFormat, dateFormat]);

/** How the values of a column are shown. It changes no value: filters, files and formulas do not see it. */
export type ColumnFormat = z.infer<typeof columnFormat>;
export type NumberFormat = z.infer<typeof numberFormat>;
export type DateFormat = z.infer<typeof dateFormat>;

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: zone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

export function isSameFormat(one: ColumnFormat | undefined, other: ColumnFormat | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  const keys = ["kind", "style", "groups", "digits", "currency", "zone"];
  const part = (format: ColumnFormat, key: string): unknown =>
    Object.entries(format).find(([name]) => name === key)?.[1];
  return keys.every((key) => part(one, key) === part(other, key));
}

export function fitsType(format: ColumnFormat, type: ColumnType): boolean {
  return format.kind === kindOfFormat(type);
}

/** Absent: values of this type have no formats. */
export function kindOfFormat(type: ColumnType): ColumnFormat["kind"] | undefined {
  switch (type) {
    case "int":
    case "double":
    case "bigint":
      return "number";
    case "datetime":
      return "date";
    case "string":
    case "bool":
      return undefined;
  }
}

/** Choices with what they look like. */
export const NUMBER_STYLE_WORDS: readonly (readonly [NumberFormat["style"], string])[] = [
  ["plain", "Number"],
  ["percent", "Percent"],
  ["currency", "Currency"],
  ["scientific", "Scientific (1.2E3)"],
  ["short", "Short (1.2M)"],
];

export const DIGIT_GROUP_WORDS: readonly (readonly [NumberFormat["groups"], string])[] = [
  ["comma", "1,234.5"],
  ["point", "1.234,5"],
  ["space", "1 234,5"],
  ["apostrophe", "1’234.5"],
  ["none", "1234.5"],
];

export const DATE_STYLE_WORDS: readonly (readonly [DateFormat["style"], string])[] = [
  ["full", "2024-05-17 09:05:30.25, as fine as it is"],
  ["day", "2024-05-17"],
  ["minute", "2024-05-17 09:05"],
  ["second", "2024-05-17 09:05:30"],
  ["us", "5/17/2024"],
  ["european", "17.05.2024"],
  ["long", "17 May 2024"],
  ["month", "May 2024"],
  ["year", "2024"],
  ["time", "09:05:30"],
];

/** In a word or two, for the list of actions. */
export function formatWords(format: ColumnFormat): string {
  if (format.kind === "date") {
    const style = DATE_STYLE_WORDS.find(([one]) => one === format.style)?.[1] ?? format.style;
    const shown = format.style === "full" ? "date and time" : style;
    return format.zone === undefined ? shown : `${shown} in ${format.zone}`;
  }
  const { style, digits, currency = "USD" } = format;
  const name = style === "currency" ? currency : style === "plain" ? "number" : style;
  return digits === undefined ? name : `${name} with ${digits} ${digits === 1 ? "decimal" : "decimals"}`;
}
