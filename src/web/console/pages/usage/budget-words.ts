import type { BudgetLine } from "../../../../protocol/index.ts";
import { t } from "../../../ui/language/t.ts";

/** How much of a limit is used, in percent of its bar. */
export function shares(line: BudgetLine): { readonly spent: number; readonly reserved: number } {
  const limit = line.limit_microusd;
  if (limit === undefined) return { spent: 0, reserved: 0 };
  if (limit === 0) return { spent: 100, reserved: 0 };
  const spent = Math.min(100, (line.spent_microusd / limit) * 100);
  return { spent, reserved: Math.min(100 - spent, (line.reserved_microusd / limit) * 100) };
}

/** `at most $0.20 spent, $0.05 reserved, $0.75 left of $1.00`; `money` writes an amount. An account counts bounds, too. */
export function budgetWords(line: BudgetLine, money: (microusd: number) => string): string {
  const spent =
    line.spent_microusd === 0 ? t("nothing spent") : t("at most {spent} spent", { spent: money(line.spent_microusd) });
  const reserved =
    line.reserved_microusd === 0 ? [] : [t("{amount} reserved", { amount: money(line.reserved_microusd) })];
  const left =
    line.limit_microusd === undefined
      ? t("no limit")
      : t("{remaining} left of {limit}", {
          remaining: money(line.remaining_microusd ?? 0),
          limit: money(line.limit_microusd),
        });
  return [spent, ...reserved, left].join(", ");
}
