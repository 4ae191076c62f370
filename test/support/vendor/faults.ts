import { BUDGET_TOOL, isToolItem, type JournalEvent, type ToolItem } from "../../../src/protocol/index.ts";
import type { VendorLife } from "./life.ts";
import { MIND_COST } from "./mind.ts";
import { lineOf, markOf, SCENES, type Scene } from "./scenes.ts";
import { wordsOf } from "./sense.ts";

type EventOf<Type extends JournalEvent["type"]> = Extract<JournalEvent, { type: Type }>;

/** What must hold whatever was killed; answers what does not. */
export function faultsOf(life: VendorLife): readonly string[] {
  return [
    ...journalFaults(life),
    ...endFaults(life),
    ...effectFaults(life),
    ...approvalFaults(life),
    ...memoryFaults(life),
    ...restFaults(life),
  ];
}

function eventsOf<Type extends JournalEvent["type"]>(life: VendorLife, type: Type): readonly EventOf<Type>[] {
  return life.events.filter((event): event is EventOf<Type> => event.type === type);
}

function completedTools(life: VendorLife): readonly ToolItem[] {
  return eventsOf(life, "item.completed").flatMap(({ item }) => (isToolItem(item) ? [item] : []));
}

function journalFaults({ events, journal }: VendorLife): readonly string[] {
  const faults: string[] = [];
  if (JSON.stringify(events) !== JSON.stringify(journal)) faults.push("the watcher did not see exactly the journal");
  if (events.some((event, index) => event.seq !== index + 1)) faults.push("the journal has a gap or a double");
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === "item.started") open.add(event.item.id);
    if (event.type === "item.completed" && !open.delete(event.item.id))
      faults.push(`item ${event.item.id} was completed twice or never started`);
  }
  if (open.size > 0) faults.push(`${open.size} items were left open`);
  return faults;
}

/** Only the death of the vendor's own process may fail a turn. */
function endFaults(life: VendorLife): readonly string[] {
  const ends = [...eventsOf(life, "turn.completed"), ...eventsOf(life, "turn.failed")];
  const faults = ends.length === SCENES.length ? [] : [`${SCENES.length} prompts have ${ends.length} ends`];
  for (const scene of SCENES) {
    const own = ends.filter(({ turn_id }) => turn_id === life.turns[scene]);
    const [end] = own;
    if (own.length !== 1 || end === undefined) {
      faults.push(`${scene} has ${own.length} ends`);
      continue;
    }
    const code = end.type === "turn.failed" ? end.error.code : "completed";
    const wanted = scene === "interrupted" ? "aborted" : "completed";
    if (code !== wanted && !mayFail(life, scene))
      faults.push(`${scene} ended as ${code}${end.type === "turn.failed" ? `: ${end.error.message}` : ""}`);
  }
  return faults;
}

/** The death of the vendor's process takes the turn with it that it was at work on, if anything had come of that. */
function mayFail(life: VendorLife, scene: Scene): boolean {
  const before = SCENES[SCENES.indexOf(scene) - 1];
  // One that dies before anything has come of it is begun again once, and two strikes may fall into one turn.
  const own = life.hits.filter(({ kind, during }) => kind === "vendor" && during === scene);
  if (own.length > 1) return true;
  return (
    scene !== "afterwards" &&
    life.hits.some((hit) => hit.kind === "vendor" && (hit.scene === scene || hit.scene === before)) &&
    eventsIn(life, life.turns[scene]).some(({ type }) => type === "item.started")
  );
}

/** From a turn's beginning to the next one's. */
function eventsIn({ events }: VendorLife, turn: string): readonly JournalEvent[] {
  let current = "";
  return events.filter((event) => {
    if (event.type === "turn.started") current = event.turn_id;
    return current === turn;
  });
}

function effectFaults(life: VendorLife): readonly string[] {
  const faults: string[] = [];
  const approved = new Set(
    eventsOf(life, "approval.resolved").flatMap(({ approval_id, outcome }) =>
      outcome === "approved" ? [approval_id] : [],
    ),
  );
  const asked = eventsOf(life, "approval.requested").map(({ approval }) => approval);
  for (const word of ["did-1", "did-2", "did-2e", "no-4", "did-4"]) {
    const line = lineOf(word);
    const ran = life.effects.filter((effect) => effect.split(" ")[0] === word);
    const told = completedTools(life).filter((item) => item.status === "completed" && isAbout(item, word));
    if (ran.length > 1) faults.push(`${word} ran ${ran.length} times`);
    if (ran.some((effect) => effect !== line)) faults.push(`${word} did not run as it was allowed: ${ran.join(", ")}`);
    if (told.length > ran.length) faults.push(`${word} is told to have run and did not`);
    if (ran.length > 0 && !asked.some((approval) => approved.has(approval.id) && isAbout(approval, word)))
      faults.push(`${word} ran and nobody allowed it`);
  }
  const wrote = completedTools(life).some((item) => item.status === "completed" && item.tool === "Write");
  if (wrote && life.written !== "written\n") faults.push("a file is told to be written and is not");
  return faults;
}

function isAbout({ input }: Pick<ToolItem, "input">, word: string): boolean {
  return wordsOf(input).includes(word);
}

function approvalFaults(life: VendorLife): readonly string[] {
  const asked = eventsOf(life, "approval.requested").map(({ approval }) => approval);
  const answered = eventsOf(life, "approval.resolved").map(({ approval_id }) => approval_id);
  const faults: string[] = [];
  if (JSON.stringify(asked.map(({ id }) => id).sort()) !== JSON.stringify([...answered].sort()))
    faults.push("an approval has no answer or two");
  const calls = asked.map(({ tool_use_id }) => tool_use_id);
  if (new Set(calls).size !== calls.length) faults.push("a call was asked about twice");
  const words = asked.flatMap(({ tool, input }) => (tool === BUDGET_TOOL ? [] : wordsOf(input)));
  const doubled = words.filter((word, index) => words.indexOf(word) !== index);
  if (doubled.length > 0) faults.push(`a person was asked again about ${doubled.join(", ")}`);
  if (life.pending > 0) faults.push(`${life.pending} approvals wait for ever`);
  return faults;
}

/** Money, processes, files. */
function restFaults(life: VendorLife): readonly string[] {
  const faults: string[] = [];
  const check = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault);
  };
  const { reserved_microusd, cost_microusd, limit_microusd = 0 } = life.money;
  const told = eventsOf(life, "budget.updated").reduce((sum, { cost_microusd: cost = 0 }) => sum + cost, 0);
  const billed = life.answers * MIND_COST;
  check(reserved_microusd === 0, `${reserved_microusd} micro-USD are still set aside`);
  check(told > 0 && told <= cost_microusd, `the journal tells ${told} of ${cost_microusd} micro-USD`);
  check(billed <= cost_microusd, `${cost_microusd} micro-USD were counted of ${billed} that were billed`);
  check(cost_microusd <= limit_microusd, `${cost_microusd} of ${limit_microusd} micro-USD were spent`);
  check(asksForMoney(life) > 0, "nobody was asked for money");
  check(life.strangers === 0, `the provider was asked ${life.strangers} times with another key than its own`);
  check(life.leftOpen.length === 0, `the closed session has ${namesOf(life.leftOpen)}`);
  check(life.leftBehind.length === 0, `the stopped server left ${namesOf(life.leftBehind)}`);
  check(life.folders.length === 0, `${life.folders.length} folders belong to no session`);
  return faults;
}

function namesOf(left: VendorLife["leftOpen"]): string {
  return left.map(({ pid, words }) => `${pid} ${words.slice(0, 3).join(" ")}`).join(", ");
}

function asksForMoney(life: VendorLife): number {
  return eventsOf(life, "approval.requested").filter(({ approval }) => approval.tool === BUDGET_TOOL).length;
}

/** What the vendor's program tells a model of a call that nobody answered it. */
const INVENTED = /The user doesn't want to|Tool permission request failed|stream closed/;

/** What the journal tells of a turn that was completed, and what any turn has done, the model knows in the next one; and nothing that is not so. */
function memoryFaults(life: VendorLife): readonly string[] {
  const { asked, done } = life.heard;
  const faults: string[] = [];
  const completed = new Set(eventsOf(life, "turn.completed").map(({ turn_id }) => turn_id));
  for (const scene of SCENES) {
    const turn = life.turns[scene];
    if (completed.has(turn) && !asked.includes(markOf(scene))) faults.push(`the model forgot the prompt ${scene}`);
    if (scene === "afterwards") continue;
    for (const words of completed.has(turn) ? callsOf(life, turn) : effectsOf(life, turn)) {
      if (!done.includes(words)) faults.push(`the model forgot ${words}`);
    }
  }
  if (INVENTED.test(done)) faults.push("the model was told of a refusal that nobody made");
  return faults;
}

/** What a turn ran to the end, however it ended itself. */
function effectsOf(life: VendorLife, turn: string): readonly string[] {
  return eventsIn(life, turn).flatMap((event) =>
    event.type === "item.completed" && isToolItem(event.item) && event.item.status === "completed"
      ? wordsOf(event.item.input)
      : [],
  );
}

/** What the model said and did in a turn, and what a person told it. */
function callsOf(life: VendorLife, turn: string): readonly string[] {
  return eventsIn(life, turn).flatMap((event): readonly string[] => {
    if (event.type === "approval.resolved") return event.feedback === undefined ? [] : [event.feedback];
    if (event.type !== "item.completed" || event.item.status === "superseded") return [];
    const { item } = event;
    if (isToolItem(item)) return wordsOf(item.input);
    return item.type === "agent_message" ? [item.text] : [];
  });
}
