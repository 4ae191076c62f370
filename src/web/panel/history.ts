import { PANEL_LIMITS } from "./limits.ts";

export interface KeptMessage {
  readonly fromUser: boolean;
  readonly text: string;
}

/** A chat as this browser remembers it. */
export interface RememberedChat {
  /** Of its session. */
  readonly id: string;
  /** When it last changed, ms since the epoch. */
  readonly timestamp: number;
  readonly contextId: string;
  readonly initialPrompt: string;
  readonly messages: readonly KeptMessage[];
}

const NAME = "sallyport-panel";
const STORE = "conversations";

/** The chats of this browser, newest first. Empty if the browser stores nothing (private windows). */
export class ChatHistory {
  #database: Promise<IDBDatabase> | undefined;

  async list(contextId: string): Promise<readonly RememberedChat[]> {
    const all = await this.#run("readonly", (store) => store.getAll() as IDBRequest<RememberedChat[]>);
    return listed(all ?? [], contextId);
  }

  async get(id: string): Promise<RememberedChat | undefined> {
    return this.#run("readonly", (store) => store.get(id) as IDBRequest<RememberedChat | undefined>);
  }

  async save(conversation: RememberedChat): Promise<void> {
    await this.#run("readwrite", (store) => store.put(bounded(conversation)));
    const all = await this.#run("readonly", (store) => store.getAll() as IDBRequest<RememberedChat[]>);
    for (const { id } of surplus(all ?? [])) await this.#run("readwrite", (store) => store.delete(id));
  }

  async clear(): Promise<void> {
    await this.#run("readwrite", (store) => store.clear());
  }

  async close(): Promise<void> {
    const database = await this.#database?.catch(() => undefined);
    database?.close();
    this.#database = undefined;
  }

  async #run<Value>(
    mode: IDBTransactionMode,
    ask: (store: IDBObjectStore) => IDBRequest<Value>,
  ): Promise<Value | undefined> {
    try {
      this.#database ??= open();
      const database = await this.#database;
      return await answered(ask(database.transaction(STORE, mode).objectStore(STORE)));
    } catch {
      // The chat itself is on the server: only the list is lost.
      return undefined;
    }
  }
}

/** The entries of one context. */
export function listed(all: readonly RememberedChat[], contextId: string): readonly RememberedChat[] {
  return newest(all.filter((one) => one.contextId === contextId)).slice(0, PANEL_LIMITS.listed);
}

/** What is too old to be kept. */
export function surplus(all: readonly RememberedChat[]): readonly RememberedChat[] {
  return newest(all).slice(PANEL_LIMITS.kept);
}

/** The newest messages that fit. */
export function bounded(conversation: RememberedChat): RememberedChat {
  const kept: KeptMessage[] = [];
  let chars = 0;
  for (const message of conversation.messages.toReversed()) {
    chars += message.text.length;
    if (chars > PANEL_LIMITS.keptChars) break;
    kept.unshift(message);
  }
  return { ...conversation, messages: kept };
}

/** A chat in the list: its first words. */
export function titleOf({ initialPrompt }: Pick<RememberedChat, "initialPrompt">): string {
  const line = initialPrompt.replace(/\s+/g, " ").trim();
  return line.length > PANEL_LIMITS.titleChars ? `${line.slice(0, PANEL_LIMITS.titleChars)}…` : line;
}

const SEPARATOR = `\n${"-".repeat(50)}\n`;

/** A conversation as text: who said what, with a line between. */
export function asText(messages: readonly KeptMessage[]): string {
  const said: { fromUser: boolean; text: string }[] = [];
  for (const { fromUser, text } of messages) {
    const last = said.at(-1);
    if (last?.fromUser === fromUser) last.text += `\n${text}`;
    else said.push({ fromUser, text });
  }
  return said.map(({ fromUser, text }) => `${fromUser ? "USER" : "Claude"}: ${text}`).join(SEPARATOR);
}

function newest(all: readonly RememberedChat[]): readonly RememberedChat[] {
  return all.toSorted((left, right) => right.timestamp - left.timestamp);
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, 1);
  request.addEventListener("upgradeneeded", () => {
    const store = request.result.createObjectStore(STORE, { keyPath: "id" });
    store.createIndex("timestamp", "timestamp");
    store.createIndex("contextId", "contextId");
  });
  return answered(request);
}

function answered<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("no storage")));
  });
}
