import { WebSocket } from "ws";
import type { LiveConnection, PageTool } from "../../src/client/index.ts";
import { isToolItem, outputText, type JournalEvent } from "../../src/protocol/index.ts";

/** A browser tab, as far as a page's tools need one: what is stored lives as long as the tab, listeners as long as the page in it. */
export class Tab {
  readonly #kept = new Map<string, string>();
  #listeners = new Map<string, Set<(event: object) => void>>();

  readonly sessionStorage = {
    getItem: (key: string): string | null => this.#kept.get(key) ?? null,
    setItem: (key: string, value: string): void => void this.#kept.set(key, value),
    removeItem: (key: string): void => void this.#kept.delete(key),
  };

  readonly addEventListener = (type: string, listener: (event: object) => void): void => {
    this.#listeners.set(type, (this.#listeners.get(type) ?? new Set()).add(listener));
  };

  readonly removeEventListener = (type: string, listener: (event: object) => void): void => {
    this.#listeners.get(type)?.delete(listener);
  };

  tell(type: "pagehide" | "pageshow"): void {
    for (const listener of this.#listeners.get(type) ?? []) listener({ type });
  }

  /** The page in it is gone, after it was told so; the next one finds what was stored. */
  reload(live: LiveConnection): void {
    this.tell("pagehide");
    this.#listeners = new Map();
    live.close();
  }

  /** What a duplicate of the tab begins with. */
  duplicate(): Tab {
    const tab = new Tab();
    for (const [key, value] of this.#kept) tab.sessionStorage.setItem(key, value);
    return tab;
  }
}

/** A wire that can be cut, and that says what goes over it. */
export function wireTap(): { readonly Wire: typeof WebSocket; readonly wires: WebSocket[]; readonly said: Message[] } {
  const wires: WebSocket[] = [];
  const said: Message[] = [];
  class Wire extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols);
      wires.push(this);
      this.on("message", (data: Buffer) => said.push(JSON.parse(data.toString()) as Message));
    }
  }
  return { Wire: Wire as typeof WebSocket, wires, said };
}

export type Message = Readonly<Record<string, unknown>>;

/** What the agent was told by each call of a tool, in order. */
export function toldBy(events: readonly JournalEvent[]): readonly { text: string; failed: boolean }[] {
  return events.flatMap((event) =>
    event.type === "item.completed" && isToolItem(event.item)
      ? [{ text: outputText(event.item.output ?? []), failed: event.item.is_error === true }]
      : [],
  );
}

/** A promise that somebody else keeps. */
export function later<Value = void>(): { readonly promise: Promise<Value>; readonly resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((keep) => {
    resolve = keep;
  });
  return { promise, resolve };
}

export const NUMBERS = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;

export function countTool(more: Partial<PageTool<{ n: number }>> = {}): PageTool<{ n: number }> {
  return { name: "count", description: "Counts.", schema: NUMBERS, handler: ({ n }) => `counted ${n}`, ...more };
}
