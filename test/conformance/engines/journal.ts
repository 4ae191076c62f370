import { addUsage, isTerminal, NO_USAGE, type JournalEvent, type Usage } from "../../../src/protocol/index.ts";

/** What must hold for the journal of a session that rests, whatever happened in it; answers what does not. */
export function journalFaults(events: readonly JournalEvent[]): string[] {
  const faults: string[] = [];
  const check = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault);
  };
  check(
    events.every(({ seq }, index) => seq === index + 1),
    "the journal has a gap or a double",
  );
  const open = new Set<string>();
  const asked = new Set<string>();
  const used = new Map<string, Usage>();
  for (const event of events) {
    if (event.type === "turn.started") used.set(event.turn_id, NO_USAGE);
    if (event.type === "usage.updated")
      used.set(event.turn_id, addUsage(used.get(event.turn_id) ?? NO_USAGE, event.usage));
    if (event.type === "item.started") open.add(event.item.id);
    if (event.type === "item.completed")
      check(open.delete(event.item.id), `item ${event.item.id} was completed twice or never started`);
    if (event.type === "approval.requested") asked.add(event.approval.id);
    if (event.type === "approval.resolved")
      check(asked.delete(event.approval_id), `approval ${event.approval_id} was answered twice or never asked`);
    if (!isTerminal(event)) continue;
    check(used.has(event.turn_id), `turn ${event.turn_id} ended twice or never began`);
    check(
      JSON.stringify(used.get(event.turn_id)) === JSON.stringify(event.usage),
      `turn ${event.turn_id} tells another usage than its calls: ${JSON.stringify([used.get(event.turn_id), event.usage])}`,
    );
    used.delete(event.turn_id);
    check(open.size === 0, `turn ${event.turn_id} left ${open.size} items open`);
    check(asked.size === 0, `turn ${event.turn_id} left ${asked.size} questions open`);
  }
  check(used.size === 0, `${used.size} turns have not ended`);
  return faults;
}
