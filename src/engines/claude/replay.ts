import { createHash } from "node:crypto";
import type { IdPrefix, JournalEvent, NewId } from "../../protocol/index.ts";
import type { EngineEvent } from "../engine.ts";

/** The id of something that the vendor's program said. `key` names it among what that program said in the turn. */
export type IdFor = (prefix: IdPrefix, key: string) => string;

/** Ids that nothing but chance decides. */
export function randomIds(newId: NewId): IdFor {
  return (prefix) => newId(prefix);
}

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const RANDOM_DIGITS = 13;

/**
 * Ids that follow from what was said: whoever reads the same output again gets the same ones. `salt` is the process's own. They begin
 * with the turn's time, as other ids begin with theirs.
 */
export function idsFrom(salt: string, turn_id: string): IdFor {
  const seen = new Map<string, number>();
  const [, random = ""] = turn_id.split("_");
  const time = random.slice(0, -RANDOM_DIGITS);
  return (prefix, key) => {
    const name = `${prefix} ${key}`;
    // A model may give several calls the same id.
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    const hash = createHash("sha256")
      .update(JSON.stringify([salt, turn_id, name, count]))
      .digest();
    const digits = [...hash.subarray(0, RANDOM_DIGITS)].map((byte) => ALPHABET.charAt(byte & 31));
    return `${prefix}_${time}${digits.join("")}`;
  };
}

/** What the journal has of a turn since its current process began. */
export class JournaledTurn {
  readonly #started = new Set<string>();
  readonly #completed = new Set<string>();
  #usages = 0;
  readonly #notices = new Map<string, number>();

  add(event: JournalEvent): void {
    if (event.type === "item.started") this.#started.add(event.item.id);
    if (event.type === "item.completed") this.#completed.add(event.item.id);
    if (event.type === "usage.updated") this.#usages += 1;
    if (event.type === "error") this.#notices.set(event.message, (this.#notices.get(event.message) ?? 0) + 1);
    // Another process answers from here on.
    if (event.type === "turn.resumed") {
      this.#usages = 0;
      this.#notices.clear();
    }
  }

  /** The events that the journal lacks, when output is read again from the turn's beginning. */
  lacks(events: readonly EngineEvent[]): readonly EngineEvent[] {
    return events.filter((event) => {
      switch (event.type) {
        case "item.started":
          return !this.#started.has(event.item.id);
        case "item.completed":
          return !this.#completed.has(event.item.id);
        case "item.delta":
          return !this.#completed.has(event.item_id);
        case "usage":
          this.#usages -= 1;
          return this.#usages < 0;
        case "notice": {
          const count = this.#notices.get(event.message) ?? 0;
          this.#notices.set(event.message, count - 1);
          return count <= 0;
        }
        case "item.updated":
        case "turn.completed":
        case "turn.failed":
          return true;
      }
    });
  }
}
