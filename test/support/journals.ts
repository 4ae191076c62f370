import type { SallyportClient } from "../../src/client/index.ts";
import { isTerminal, type JournalEvent } from "../../src/protocol/index.ts";

/** A whole journal, page by page. */
export async function journalOf(client: SallyportClient, id: string): Promise<readonly JournalEvent[]> {
  const journal: JournalEvent[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const page: { events: JournalEvent[]; next?: number } = await client.events(id, { after, limit: 500 });
    journal.push(...page.events);
    after = page.next;
  }
  return journal;
}

export interface JournalFaults {
  /** Each `seq` that does not follow the one before it. */
  readonly gaps: readonly number[];
  /** Items that did not end exactly once. */
  readonly items: readonly string[];
  /** Turns that did not end exactly once. */
  readonly turns: readonly string[];
  /** Questions that were not answered exactly once. */
  readonly approvals: readonly string[];
}

export const NO_FAULTS: JournalFaults = { gaps: [], items: [], turns: [], approvals: [] };

/** What is wrong with the journal of a session that has come to rest. */
export function faultsOf(journal: readonly JournalEvent[]): JournalFaults {
  const begun = new Counts();
  const ended = new Counts();
  for (const event of journal) {
    if (event.type === "item.started") begun.add(`item ${event.item.id}`);
    if (event.type === "item.completed") ended.add(`item ${event.item.id}`);
    if (event.type === "turn.started") begun.add(`turn ${event.turn_id}`);
    if (isTerminal(event)) ended.add(`turn ${event.turn_id}`);
    if (event.type === "approval.requested") begun.add(`approval ${event.approval.id}`);
    if (event.type === "approval.resolved") ended.add(`approval ${event.approval_id}`);
  }
  const wrong = [...new Set([...begun.names, ...ended.names])].filter(
    (name) => begun.of(name) !== 1 || ended.of(name) !== 1,
  );
  return {
    gaps: journal.flatMap(({ seq }, index) => (seq === index + 1 ? [] : [seq])),
    items: wrong.filter((name) => name.startsWith("item")),
    turns: wrong.filter((name) => name.startsWith("turn")),
    approvals: wrong.filter((name) => name.startsWith("approval")),
  };
}

class Counts {
  readonly #counts = new Map<string, number>();

  add(name: string): void {
    this.#counts.set(name, this.of(name) + 1);
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  get names(): readonly string[] {
    return [...this.#counts.keys()];
  }
}
