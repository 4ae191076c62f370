import { LIMITS, type LimitKind, type PrincipalRef } from "../../protocol/index.ts";
import type { DocumentStore, NewDocument } from "../../store/index.ts";

/** A limit that a person set, overriding policy and settings. */
export interface SetLimit {
  readonly kind: LimitKind;
  /** The ledger's account. */
  readonly account: string;
  /** Micro-USD. */
  readonly limit: number;
  /** What the policy said about it at that time; absent: nothing. */
  readonly policy?: number | undefined;
}

type StoredLimit = Pick<SetLimit, "limit" | "policy">;

/**
 * The limits that people set. Stored as documents, one per account, so that each change stays on record. Memory holds
 * those of accounts in use: whoever uses an account has loaded it.
 */
export class SetLimits {
  readonly #store: DocumentStore;
  readonly #set = new Map<string, StoredLimit>();
  /** Accounts without a set limit, according to the store. Only `put` sets one, so this stays true. */
  readonly #unset = new Set<string>();
  readonly #listeners = new Set<() => void>();

  constructor(store: DocumentStore) {
    this.#store = store;
  }

  /** Undefined: nobody set one. */
  get(kind: LimitKind, account: string): StoredLimit | undefined {
    return this.#set.get(nameOf(kind, account));
  }

  async load(places: readonly Pick<SetLimit, "kind" | "account">[]): Promise<void> {
    for (const { kind, account } of places) {
      const name = nameOf(kind, account);
      if (this.#set.has(name) || this.#unset.has(name)) continue;
      const [row] = await this.#store.read.documents({ name, limit: 1 });
      if (row !== undefined) this.#keep(name, JSON.parse(row.body) as StoredLimit);
      else if (!this.#set.has(name)) this.#remember(name);
    }
  }

  /** Takes effect at once. The row makes it durable: commit it with its cause, and call `back` if that fails. */
  put(set: SetLimit, by: PrincipalRef, at: string): { readonly row: NewDocument; readonly back: () => void } {
    const name = nameOf(set.kind, set.account);
    const before = this.#set.get(name);
    const { limit, policy } = set;
    this.#keep(name, { limit, policy });
    return {
      row: {
        name,
        at,
        by: { id: by.id, name: by.name, role: by.role },
        body: JSON.stringify({ limit, policy }),
        keep: 1,
      },
      back: () => {
        if (before === undefined) this.#set.delete(name);
        else this.#set.set(name, before);
      },
    };
  }

  /** A turn's own limits end with it. */
  forget(kind: LimitKind, account: string): void {
    this.#set.delete(nameOf(kind, account));
  }

  /** Limits have changed: sessions that wait for money check again. */
  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #remember(name: string): void {
    if (this.#unset.size >= LIMITS.limitsInMemory) this.#unset.clear();
    this.#unset.add(name);
  }

  #keep(name: string, kept: StoredLimit): void {
    this.#unset.delete(name);
    this.#set.delete(name);
    this.#set.set(name, kept);
    if (this.#set.size <= LIMITS.limitsInMemory) return;
    // Evicts the oldest; its session loads it again when it next opens a conversation.
    for (const oldest of this.#set.keys()) {
      this.#set.delete(oldest);
      break;
    }
  }
}

function nameOf(kind: LimitKind, account: string): string {
  return `limit/${kind}/${account}`;
}
