import type { ReactNode } from "react";
import { limitFacts, type BudgetLine } from "../../../../protocol/index.ts";
import { money } from "../../../ui/words.tsx";
import { budgetWords, shares } from "./budget-words.ts";

const NEARLY = 80;

/** Accounts as bars with words. */
export function Budgets({
  budgets,
  nameOf,
}: {
  readonly budgets: readonly BudgetLine[];
  readonly nameOf: (id: string) => string;
}): ReactNode {
  return (
    <ul className="grid grid-cols-1 gap-4 md:grid-cols-2">
      {budgets.map((line) => (
        <li key={`${line.kind}-${line.of}`}>
          <Budget line={line} name={limitFacts(line.kind).account(nameOf(line.of))} />
        </li>
      ))}
    </ul>
  );
}

function Budget({ line, name }: { readonly line: BudgetLine; readonly name: string }): ReactNode {
  return (
    <div>
      <p className="flex justify-between gap-3 text-sm">
        <span dir="auto" className="min-w-0 truncate font-medium">
          {name}
        </span>
        {line.limit_microusd !== undefined && (
          <span className="tabular-nums text-soft">{Math.round(shares(line).spent)} %</span>
        )}
      </p>
      <BudgetBar line={line} />
      <p className="mt-1 text-sm text-soft tabular-nums">{budgetWords(line, money)}</p>
    </div>
  );
}

/** Filled: spent; hatched: reserved for running requests. The text beside it says the same. */
export function BudgetBar({ line }: { readonly line: BudgetLine }): ReactNode {
  const { spent, reserved } = shares(line);
  const tone = spent + reserved >= 100 ? "bg-bad" : spent + reserved >= NEARLY ? "bg-warn" : "bg-info";
  const unlimited = line.limit_microusd === undefined;
  return (
    <div
      aria-hidden
      className={`mt-1.5 flex h-2 overflow-hidden rounded-full ${unlimited ? "border border-dashed border-line-strong/60" : "bg-sunken outline outline-line"}`}
    >
      <div className={`${tone} h-full`} style={{ width: `${spent}%` }} />
      <div
        className="h-full"
        style={{
          width: `${reserved}%`,
          background: "repeating-linear-gradient(45deg, var(--line-strong) 0 2px, transparent 2px 5px)",
        }}
      />
    </div>
  );
}
