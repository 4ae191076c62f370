import { WORKBENCH_LIMITS } from "../limits.ts";
import { newId } from "./ids.ts";
import type { ActionRecord, Actor } from "./workbench.ts";

/**
 * Something that can be done, taken back and done again. Paths name what it concerns, from the outside in (`view/<id>/viewer/<id>`): a
 * path concerns everything below it.
 */
export interface Action {
  readonly by: Actor;
  readonly words: string;
  readonly viewId: string;
  /** The paths that it changes. */
  readonly writes: readonly string[];
  /** The paths that must be unchanged for it to make sense. */
  readonly reads?: readonly string[];
  /** The paths that exist only because of it. */
  readonly makes?: readonly string[];
  /** Does it, and returns how to undo it. Throws before anything has changed. */
  readonly run: () => () => void;
  /** Acts with the same value that follow each other quickly are one action. */
  readonly merge?: string;
}

export interface HistoryEntry {
  readonly action: ActionRecord;
  readonly act: Action;
  readonly unregister: () => void;
}

/** What was done, in order. It does not know what the actions are about. */
export class History {
  readonly #now: () => number;
  #entries: readonly HistoryEntry[] = [];
  /** Ids of actions that were taken back, the latest at the end; a new action empties the list. */
  #takenBack: readonly string[] = [];
  #actions: readonly ActionRecord[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  get actions(): readonly ActionRecord[] {
    return this.#actions;
  }

  /** What undo would take back next. */
  get last(): ActionRecord | undefined {
    return this.#actions.findLast(({ undone }) => !undone);
  }

  /** What redo would do next; absent after something new was done. */
  get next(): ActionRecord | undefined {
    const id = this.#takenBack.at(-1);
    return id === undefined ? undefined : this.#actions.find((action) => action.id === id);
  }

  /** Ids of actions that redo would do, the next one last. */
  get takenBack(): readonly string[] {
    return this.#takenBack;
  }

  actOf(id: string): Action | undefined {
    return this.#entries.find(({ action }) => action.id === id)?.act;
  }

  /** What was done before the page was loaded. */
  restore(entries: readonly HistoryEntry[], takenBack: readonly string[]): void {
    this.#takenBack = takenBack;
    this.#set(entries);
  }

  do(act: Action): void {
    this.add(act, act.run());
  }

  /** Something that was done already, such as by a viewer. */
  add(act: Action, unregister: () => void): void {
    const at = this.#now();
    this.#takenBack = [];
    const last = this.#entries.at(-1);
    const isSame = last !== undefined && act.merge !== undefined && last.act.merge === act.merge && !last.action.undone;
    if (isSame && last.act.by === act.by && at - last.action.at <= WORKBENCH_LIMITS.actionMergeMs) {
      const action = { ...last.action, at, words: act.words };
      this.#set([...this.#entries.slice(0, -1), { action, act, unregister: last.unregister }]);
      return;
    }
    const action: ActionRecord = { id: newId("action"), by: act.by, at, words: act.words, undone: false };
    this.#set([...this.#entries, { action, act, unregister }].slice(-WORKBENCH_LIMITS.actionsKept));
  }

  /** Later actions that build on it are undone first. Returns the actions that were undone. */
  undo(id: string): readonly ActionRecord[] {
    const place = this.#entries.findIndex(({ action }) => action.id === id);
    const entry = this.#entries[place];
    if (entry === undefined) throw new Error("this action is too old to be undone");
    if (entry.action.undone) return [];
    const taken: ActionRecord[] = [];
    const chosen = [entry];
    for (const later of this.#entries.slice(place + 1))
      if (!later.action.undone && chosen.some((earlier) => buildsOn(later.act, earlier.act))) chosen.push(later);
    for (const one of chosen.toReversed()) {
      one.unregister();
      this.#replace(one, { ...one, action: { ...one.action, undone: true } });
      this.#takenBack = [...this.#takenBack, one.action.id];
      taken.push(one.action);
    }
    return taken;
  }

  /** The actions that it needs are done first. It becomes the newest action. */
  redo(id: string): void {
    const entry = this.#entries.find(({ action }) => action.id === id);
    if (entry === undefined) throw new Error("this action is too old to be done again");
    if (!entry.action.undone) return;
    for (const path of this.#madePaths(entry.act)) {
      const maker = this.#makerOf(path, entry);
      if (maker !== undefined) this.redo(maker.action.id);
    }
    const unregister = entry.act.run();
    const again: HistoryEntry = { ...entry, action: { ...entry.action, undone: false }, unregister };
    this.#takenBack = this.#takenBack.filter((taken) => taken !== id);
    this.#set([...this.#entries.filter(({ action }) => action.id !== id), again]);
  }

  /** Ids of the views that actions are about, those of the oldest actions first. */
  get viewIds(): readonly string[] {
    return [...new Set(this.#entries.toReversed().map(({ act }) => act.viewId))].toReversed();
  }

  /** Forgets all actions of a view, so that its table can be released. */
  forget(viewId: string): void {
    const kept = this.#entries.filter(({ act }) => act.viewId !== viewId);
    const ids = new Set(kept.map(({ action }) => action.id));
    this.#takenBack = this.#takenBack.filter((id) => ids.has(id));
    this.#set(kept);
  }

  /** Paths that actions made and that an act needs, the outer ones first. */
  #madePaths(act: Action): readonly string[] {
    const needed = neededBy(act);
    const made = new Set(this.#entries.flatMap((entry) => entry.act.makes ?? []));
    return [...made]
      .filter((path) => needed.some((wanted) => isWithin(wanted, path)))
      .toSorted((left, right) => left.length - right.length);
  }

  /** The action that must be redone so that a path exists; absent: none. */
  #makerOf(path: string, entry: HistoryEntry): HistoryEntry | undefined {
    const makers = this.#entries.filter(({ act }) => act.makes?.includes(path) === true);
    if (makers.some(({ action }) => !action.undone)) return undefined;
    const place = this.#entries.indexOf(entry);
    return makers.findLast((maker) => this.#entries.indexOf(maker) < place) ?? makers[0];
  }

  #replace(before: HistoryEntry, after: HistoryEntry): void {
    this.#set(this.#entries.map((entry) => (entry === before ? after : entry)));
  }

  #set(entries: readonly HistoryEntry[]): void {
    this.#entries = entries;
    this.#actions = entries.map(({ action }) => action);
  }
}

/** Whether the later action depends on the earlier one. */
function buildsOn(later: Action, earlier: Action): boolean {
  return [...later.writes, ...(later.reads ?? [])].some((path) => earlier.writes.some((other) => touch(path, other)));
}

/** The paths that must exist before it; without those that it creates. */
function neededBy({ writes, reads = [], makes = [] }: Action): readonly string[] {
  return [...writes, ...reads].filter((path) => !makes.some((made) => isWithin(path, made)));
}

function touch(left: string, right: string): boolean {
  return isWithin(left, right) || isWithin(right, left);
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`);
}
