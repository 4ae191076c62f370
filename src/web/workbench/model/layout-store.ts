import { z } from "zod";
import { WORKBENCH_LIMITS } from "../limits.ts";
import { isPlain, parseLayout, type SavedLayout } from "./layout.ts";

const KEY = "sallyport.workbench.layouts";

/** Layouts as their text: one that is damaged does no harm to the others. */
const kept = z.object({
  named: z.array(z.object({ name: z.string(), at: z.number(), layout: z.string() })),
  byTable: z.array(z.object({ key: z.string(), at: z.number(), layout: z.string() })),
});
type StoredLayouts = z.infer<typeof kept>;

export interface NamedLayout {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Of the table that it was made with; absent: the layout is damaged. */
  readonly table?: string | undefined;
}

/** The layouts that a browser keeps: one for each table automatically, and those that somebody named. */
export class LayoutStore {
  readonly #storage: Pick<Storage, "getItem" | "setItem">;
  readonly #now: () => number;

  constructor(options: { readonly storage: Pick<Storage, "getItem" | "setItem">; readonly now: () => number }) {
    this.#storage = options.storage;
    this.#now = options.now;
  }

  /** Newest first. */
  list(): readonly NamedLayout[] {
    return this.#read()
      .named.toSorted((left, right) => right.at - left.at)
      .map(({ name, at, layout }) => ({ name, at, table: tableOf(layout) }));
  }

  /** Tables whose layout is kept without a name, newest first. */
  recent(): readonly { readonly table: string; readonly at: number; readonly viewers: number }[] {
    return this.#read()
      .byTable.toSorted((left, right) => right.at - left.at)
      .flatMap(({ at, layout }) => {
        const read = readable(layout);
        return read === undefined ? [] : [{ table: read.table, at, viewers: read.viewers.length }];
      });
  }

  /** Replaces one of the same name. Throws if it cannot be stored. */
  saveAs(name: string, layout: SavedLayout): void {
    const given = name.trim();
    if (given === "") throw new Error("give the layout a name");
    if (given.length > WORKBENCH_LIMITS.layoutNameCharacters)
      throw new Error(`a name has at most ${WORKBENCH_LIMITS.layoutNameCharacters} characters`);
    const { named, byTable } = this.#read();
    const others = named.filter((other) => other.name !== given);
    if (others.length >= WORKBENCH_LIMITS.layoutsNamed)
      throw new Error(`${WORKBENCH_LIMITS.layoutsNamed} layouts are kept already: delete one first`);
    this.#write({ byTable, named: [...others, { name: given, at: this.#now(), layout: textOf(layout) }] });
  }

  /** Throws where there is none of that name, or it is damaged. */
  open(name: string): SavedLayout {
    const found = this.#read().named.find((layout) => layout.name === name);
    if (found === undefined) throw new Error(`there is no layout ${name}`);
    return parseLayout(found.layout);
  }

  delete(name: string): void {
    const { named, byTable } = this.#read();
    this.#write({ byTable, named: named.filter((layout) => layout.name !== name) });
  }

  /** For the next time that the same table is opened. A view with nothing in it is not worth keeping. */
  keep(key: string, layout: SavedLayout): void {
    const { named, byTable } = this.#read();
    const others = byTable.filter((other) => other.key !== key);
    const next = isPlain(layout) ? others : [...others, { key, at: this.#now(), layout: textOf(layout) }];
    this.#write({ named, byTable: next.slice(-WORKBENCH_LIMITS.layoutsKept) });
  }

  /** Absent: none was kept, or it is damaged. */
  kept(key: string): SavedLayout | undefined {
    const found = this.#read().byTable.find((layout) => layout.key === key);
    return found === undefined ? undefined : readable(found.layout);
  }

  #read(): StoredLayouts {
    const empty: StoredLayouts = { named: [], byTable: [] };
    try {
      const read = kept.safeParse(JSON.parse(this.#storage.getItem(KEY) ?? "{}"));
      return read.success ? read.data : empty;
    } catch {
      return empty;
    }
  }

  /** A browser gives a page little room: the oldest unnamed layouts are removed first. */
  #write(layouts: StoredLayouts): void {
    for (let { byTable } = layouts; ; byTable = byTable.slice(Math.ceil(byTable.length / 2))) {
      try {
        this.#storage.setItem(KEY, JSON.stringify({ ...layouts, byTable }));
        return;
      } catch {
        if (byTable.length === 0)
          throw new Error("the browser has no room to keep this layout: delete some, or let this site keep data");
      }
    }
  }
}

function textOf(layout: SavedLayout): string {
  const text = JSON.stringify(layout);
  if (text.length > WORKBENCH_LIMITS.layoutCharacters)
    throw new Error("this layout is too large to be kept: a filter names too many values");
  return text;
}

function readable(text: string): SavedLayout | undefined {
  try {
    return parseLayout(text);
  } catch {
    return undefined;
  }
}

function tableOf(text: string): string | undefined {
  return readable(text)?.table;
}
