import { signal, type ProcessEntry } from "./processes.ts";

/**
 * The process groups started here. A group's id is its leader's pid, and stays taken while it has members; then the system
 * may reuse it. So a group whose leader has ended is trusted only while no new process has that id.
 */
export class Groups {
  /** By id: whether the leader is still alive. */
  readonly #alive = new Map<number, boolean>();

  add(leader: number): void {
    this.#alive.set(leader, true);
  }

  /** Must be called in the same tick in which the leader's end is learned. Answers whether the group has a member left. */
  leaderEnded(leader: number): boolean {
    const hasMembers = signal(-leader, 0);
    if (hasMembers) this.#alive.set(leader, false);
    else this.#alive.delete(leader);
    return hasMembers;
  }

  /** Whether any has a member left. */
  get any(): boolean {
    for (const [group, alive] of this.#alive) if (!alive && !signal(-group, 0)) this.#alive.delete(group);
    return this.#alive.size > 0;
  }

  /** Those that can safely be signalled as a whole. */
  withLeader(): readonly number[] {
    return [...this.#alive].flatMap(([group, alive]) => (alive ? [group] : []));
  }

  /** Whether a process of this list is a member, of one group only if it is given. Empty groups are forgotten. */
  membership(entries: readonly ProcessEntry[], only?: number): (entry: ProcessEntry) => boolean {
    const pids = new Set(entries.map((entry) => entry.pid));
    const used = new Set(entries.flatMap((entry) => [entry.group, entry.session]));
    for (const [group, alive] of this.#alive)
      if (!alive && (pids.has(group) || !used.has(group))) this.#alive.delete(group);
    const isOurs = (group: number): boolean => this.#alive.has(group) && (only === undefined || only === group);
    return (entry) => isOurs(entry.group) || isOurs(entry.session);
  }
}
