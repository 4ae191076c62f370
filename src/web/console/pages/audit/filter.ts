import type { AuditEntry, PrincipalRef, TokenView } from "../../../../protocol/index.ts";

export interface Filter {
  /** A prefix of the action. */
  readonly action?: string;
  /** A principal's id. */
  readonly by?: string;
}

/** Actions grouped by the part before the dot. */
export function areas(
  actions: readonly string[],
): readonly { readonly area: string; readonly actions: readonly string[] }[] {
  const names = [...new Set(actions.map((action) => action.split(".")[0] ?? action))];
  return names.map((area) => ({ area, actions: actions.filter((action) => action.startsWith(`${area}.`)) }));
}

/** Everybody who can be chosen: owners of tokens, and authors of the shown entries; by name. */
export function peopleOf(
  tokens: readonly TokenView[],
  entries: readonly Pick<AuditEntry, "by">[],
): readonly PrincipalRef[] {
  const people = new Map<string, PrincipalRef>();
  for (const { by } of entries) people.set(by.id, by);
  for (const { id, name, role } of tokens) people.set(id, { id, name, role });
  return [...people.values()].toSorted((left, right) => left.name.localeCompare(right.name));
}
