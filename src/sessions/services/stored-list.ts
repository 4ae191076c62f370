import { z } from "zod";
import { Failure, LIMITS, type PrincipalRef } from "../../protocol/index.ts";
import { auditRow } from "../access/access.ts";
import type { Dependencies } from "../dependencies.ts";

interface StoredListOptions<Item> {
  readonly document: string;
  readonly schema: z.ZodType<Item>;
  /** How many there can be. */
  readonly most: number;
  /** How many versions stay. Absent: `documentVersions`. */
  readonly keep?: number | undefined;
}

interface ListChange<Item> {
  readonly audited: readonly { readonly action: string; readonly id: string; readonly details?: unknown }[];
  readonly change: (items: readonly Item[]) => readonly Item[];
}

/** A short list that is one document: its versions are its history. Changes come one after the other. */
export class StoredList<Item> {
  readonly #dependencies: Pick<Dependencies, "store" | "clock" | "newId" | "redact">;
  readonly #options: StoredListOptions<Item>;
  #items: Promise<readonly Item[]> | undefined;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(
    dependencies: Pick<Dependencies, "store" | "clock" | "newId" | "redact">,
    options: StoredListOptions<Item>,
  ) {
    this.#dependencies = dependencies;
    this.#options = options;
  }

  all(): Promise<readonly Item[]> {
    this.#items ??= this.#read();
    this.#items.catch(() => {
      this.#items = undefined;
    });
    return this.#items;
  }

  /** Resolves with the new list once it is stored. */
  async change(caller: PrincipalRef, { audited, change }: ListChange<Item>): Promise<readonly Item[]> {
    const { document, most, keep = LIMITS.documentVersions } = this.#options;
    const { store, clock } = this.#dependencies;
    const changed = this.#changing.then(async () => {
      const items = change(await this.all());
      if (items.length > most) throw new Failure("limit_reached", `there can be ${most}; delete one first`);
      const at = new Date(clock.now()).toISOString();
      const by = { id: caller.id, name: caller.name, role: caller.role };
      await store.commit({
        documents: [{ name: document, at, by, body: JSON.stringify(items), keep }],
        audit: audited.map(({ action, id, details }) =>
          auditRow(this.#dependencies, caller, { action, target: id, details }),
        ),
      });
      this.#items = Promise.resolve(items);
      return items;
    });
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  async #read(): Promise<readonly Item[]> {
    const [newest] = await this.#dependencies.store.read.documents({ name: this.#options.document, limit: 1 });
    return newest === undefined ? [] : z.array(this.#options.schema).parse(JSON.parse(newest.body));
  }
}
