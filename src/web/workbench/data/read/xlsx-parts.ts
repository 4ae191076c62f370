import { READ_BOUNDS } from "./error.ts";
import { unescaped, XmlScanner } from "./xml.ts";
import type { ZipFile } from "./zip.ts";

/** How a number is to be read. */
type NumberLook = "number" | "date" | "clock";

/** How cells look, by the number of their style. */
export interface SheetStyles {
  readonly looks: readonly NumberLook[];
  /** Days are counted from 1904. */
  readonly isFrom1904: boolean;
}

/** Numbers of formats that every program knows without their words. */
const DATES = new Set([14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58]);
const CLOCKS = new Set([18, 19, 20, 21, 32, 33, 34, 35, 45, 47, 55, 56]);

export async function readStyles(zip: ZipFile, isFrom1904: boolean): Promise<SheetStyles> {
  const formats = new Map<number, string>();
  const looks: NumberLook[] = [];
  let isInCells = false;
  const scanner = new XmlScanner((await zip.text("xl/styles.xml", READ_BOUNDS.xmlBytes)) ?? "");
  while (scanner.next()) {
    const { name, kind } = scanner;
    if (name === "numFmt") formats.set(Number(scanner.attribute("numFmtId")), scanner.attribute("formatCode") ?? "");
    if (name === "cellXfs") isInCells = kind === "open";
    if (name === "xf" && isInCells && kind !== "close") {
      const id = Number(scanner.attribute("numFmtId") ?? 0);
      const code = formats.get(id);
      looks.push(code === undefined ? (DATES.has(id) ? "date" : CLOCKS.has(id) ? "clock" : "number") : lookOf(code));
    }
  }
  return { looks, isFrom1904 };
}

/** By the letters of a format that are no words of it: `yyyy-mm-dd "at" hh:mm`. */
function lookOf(code: string): NumberLook {
  const letters = code
    .toLowerCase()
    .replaceAll(/"[^"]*"|\\.|_.|\*./g, "")
    // Colours, conditions and languages; elapsed hours are kept.
    .replaceAll(/\[(?!h+\]|m+\]|s+\])[^\]]*\]/g, "")
    .replaceAll("general", "");
  if (/[yd]/.test(letters)) return "date";
  if (/[hs]/.test(letters)) return "clock";
  return /m/.test(letters) ? "date" : "number";
}

/** Texts that cells name by their number. */
export async function sharedTexts(zip: ZipFile): Promise<readonly string[]> {
  const texts: string[] = [];
  const scanner = new XmlScanner((await zip.text("xl/sharedStrings.xml", READ_BOUNDS.sheetBytes)) ?? "");
  let [text, isReading] = ["", false];
  while (scanner.next()) {
    const { name, kind } = scanner;
    if (name === "si" && kind !== "close") text = "";
    if (name === "si" && kind !== "open") texts.push(text);
    // How it is read aloud is no part of a text.
    if (name === "rPh") isReading = kind === "open";
    if (name === "t" && kind === "close" && !isReading) text += textOf(scanner.before);
  }
  return texts;
}

/** Characters that XML cannot hold are written `_x000D_`. */
export function textOf(written: string): string {
  const text = unescaped(written);
  return text.includes("_x")
    ? text.replaceAll(/_x([\dA-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;
}
