/** The part of a browser's window that is used. */
export interface PageWindow {
  readonly sessionStorage?: {
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
    removeItem(key: string): void;
  };
  addEventListener?(type: string, listener: (event: object) => void): void;
  removeEventListener?(type: string, listener: (event: object) => void): void;
}

interface StoredCalls {
  readonly instance: string;
  readonly begun: readonly string[];
}

const NONE: StoredCalls = { instance: "", begun: [] };

/**
 * The page's identity and its begun calls, across a reload. They are in the storage only while the page is away. So a duplicated tab is a
 * page of its own, and a crashed one comes back as a new page that gets no calls of the old one.
 */
export class PageMemory {
  readonly #key: string;
  readonly #window: PageWindow;
  readonly #begun: () => readonly string[];
  readonly #back: () => void;
  /** Stays the same across a reload. */
  instance: string;
  /** Calls that the page had begun before it was reloaded: they must not run. */
  readonly interrupted: Set<string>;
  /** The page is being left: a call begun now might not be remembered. */
  away = false;

  constructor(options: {
    readonly name: string;
    readonly window: PageWindow | undefined;
    readonly begun: () => readonly string[];
    /** The page was left and is back, perhaps with a new identity. */
    readonly back: () => void;
  }) {
    this.#key = `sallyport.page ${options.name}`;
    this.#window = options.window ?? (globalThis as unknown as PageWindow);
    this.#begun = options.begun;
    this.#back = options.back;
    const kept = this.#take();
    this.instance = kept.instance === "" ? newInstance() : kept.instance;
    this.interrupted = new Set(kept.begun);
    this.#window.addEventListener?.("pagehide", this.#hide);
    this.#window.addEventListener?.("pageshow", this.#show);
  }

  forget(): void {
    this.#window.removeEventListener?.("pagehide", this.#hide);
    this.#window.removeEventListener?.("pageshow", this.#show);
  }

  readonly #hide = (): void => {
    this.away = true;
    const kept: StoredCalls = { instance: this.instance, begun: [...this.interrupted, ...this.#begun()] };
    try {
      this.#window.sessionStorage?.setItem(this.#key, JSON.stringify(kept));
    } catch {
      // No storage, or no room: then it is a new page after the reload.
    }
  };

  readonly #show = (): void => {
    if (!this.away) return;
    this.away = false;
    // If another page has taken the identity meanwhile, this is a new page.
    if (this.#take().instance !== this.instance) this.instance = newInstance();
    this.#back();
  };

  #take(): StoredCalls {
    try {
      const text = this.#window.sessionStorage?.getItem(this.#key) ?? undefined;
      if (text === undefined) return NONE;
      this.#window.sessionStorage?.removeItem(this.#key);
      const kept = JSON.parse(text) as Partial<StoredCalls> | null;
      if (typeof kept?.instance !== "string" || !Array.isArray(kept.begun)) return NONE;
      return { instance: kept.instance, begun: kept.begun };
    } catch {
      return NONE;
    }
  }
}

function newInstance(): string {
  // Also works without TLS, which randomUUID requires.
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
