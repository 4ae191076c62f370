/** What is used of a browser's window. */
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
 * Who this page is, and what it had begun, over a reload. It is in the storage only while the page is away: a tab that was duplicated finds
 * nothing there and is a page of its own, and one that crashed is a new page, to which no call of the old one is sent.
 */
export class PageMemory {
  readonly #key: string;
  readonly #window: PageWindow;
  readonly #begun: () => readonly string[];
  readonly #back: () => void;
  /** The same over a reload. */
  instance: string;
  /** Calls that the page had begun before it was reloaded: they must not be run. */
  readonly interrupted: Set<string>;
  /** The page is being left: what is begun now might not be remembered. */
  away = false;

  constructor(options: {
    readonly name: string;
    readonly window: PageWindow | undefined;
    readonly begun: () => readonly string[];
    /** The page was left and is here again as it was, perhaps as another one. */
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
    // Where somebody else has taken the name meanwhile, this is another page.
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
  // Also where the page is not served over TLS, which randomUUID wants.
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
