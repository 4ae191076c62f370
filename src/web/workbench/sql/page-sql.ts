import { ChangeListeners } from "../data/listeners.ts";
import type { Table } from "../data/table.ts";
import type { View } from "../model/workbench.ts";
import type { SqlTable, SqlEngine, SqlOptions } from "./engine.ts";
import { identifiersOf } from "./names.ts";

/** How far the engine is. */
export type EngineState =
  | { readonly kind: "asleep" }
  /** `share` from 0 to 1; absent: not known. */
  | { readonly kind: "loading"; readonly share?: number | undefined }
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly words: string };

/** What is open, as far as SQL must know it. */
interface OpenTables {
  readonly views: readonly Pick<View, "table">[];
}

/** SQL over the tables that are open in the workbench. One per page, for its people and its agent; loads the engine with the first query. */
export class PageSql {
  readonly #workbench: OpenTables;
  readonly #listeners = new ChangeListeners();
  #engine: Promise<SqlEngine> | undefined;
  #state: EngineState = { kind: "asleep" };

  constructor(workbench: OpenTables) {
    this.#workbench = workbench;
  }

  get state(): EngineState {
    return this.#state;
  }

  /** By the names that queries know them by. */
  tables(): readonly { readonly name: string; readonly table: Table }[] {
    const tables = this.#workbench.views.map(({ table }) => table);
    const names = identifiersOf(tables.map(({ name }) => name));
    return tables.map((table, index) => ({ name: names[index] ?? table.name, table }));
  }

  /** Throws with DuckDB's own words. */
  async ask(sql: string, options: SqlOptions = {}): Promise<SqlTable> {
    const engine = await this.#opened();
    options.signal?.throwIfAborted();
    const open = this.tables();
    for (const { name, table } of engine.tables())
      if (!open.some((other) => other.name === name && other.table === table)) engine.forget(name);
    for (const { name, table } of open) engine.register(name, table);
    return engine.query(sql, options);
  }

  readonly subscribe = this.#listeners.add;

  close(): void {
    this.#engine?.then((engine) => engine.close()).catch(() => {});
    this.#engine = undefined;
    this.#set({ kind: "asleep" });
  }

  /** One that failed is tried again with the next query. */
  #opened(): Promise<SqlEngine> {
    this.#engine ??= this.#open().catch((error: unknown) => {
      this.#engine = undefined;
      this.#set({ kind: "failed", words: error instanceof Error ? error.message : String(error) });
      throw error;
    });
    return this.#engine;
  }

  async #open(): Promise<SqlEngine> {
    this.#set({ kind: "loading" });
    const { openSql } = await import("./engine.ts");
    const engine = await openSql(({ loaded, total }) => {
      const share = total > 0 ? Math.min(1, loaded / total) : undefined;
      this.#set({ kind: "loading", share });
    });
    this.#set({ kind: "ready" });
    return engine;
  }

  #set(state: EngineState): void {
    this.#state = state;
    this.#listeners.tell();
  }
}
