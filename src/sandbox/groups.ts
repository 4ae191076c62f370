import { signal, type ProcessEntry } from "./processes.ts";

/**
 * The process groups that began here. A group's number is its leader's, and belongs to it as long as it has a member; then
 * the system may give it to others. So a group whose leader ended is only believed in as long as nobody else has the number.
 */
export class Groups {
  /** By number: whether the leader still lives. */
  readonly #alive = new Map<number, boolean>();

  add(leader: number): void {
    this.#alive.set(leader, true);
  }

  /** To be called in the same turn in which the leader's end is learned. */
  leaderEnded(leader: number): void {
    if (signal(-leader, 0)) this.#alive.set(leader, false);
    else this.#alive.delete(leader);
  }

  /** Whether any has a member left. */
  get any(): boolean {
    for (const [group, alive] of this.#alive) if (!alive && !signal(-group, 0)) this.#alive.delete(group);
    return this.#alive.size > 0;
  }

  /** Those that can be signalled as a whole without a doubt. */
  withLeader(): readonly number[] {
    return [...this.#alive].flatMap(([group, alive]) => (alive ? [group] : []));
  }

  /** Whether a process of this list is a member; of one group only, if it is named. Groups without members are forgotten. */
  membership(entries: readonly ProcessEntry[], only?: number): (entry: ProcessEntry) => boolean {
    const pids = new Set(entries.map((entry) => entry.pid));
    const used = new Set(entries.flatMap((entry) => [entry.group, entry.session]));
    for (const [group, alive] of this.#alive)
      if (!alive && (pids.has(group) || !used.has(group))) this.#alive.delete(group);
    const isOurs = (group: number): boolean => this.#alive.has(group) && (only === undefined || only === group);
    return (entry) => isOurs(entry.group) || isOurs(entry.session);
  }
}
