import type { LimitKind, Shortage } from "./money.ts";

const WHOSE: Readonly<Record<LimitKind, string>> = {
  request: "this request's own limit",
  turn: "this turn's limit",
  session: "this session's limit",
  parent: "the limit of the session that this one draws on",
  agent_day: "the caller's limit for today",
  agent: "the caller's limit",
  day: "everybody's limit for today",
  total: "everybody's limit",
  threshold: "the amount above which a person is asked",
};

/** What stands in the way of a model request, in a sentence. */
export function shortageWords(shortage: Shortage): string {
  const { kind, limit_microusd, spent_microusd, reserved_microusd, asked_microusd } = shortage;
  const set = reserved_microusd === 0 ? "" : ` and ${dollars(reserved_microusd)} set aside`;
  return (
    `The next model request may cost up to ${dollars(asked_microusd)}; with ${dollars(spent_microusd)} spent${set} ` +
    `that would pass ${WHOSE[kind]} of ${dollars(limit_microusd)}.`
  );
}

/** `$0.0123`: to the cent, and finer below a dollar. */
export function dollars(microusd: number): string {
  const digits = microusd % 10_000 === 0 ? 2 : microusd < 1_000_000 ? 6 : 4;
  return `$${(microusd / 1_000_000).toFixed(digits)}`;
}
