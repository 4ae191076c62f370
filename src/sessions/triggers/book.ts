import { z } from "zod";
import { SYSTEM } from "../../protocol/index.ts";
import type { AuditRow, NewDocument, Store } from "../../store/index.ts";

const Index = z.array(z.string());

interface Stored {
  readonly id: string;
}

/** Things of one kind on the disk: an index, and a document for each of them. Changes are made one after the other. */
export class TriggerBook<Entry extends Stored> {
  readonly #store: Store;
  readonly #kind: string;
  readonly #schema: z.ZodType<Entry>;
  readonly #entries = new Map<string, Entry>();

  constructor(store: Store, kind: "schedule" | "webhook", schema: z.ZodType<Entry>) {
    this.#store = store;
    this.#kind = kind;
    this.#schema = schema;
  }

  async open(): Promise<void> {
    const [index] = await this.#store.read.documents({ name: `${this.#kind}s`, limit: 1 });
    for (const id of index === undefined ? [] : Index.parse(JSON.parse(index.body))) {
      const [row] = await this.#store.read.documents({ name: `${this.#kind}/${id}`, limit: 1 });
      if (row !== undefined) this.#entries.set(id, this.#schema.parse(JSON.parse(row.body)));
    }
  }

  get(id: string): Entry | undefined {
    return this.#entries.get(id);
  }

  /** The oldest first. */
  get all(): readonly Entry[] {
    return [...this.#entries.values()];
  }

  /** The row that makes a change durable, where it is committed with its cause; `put` afterwards. */
  rowOf(entry: Entry, at: string): NewDocument {
    return document(`${this.#kind}/${entry.id}`, entry, at);
  }

  put(entry: Entry): void {
    this.#entries.set(entry.id, entry);
  }

  async save(entry: Entry, at: string, audit: readonly AuditRow[]): Promise<void> {
    const isNew = !this.#entries.has(entry.id);
    const index = isNew ? [document(`${this.#kind}s`, [...this.#entries.keys(), entry.id], at)] : [];
    await this.#store.commit({ documents: [this.rowOf(entry, at), ...index], audit });
    this.put(entry);
  }

  async remove(id: string, at: string, audit: readonly AuditRow[]): Promise<void> {
    const rest = [...this.#entries.keys()].filter((known) => known !== id);
    await this.#store.commit({
      deletedDocuments: [`${this.#kind}/${id}`],
      documents: [document(`${this.#kind}s`, rest, at)],
      audit,
    });
    this.#entries.delete(id);
  }
}

/** Every delivery and every time is a version: nobody looks back at them, the audit log has them all. */
function document(name: string, value: unknown, at: string): NewDocument {
  return { name, at, by: SYSTEM, body: JSON.stringify(value), keep: 1 };
}
