import { z } from "zod";
import {
  Failure,
  LIMITS,
  SYSTEM,
  TriggerResult,
  type PrincipalRef,
  type TriggerHistory,
} from "../../protocol/index.ts";
import type { AuditRow, NewDocument } from "../../store/index.ts";
import { auditRow, authorize, authorizeStarting, type Caller } from "../access/access.ts";
import type { Dependencies } from "../dependencies.ts";

const Index = z.array(z.string());
const WithResult = z.object({ last: TriggerResult.optional() });

/** What every trigger has. */
interface StoredTrigger {
  readonly id: string;
  readonly created_by: PrincipalRef;
  readonly paused: boolean;
}

interface TriggerKind<Entry> {
  readonly kind: "schedule" | "webhook";
  readonly schema: z.ZodType<Entry>;
  /** How many there can be. */
  readonly most: number;
}

/** Things of one kind on the disk: an index, and a document for each of them. Changes are made one after the other. */
export class TriggerBook<Entry extends StoredTrigger> {
  readonly #dependencies: Dependencies;
  readonly #kind: TriggerKind<Entry>;
  readonly #entries = new Map<string, Entry>();
  #work: Promise<unknown> = Promise.resolve();

  constructor(dependencies: Dependencies, kind: TriggerKind<Entry>) {
    this.#dependencies = dependencies;
    this.#kind = kind;
  }

  async open(): Promise<void> {
    const { read } = this.#dependencies.store;
    const [index] = await read.documents({ name: `${this.#kind.kind}s`, limit: 1 });
    for (const id of index === undefined ? [] : Index.parse(JSON.parse(index.body))) {
      const [row] = await read.documents({ name: this.#nameOf(id), limit: 1 });
      if (row !== undefined) this.#entries.set(id, this.#kind.schema.parse(JSON.parse(row.body)));
    }
  }

  get(id: string): Entry | undefined {
    return this.#entries.get(id);
  }

  /** Throws where there is none. */
  find(id: string): Entry {
    const entry = this.#entries.get(id);
    if (entry === undefined) throw new Failure("not_found", `there is no ${this.#kind.kind} ${id}`);
    return entry;
  }

  /** One that the caller may change: it acts with the rights of whoever made it. Throws otherwise. */
  changeable(caller: Caller, id: string): Entry {
    const entry = this.find(id);
    const { created_by } = entry;
    authorizeStarting(caller, "trigger.manage", { created_by, what: `${this.#kind.kind} ${id}` });
    return entry;
  }

  /** The oldest first. */
  get all(): readonly Entry[] {
    return [...this.#entries.values()];
  }

  get now(): string {
    return new Date(this.#dependencies.clock.now()).toISOString();
  }

  /** Resolves when all changes so far are done. */
  get settled(): Promise<unknown> {
    return this.#work;
  }

  /** Runs after every change that was begun before it. */
  change<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => undefined);
    return done;
  }

  async add(caller: Caller, entry: Entry, details: unknown): Promise<void> {
    const { kind, most } = this.#kind;
    await this.change(async () => {
      if (this.#entries.size >= most)
        throw new Failure("limit_reached", `there can be ${most} ${kind}s; delete one first`);
      await this.save(entry, this.now, [this.audit(caller, `${kind}.create`, entry.id, details)]);
    });
  }

  /** A change that a person makes. */
  async set(
    caller: Caller,
    { id, verb }: { readonly id: string; readonly verb: string },
    change: (entry: Entry) => Entry,
  ): Promise<Entry> {
    authorize(caller, "trigger.manage");
    return this.change(async () => {
      const entry = change(this.changeable(caller, id));
      await this.save(entry, this.now, [this.audit(caller, `${this.#kind.kind}.${verb}`, id)]);
      return entry;
    });
  }

  pause(caller: Caller, id: string): Promise<Entry> {
    return this.set(caller, { id, verb: "pause" }, (entry) => ({ ...entry, paused: true }));
  }

  async remove(caller: Caller, id: string): Promise<void> {
    authorize(caller, "trigger.manage");
    const { kind } = this.#kind;
    await this.change(async () => {
      this.changeable(caller, id);
      const rest = [...this.#entries.keys()].filter((known) => known !== id);
      await this.#dependencies.store.commit({
        deletedDocuments: [this.#nameOf(id)],
        documents: [this.#index(rest, this.now)],
        audit: [this.audit(caller, `${kind}.delete`, id)],
      });
      this.#entries.delete(id);
    });
  }

  /** What became of it so far, the newest first: read from the versions of its document. */
  async history(caller: Caller, id: string): Promise<TriggerHistory> {
    authorize(caller, "trigger.manage");
    this.find(id);
    const { read } = this.#dependencies.store;
    const rows = await read.documents({ name: this.#nameOf(id), limit: LIMITS.triggerVersions });
    const results = new Map<string, TriggerResult>();
    for (const { body } of rows) {
      const { last } = WithResult.parse(JSON.parse(body));
      if (last !== undefined) results.set(JSON.stringify(last), last);
    }
    return { results: [...results.values()].slice(0, LIMITS.triggerResults) };
  }

  /** The row that makes a change durable, where it is committed with its cause; `put` afterwards. */
  rowOf(entry: Entry, at: string): NewDocument {
    const body = JSON.stringify(entry);
    // Its versions are its history: as many as are read of it.
    return { name: this.#nameOf(entry.id), at, by: SYSTEM, body, keep: LIMITS.triggerVersions };
  }

  put(entry: Entry): void {
    this.#entries.set(entry.id, entry);
  }

  async save(entry: Entry, at: string, audit: readonly AuditRow[]): Promise<void> {
    const isNew = !this.#entries.has(entry.id);
    const index = isNew ? [this.#index([...this.#entries.keys(), entry.id], at)] : [];
    await this.#dependencies.store.commit({ documents: [this.rowOf(entry, at), ...index], audit });
    this.put(entry);
  }

  audit(by: PrincipalRef, action: string, target: string, details?: unknown): AuditRow {
    return auditRow(this.#dependencies, by, { action, target, details });
  }

  #nameOf(id: string): string {
    return `${this.#kind.kind}/${id}`;
  }

  #index(ids: readonly string[], at: string): NewDocument {
    return { name: `${this.#kind.kind}s`, at, by: SYSTEM, body: JSON.stringify(ids), keep: 1 };
  }
}
