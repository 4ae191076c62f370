import { WORKBENCH_LIMITS } from "../limits.ts";
import { newId } from "./ids.ts";
import type { Deed, Doer } from "./workbench.ts";

/**
 * Something that can be done, taken back and done again. Paths name what it concerns, from the outside in (`view/<id>/viewer/<id>`): a
 * path concerns everything below it.
 */
export interface Act {
  readonly by: Doer;
  readonly words: string;
  readonly viewId: string;
  /** What is another after it. */
  readonly writes: readonly string[];
  /** What must be as it was, for it to make sense. */
  readonly reads?: readonly string[];
  /** What is there only because of it. */
  readonly makes?: readonly string[];
  /** Does it, and answers how it is taken back. Throws before anything has changed. */
  readonly run: () => () => void;
  /** Acts with the same that follow each other quickly are one deed. */
  readonly merge?: string;
}

interface Entry {
  readonly deed: Deed;
  readonly act: Act;
  readonly unregister: () => void;
}

/** What was done, in the order in which it was done. Knows nothing of what the deeds are about. */
export class History {
  readonly #now: () => number;
  #entries: readonly Entry[] = [];
  /** Ids of deeds that were taken back, the last one last; a new deed ends the row. */
  #takenBack: readonly string[] = [];
  #deeds: readonly Deed[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  get deeds(): readonly Deed[] {
    return this.#deeds;
  }

  /** What undo would take back next. */
  get last(): Deed | undefined {
    return this.#deeds.findLast(({ undone }) => !undone);
  }

  /** What redo would do next; absent after something new was done. */
  get next(): Deed | undefined {
    const id = this.#takenBack.at(-1);
    return id === undefined ? undefined : this.#deeds.find((deed) => deed.id === id);
  }

  do(act: Act): void {
    this.add(act, act.run());
  }

  /** Something that was done already, such as by a viewer. */
  add(act: Act, unregister: () => void): void {
    const at = this.#now();
    this.#takenBack = [];
    const last = this.#entries.at(-1);
    const isSame = last !== undefined && act.merge !== undefined && last.act.merge === act.merge && !last.deed.undone;
    if (isSame && last.act.by === act.by && at - last.deed.at <= WORKBENCH_LIMITS.deedMergeMs) {
      const deed = { ...last.deed, at, words: act.words };
      this.#set([...this.#entries.slice(0, -1), { deed, act, unregister: last.unregister }]);
      return;
    }
    const deed: Deed = { id: newId("deed"), by: act.by, at, words: act.words, undone: false };
    this.#set([...this.#entries, { deed, act, unregister }].slice(-WORKBENCH_LIMITS.deedsKept));
  }

  /** First what was done later and builds on it. Answers the deeds that were taken back. */
  undo(id: string): readonly Deed[] {
    const place = this.#entries.findIndex(({ deed }) => deed.id === id);
    const entry = this.#entries[place];
    if (entry === undefined) throw new Error("this deed is too old to be taken back");
    if (entry.deed.undone) return [];
    const taken: Deed[] = [];
    const chosen = [entry];
    for (const later of this.#entries.slice(place + 1))
      if (!later.deed.undone && chosen.some((earlier) => buildsOn(later.act, earlier.act))) chosen.push(later);
    for (const one of chosen.toReversed()) {
      one.unregister();
      this.#replace(one, { ...one, deed: { ...one.deed, undone: true } });
      this.#takenBack = [...this.#takenBack, one.deed.id];
      taken.push(one.deed);
    }
    return taken;
  }

  /** First what it needs to be there. It becomes the newest deed. */
  redo(id: string): void {
    const entry = this.#entries.find(({ deed }) => deed.id === id);
    if (entry === undefined) throw new Error("this deed is too old to be done again");
    if (!entry.deed.undone) return;
    for (const path of this.#madePaths(entry.act)) {
      const maker = this.#makerOf(path, entry);
      if (maker !== undefined) this.redo(maker.deed.id);
    }
    const unregister = entry.act.run();
    const again: Entry = { ...entry, deed: { ...entry.deed, undone: false }, unregister };
    this.#takenBack = this.#takenBack.filter((taken) => taken !== id);
    this.#set([...this.#entries.filter(({ deed }) => deed.id !== id), again]);
  }

  /** Ids of the views that deeds are about, those of the oldest deeds first. */
  get viewIds(): readonly string[] {
    return [...new Set(this.#entries.toReversed().map(({ act }) => act.viewId))].toReversed();
  }

  /** All about a view, so that its table can be given free. */
  forget(viewId: string): void {
    const kept = this.#entries.filter(({ act }) => act.viewId !== viewId);
    const ids = new Set(kept.map(({ deed }) => deed.id));
    this.#takenBack = this.#takenBack.filter((id) => ids.has(id));
    this.#set(kept);
  }

  /** Paths that deeds made and that an act needs, the outer ones first. */
  #madePaths(act: Act): readonly string[] {
    const needed = neededBy(act);
    const made = new Set(this.#entries.flatMap((entry) => entry.act.makes ?? []));
    return [...made]
      .filter((path) => needed.some((wanted) => isWithin(wanted, path)))
      .toSorted((left, right) => left.length - right.length);
  }

  /** What must be done again so that a path is there; absent: nothing. */
  #makerOf(path: string, entry: Entry): Entry | undefined {
    const makers = this.#entries.filter(({ act }) => act.makes?.includes(path) === true);
    if (makers.some(({ deed }) => !deed.undone)) return undefined;
    const place = this.#entries.indexOf(entry);
    return makers.findLast((maker) => this.#entries.indexOf(maker) < place) ?? makers[0];
  }

  #replace(before: Entry, after: Entry): void {
    this.#set(this.#entries.map((entry) => (entry === before ? after : entry)));
  }

  #set(entries: readonly Entry[]): void {
    this.#entries = entries;
    this.#deeds = entries.map(({ deed }) => deed);
  }
}

/** Whether the later one cannot stay as it is without the earlier one. */
function buildsOn(later: Act, earlier: Act): boolean {
  return [...later.writes, ...(later.reads ?? [])].some((path) => earlier.writes.some((other) => touch(path, other)));
}

/** What must be there before it; what it makes itself is not. */
function neededBy({ writes, reads = [], makes = [] }: Act): readonly string[] {
  return [...writes, ...reads].filter((path) => !makes.some((made) => isWithin(path, made)));
}

function touch(left: string, right: string): boolean {
  return isWithin(left, right) || isWithin(right, left);
}

function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}/`);
}
