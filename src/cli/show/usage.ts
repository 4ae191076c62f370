import {
  dollars,
  limitFacts,
  type BudgetLine,
  type UsageGroup,
  type UsageLine,
  type UsageReport,
} from "../../protocol/index.ts";
import { table } from "../terminal/table.ts";

const BAR_CHARS = 20;

/** Columns of figures, in their order. */
const FIGURES: readonly (readonly [title: string, of: (line: UsageLine) => string])[] = [
  ["REQUESTS", ({ requests }) => whole(requests)],
  ["SPENT", ({ cost_microusd, bound_microusd }) => dollars(cost_microusd - bound_microusd)],
  ["INPUT", ({ tokens }) => whole(tokens.input)],
  ["OUTPUT", ({ tokens }) => whole(tokens.output)],
  ["CACHE READ", ({ tokens }) => whole(tokens.cache_read)],
  ["CACHE WRITE", ({ tokens }) => whole(tokens.cache_write + tokens.cache_write_1h)],
];
/** Only if there is any: the amount that counts when a provider did not report the usage. */
const BOUND = ["AT MOST", ({ cost_microusd }: UsageLine) => dollars(cost_microusd)] as const;

/** One line for each group, then their total. */
export function usageTable(report: UsageReport, by: readonly UsageGroup[], width: number): readonly string[] {
  const { lines, total } = report;
  const figures = total.bound_microusd === 0 ? FIGURES : [...FIGURES, BOUND];
  const columns = [
    ...by.map((group, column) => [
      group.toUpperCase(),
      ...lines.map((line) => line[group] ?? ""),
      column === 0 ? "total" : "",
    ]),
    ...figures.map(([title, of]) => toTheRight([title, ...[...lines, total].map(of)])),
  ];
  return table(turned(columns), width);
}

/** Accounts with a limit, and how much of it is used. */
export function budgetTable(budgets: readonly BudgetLine[], width: number): readonly string[] {
  const limited = budgets.flatMap((line) =>
    line.limit_microusd === undefined ? [] : [{ ...line, limit: line.limit_microusd }],
  );
  if (limited.length === 0) return [];
  const columns = [
    ["BUDGET", ...limited.map(({ kind, of }) => limitFacts(kind).account(of))],
    ["USED", ...limited.map((line) => bar(line))],
    toTheRight(["SPENT AT MOST", ...limited.map((line) => dollars(line.spent_microusd))]),
    toTheRight(["RESERVED", ...limited.map((line) => dollars(line.reserved_microusd))]),
    toTheRight(["LIMIT", ...limited.map(({ limit }) => dollars(limit))]),
    toTheRight(["LEFT", ...limited.map((line) => dollars(line.remaining_microusd ?? 0))]),
  ];
  return table(turned(columns), width);
}

/** Filled for what was spent, half filled for what is reserved. */
function bar({ spent_microusd, reserved_microusd, limit }: BudgetLine & { readonly limit: number }): string {
  const part = (amount: number): number => (limit === 0 ? 1 : Math.min(1, amount / limit));
  const used = spent_microusd + reserved_microusd;
  const spentChars = Math.floor(part(spent_microusd) * BAR_CHARS);
  const usedChars = Math.max(spentChars, Math.floor(part(used) * BAR_CHARS));
  const drawn = "█".repeat(spentChars) + "▒".repeat(usedChars - spentChars) + "░".repeat(BAR_CHARS - usedChars);
  return `${drawn} ${String(Math.floor(part(used) * 100)).padStart(3)} %`;
}

function whole(number: number): string {
  return number.toLocaleString("en-US");
}

function toTheRight(cells: readonly string[]): readonly string[] {
  const widest = Math.max(...cells.map(({ length }) => length));
  return cells.map((cell) => cell.padStart(widest));
}

/** Transposes columns to rows. */
function turned(columns: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return (columns[0] ?? []).map((_cell, row) => columns.map((column) => column[row] ?? ""));
}
