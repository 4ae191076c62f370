import { limitFacts } from "../access/limit-kinds.ts";
import type { Shortage } from "./money.ts";

/** Why a model request does not fit, in a sentence. */
export function shortageWords(shortage: Shortage): string {
  const { kind, limit_microusd, spent_microusd, reserved_microusd, asked_microusd } = shortage;
  const reserved = reserved_microusd === 0 ? "" : ` and ${dollars(reserved_microusd)} reserved`;
  // The spending may include bounds of requests whose usage was not reported.
  const counted = spent_microusd === 0 ? "nothing" : `at most ${dollars(spent_microusd)}`;
  return (
    `The next model request may cost at most ${dollars(asked_microusd)}; with ${counted} spent${reserved} ` +
    `that would pass ${limitFacts(kind).whose} of ${dollars(limit_microusd)}.`
  );
}

/** Money of a turn or a session, in micro-USD. */
export interface Spending {
  /** What counts: measured costs, and bounds where the usage was not reported. */
  readonly cost_microusd: number;
  /** The part of the cost that is a bound; absent: none. */
  readonly bound_microusd?: number | undefined;
  /** For requests that run now; absent: none. */
  readonly reserved_microusd?: number | undefined;
}

/** One amount of a spending, and what it is. */
export interface SpendingPart {
  readonly kind: "spent" | "reserved" | "at_most";
  readonly microusd: number;
}

/** What is to be said of a spending. Spent is what was measured; `at_most` appears if the total may be higher. */
export function spendingParts({
  cost_microusd,
  bound_microusd = 0,
  reserved_microusd = 0,
}: Spending): readonly SpendingPart[] {
  const measured = cost_microusd - bound_microusd;
  const most = cost_microusd + reserved_microusd;
  if (most === measured) return [{ kind: "spent", microusd: measured }];
  return [
    ...(measured === 0 && reserved_microusd === 0 ? [] : [{ kind: "spent", microusd: measured } as const]),
    ...(reserved_microusd === 0 ? [] : [{ kind: "reserved", microusd: reserved_microusd } as const]),
    { kind: "at_most", microusd: most },
  ];
}

const PART_WORDS: Readonly<Record<SpendingPart["kind"], (amount: string) => string>> = {
  spent: (amount) => `spent ${amount}`,
  reserved: (amount) => `${amount} reserved`,
  at_most: (amount) => `at most ${amount}`,
};

/** `spent $0.12, $0.03 reserved, at most $0.15`. `write` formats an amount. */
export function spendingWords(spending: Spending, write: (microusd: number) => string = dollars): string {
  return spendingParts(spending)
    .map(({ kind, microusd }) => PART_WORDS[kind](write(microusd)))
    .join(", ");
}

/** `$0.0123`: to the cent, and finer below a dollar. */
export function dollars(microusd: number): string {
  const digits = microusd % 10_000 === 0 ? 2 : microusd < 1_000_000 ? 6 : 4;
  return `$${(microusd / 1_000_000).toFixed(digits)}`;
}
