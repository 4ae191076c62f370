import { Failure, SANDBOX_ORDER, type SandboxChoice, type SandboxKind } from "../protocol/index.ts";
import type { MissingSandbox, SandboxDriver } from "./driver.ts";

/** A kind of sandbox, and why it does not work here. */
export interface SandboxState {
  readonly kind: SandboxKind;
  /** Absent: it works. */
  readonly missing?: MissingSandbox | undefined;
}

/** What `auto` looks for, the first that works. Bubblewrap starts in milliseconds and needs no image. */
const AUTOMATIC: readonly SandboxKind[] = ["bubblewrap", "container"];

/** The sandboxes of this machine. `local` is no driver: it is always there. */
export class SandboxDrivers {
  readonly #drivers: ReadonlyMap<SandboxKind, SandboxDriver>;

  constructor(drivers: readonly SandboxDriver[]) {
    this.#drivers = new Map(drivers.map((driver) => [driver.kind, driver]));
  }

  /** Undefined for `local`. */
  get(kind: SandboxKind): SandboxDriver | undefined {
    return this.#drivers.get(kind);
  }

  /** The sandbox for a new session. One that does not work here is refused by name, never replaced by a weaker one. */
  async choose(wanted: SandboxChoice, least: SandboxKind): Promise<SandboxKind> {
    const kind = wanted === "auto" ? await this.#automatic(least) : wanted;
    if (rank(kind) < rank(least))
      throw new Failure("forbidden", `the policy wants at least the sandbox ${least}, and ${kind} is weaker`);
    const missing = await this.#missing(kind);
    if (missing !== undefined)
      throw new Failure("unsupported", `the sandbox ${kind} does not work here: ${missing.reason}; ${missing.remedy}`);
    return kind;
  }

  /** All kinds, weakest first. */
  list(): Promise<readonly SandboxState[]> {
    return Promise.all(SANDBOX_ORDER.map(async (kind) => ({ kind, missing: await this.#missing(kind) })));
  }

  /** Ends what a server left that died. */
  async sweep(): Promise<number> {
    const swept = await Promise.all([...this.#drivers.values()].map((driver) => driver.sweep()));
    return swept.reduce((sum, count) => sum + count, 0);
  }

  async #automatic(least: SandboxKind): Promise<SandboxKind> {
    // Nor one that nobody has tried on a Mac yet.
    const fitting = [...AUTOMATIC, ...SANDBOX_ORDER].filter(
      (kind) => rank(kind) >= rank(least) && kind !== "local" && (kind !== "seatbelt" || least === "seatbelt"),
    );
    // Past `container` nothing is chosen that nobody named, unless the policy wants it.
    for (const kind of fitting)
      if ((rank(kind) <= rank("container") || rank(least) > rank("container")) && !(await this.#missing(kind)))
        return kind;
    return rank(least) > rank("local") ? least : "local";
  }

  async #missing(kind: SandboxKind): Promise<MissingSandbox | undefined> {
    if (kind === "local") return undefined;
    const driver = this.#drivers.get(kind);
    if (driver === undefined)
      return { reason: "this server has no driver for it", remedy: "choose another one: see `sallyport doctor`" };
    return driver.missing();
  }
}

function rank(kind: SandboxKind): number {
  return SANDBOX_ORDER.indexOf(kind);
}
