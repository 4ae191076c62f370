import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Scenario } from "./scenario.ts";

const PAPER = resolve(import.meta.dirname, "../../../docs/internals/engines.md");
const BEGIN = "<!-- begin of what was observed -->\n";
const END = "<!-- end of what was observed -->";
const UNKNOWN = "?";

/** Scenario → what was observed of the one engine. */
export type Column = ReadonlyMap<string, string>;

/** The paper as it is, and as it must be after what was observed of one engine; what is said of others, and of what was not played, stays. */
export function paperWith(
  engine: string,
  column: Column,
  all: { readonly engines: readonly string[]; readonly scenarios: readonly Scenario[] },
): { readonly is: string; readonly must: string } {
  const is = readFileSync(PAPER, "utf8");
  const [begin, end] = [is.indexOf(BEGIN) + BEGIN.length, is.indexOf(END)];
  if (begin < BEGIN.length || end < begin) throw new Error(`${PAPER} has lost the marks around its table`);
  const known = cellsOf(is.slice(begin, end));
  const head = ["scenario", "declared as", ...all.engines.map((id) => `\`${id}\``)];
  const rows = all.scenarios.map(({ name, shows }) => [
    name,
    shows === undefined ? "" : `\`${shows}\``,
    ...all.engines.map((id) => (id === engine ? column.get(name) : undefined) ?? known.get(name)?.get(id) ?? UNKNOWN),
  ]);
  const table = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
  return { is, must: `${is.slice(0, begin)}${table}${is.slice(end)}` };
}

export function writePaper(text: string): void {
  writeFileSync(PAPER, text);
}

function cellsOf(table: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const [head = [], , ...rows] = table
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const engines = head.map((cell) => cell.replaceAll("`", ""));
  return new Map(
    rows.map((cells) => [cells[1] ?? "", new Map(cells.map((cell, index) => [engines[index] ?? "", cell]))]),
  );
}
