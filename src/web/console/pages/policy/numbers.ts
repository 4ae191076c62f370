import { parseDollars, writeDollars } from "../../../ui/dollars.ts";
import { t } from "../../../ui/language/t.ts";

export type NumberKind = "dollars" | "count" | "seconds";

const MS = 1_000;
const WRONG: Readonly<Record<NumberKind, string>> = {
  dollars: t("Enter dollars, such as 2.50, with at most six decimals."),
  count: t("Enter a whole number."),
  seconds: t("Enter seconds, such as 300."),
};

/** A number as a person writes it into a field of this kind. */
export function writeNumber(kind: NumberKind, value: number): string {
  switch (kind) {
    case "dollars":
      return writeDollars(value);
    case "seconds":
      return String(value / MS);
    case "count":
      return String(value);
  }
}

/** The input in the policy's unit; empty is absent. */
export function readNumber(
  kind: NumberKind,
  text: string,
): { readonly value: number | undefined } | { readonly wrong: string } {
  const written = text.trim().replaceAll(",", "");
  if (written === "") return { value: undefined };
  const value = kind === "dollars" ? parseDollars(written) : plain(written, kind === "seconds" ? MS : 1);
  return value === undefined ? { wrong: WRONG[kind] } : { value };
}

function plain(text: string, unit: number): number | undefined {
  if (!/^\d{1,12}(\.\d{1,3})?$/.test(text)) return undefined;
  const value = Math.round(Number(text) * unit);
  return unit === 1 && text.includes(".") ? undefined : value;
}
