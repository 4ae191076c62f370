import { BUDGET_TOOL, isToolItem, outputText, type JournalEvent, type ToolItem } from "../../src/protocol/index.ts";
import type { Lived } from "./life.ts";
import { EFFECTFUL, EFFECT_WORDS, type EffectWord } from "./life-script.ts";
import { MIND_COST } from "./vendor/mind.ts";
import { wordsOf } from "./vendor/sense.ts";

type EventOf<Type extends JournalEvent["type"]> = Extract<JournalEvent, { type: Type }>;
type ItemEvent = EventOf<"item.started" | "item.updated" | "item.completed">;

const UNKNOWN = /outcome (?:is )?unknown/i;

/** What must hold whatever happened; answers what does not. */
export function broken(lived: Lived): readonly string[] {
  return [
    ...journalFaults(lived),
    ...turnFaults(lived),
    ...itemFaults(lived),
    ...EFFECT_WORDS.flatMap((word) => effectFaults(lived, word)),
    ...approvalFaults(lived),
    ...moneyFaults(lived),
    ...(lived.left.length === 0 ? [] : [`${lived.left.length} processes are left`]),
    ...(lived.forkStatus === "ready" ? [] : [`the fork is ${lived.forkStatus}`]),
  ];
}

function eventsOf<Type extends JournalEvent["type"]>({ events }: Lived, type: Type): readonly EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type);
}

function journalFaults({ events, journal }: Lived): readonly string[] {
  return [
    ...(JSON.stringify(events) === JSON.stringify(journal) ? [] : ["the watcher did not see exactly the journal"]),
    ...(events.every((event, index) => event.seq === index + 1) ? [] : ["the journal has a gap or a double"]),
  ];
}

/** The first two turns are completed whatever is killed, the third one is stopped. */
function turnFaults(lived: Lived): readonly string[] {
  const ends = [...eventsOf(lived, "turn.completed"), ...eventsOf(lived, "turn.failed")];
  const told = lived.turns.map((turn) =>
    ends
      .filter(({ turn_id }) => turn_id === turn)
      .map((end) => (end.type === "turn.failed" ? `${end.error.code} ${end.error.message}` : "completed"))
      .join(" and "),
  );
  const wanted = ["completed", "completed", "aborted aborted"];
  return [
    ...(JSON.stringify(told) === JSON.stringify(wanted) ? [] : [`the turns ended as ${JSON.stringify(told)}`]),
    ...(ends.length === lived.turns.length ? [] : ["there are ends of other turns"]),
  ];
}

/** Each item begins once, ends once, and names the same message and the same sub-agent all the time. */
function itemFaults({ events }: Lived): readonly string[] {
  const faults: string[] = [];
  const open = new Map<string, string>();
  const known = new Set<string>();
  for (const event of events) {
    if (event.type !== "item.started" && event.type !== "item.updated" && event.type !== "item.completed") continue;
    const { id, type } = event.item;
    const place = placeOf(event);
    if (event.type === "item.started") {
      if (known.has(id)) faults.push(`${type} ${id} was started twice`);
      known.add(id);
      open.set(id, place);
      continue;
    }
    if (!open.has(id)) faults.push(`${event.type} of ${type} ${id}, which is not open`);
    else if (open.get(id) !== place) faults.push(`${event.type} of ${type} ${id} says ${place}, not ${open.get(id)}`);
    if (event.type === "item.completed") open.delete(id);
  }
  for (const id of open.keys()) faults.push(`${id} was left open`);
  return faults;
}

function placeOf({ item }: ItemEvent): string {
  const { parent_id = "nobody", message_id = "no message" } = item as { parent_id?: string; message_id?: string };
  return `${parent_id}, ${message_id}`;
}

/** A call runs at most once, and its item says what came of it. */
function effectFaults(lived: Lived, word: EffectWord): readonly string[] {
  const { by } = EFFECTFUL[word];
  const ran = (by === "page" ? lived.onPage : lived.effects).filter((line) => line === word).length;
  const ends = eventsOf(lived, "item.completed").flatMap(({ item, seq }) =>
    isToolItem(item) && isCallOf(item, word) ? [{ item, seq }] : [],
  );
  const faults = ran > 1 ? [`${word} ran ${ran} times`] : [];
  const [end] = ends;
  if (ends.length > 1) faults.push(`${word} has ${ends.length} calls`);
  // Our own loop forgets no call. A vendor's program may have written one down that never reached us; the model then takes it for done.
  if (end === undefined) return lived.engine === "loop" || ran > 0 ? [...faults, `${word} has no call`] : faults;
  const { item, seq } = end;
  const words = `${item.status} ${JSON.stringify(outputText(item.output ?? []))}`;
  const isUnknown = item.status === "interrupted" && UNKNOWN.test(words);
  if (item.status === "completed" ? ran !== 1 : ran > 0 && !isUnknown)
    faults.push(`${word} ran ${ran} times: ${words}`);
  if (wasLeftRunning(lived, item.id, seq) && !isUnknown)
    faults.push(`${word} had begun when the server was killed: ${words}`);
  return faults;
}

function isCallOf({ type, input }: ToolItem, word: EffectWord): boolean {
  return type !== "subagent" && wordsOf(input).includes(word);
}

/** The calls that had begun when the server was killed, and have no result. */
export function leftRunning(lived: Lived): readonly EffectWord[] {
  const ends = eventsOf(lived, "item.completed");
  return EFFECT_WORDS.filter((word) =>
    ends.some(({ item, seq }) => isToolItem(item) && isCallOf(item, word) && wasLeftRunning(lived, item.id, seq)),
  );
}

/** Whether it was marked as running by a server that was killed before it ended. */
function wasLeftRunning(lived: Lived, id: string, end: number): boolean {
  const mark = eventsOf(lived, "item.updated").find(({ item }) => item.id === id)?.seq;
  return mark !== undefined && eventsOf(lived, "turn.resumed").some(({ seq }) => seq > mark && seq < end);
}

function approvalFaults(lived: Lived): readonly string[] {
  const asked = eventsOf(lived, "approval.requested").map(({ approval }) => approval);
  const answered = eventsOf(lived, "approval.resolved").map(({ approval_id }) => approval_id);
  const calls = asked.filter(({ tool }) => tool !== BUDGET_TOOL).map(({ item_id }) => item_id);
  return [
    ...(JSON.stringify(asked.map(({ id }) => id).toSorted()) === JSON.stringify(answered.toSorted())
      ? []
      : ["an approval has no answer or two"]),
    ...(new Set(calls).size === calls.length ? [] : ["a call was asked about twice"]),
    ...(lived.pending === 0 ? [] : [`${lived.pending} approvals wait for ever`]),
  ];
}

function moneyFaults(lived: Lived): readonly string[] {
  const { reserved_microusd: reserved, cost_microusd: cost, limit_microusd: limit = 0 } = lived.money;
  const told = eventsOf(lived, "budget.updated").reduce((sum, { cost_microusd = 0 }) => sum + cost_microusd, 0);
  const billed = lived.answers * MIND_COST;
  return [
    ...(reserved === 0 ? [] : [`${reserved} micro-USD are still set aside`]),
    ...(told > 0 && told <= cost ? [] : [`the journal tells ${told} of ${cost} micro-USD`]),
    ...(billed <= cost ? [] : [`${cost} micro-USD were counted of ${billed} that were billed`]),
    ...(cost <= limit ? [] : [`${cost} of ${limit} micro-USD were spent`]),
  ];
}
