import type { LiveConnection } from "../../client/index.ts";
import { PANEL_LIMITS } from "./limits.ts";

/** Chats of panels that were removed from a page that is still open: a panel that is inserted again continues. */
const left = new WeakMap<LiveConnection, Map<string, string>>();

/**
 * Which chat this tab has open, across a reload. It is in the storage only while the page is away: a duplicated tab finds nothing there and
 * starts its own chat.
 */
export class TabMemory {
  readonly #live: LiveConnection;
  readonly #key: string;
  readonly #current: () => string | undefined;

  constructor(live: LiveConnection, context: string, current: () => string | undefined) {
    this.#live = live;
    this.#key = `sallyport.panel ${context}`;
    this.#current = current;
    addEventListener("pagehide", this.#hide);
    addEventListener("pageshow", this.#show);
  }

  /** The chat that was open before, once. */
  take(): string | undefined {
    const kept = left.get(this.#live)?.get(this.#key) ?? this.#taken();
    left.get(this.#live)?.delete(this.#key);
    return kept;
  }

  /** The panel is taken out of its page. */
  leave(): void {
    removeEventListener("pagehide", this.#hide);
    removeEventListener("pageshow", this.#show);
    const current = this.#current();
    if (current === undefined) return;
    const chats = left.get(this.#live) ?? new Map<string, string>();
    left.set(this.#live, chats.set(this.#key, current));
  }

  readonly #hide = (): void => {
    const current = this.#current();
    try {
      if (current !== undefined) sessionStorage.setItem(this.#key, current);
    } catch {
      // No storage: then the chat is only in the history.
    }
  };

  /** The page was left and is back as it was. */
  readonly #show = (): void => void this.#taken();

  #taken(): string | undefined {
    try {
      const kept = sessionStorage.getItem(this.#key) ?? undefined;
      sessionStorage.removeItem(this.#key);
      return kept;
    } catch {
      return undefined;
    }
  }
}

/** Locks a chat for this tab. Undefined: another tab has it. `waits`: the former self of this page may be about to release it. */
export async function holdChat(id: string, { waits }: { readonly waits: boolean }): Promise<(() => void) | undefined> {
  // Absent if the page is not served securely: then nobody can tell.
  const locks = (navigator as { readonly locks?: LockManager }).locks;
  if (locks === undefined) return () => undefined;
  return new Promise((resolve) => {
    const options = waits ? { signal: AbortSignal.timeout(PANEL_LIMITS.lockMs) } : { ifAvailable: true };
    locks
      .request(`sallyport.panel ${id}`, options, (lock) => {
        if (lock === null) return resolve(undefined);
        return new Promise<void>((release) => resolve(release));
      })
      .catch(() => resolve(undefined));
  });
}
