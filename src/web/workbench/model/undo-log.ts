import type { Action } from "./history.ts";
import { valueAt, type PathValue, type WorkbenchMoment } from "./path-values.ts";
import type { ActionRecord } from "./workbench.ts";

/** An action with what it wrote, so that it can be taken back after a reload too. */
export interface LoggedAction {
  readonly action: ActionRecord;
  readonly act: Omit<Action, "run">;
  readonly before: readonly PathValue[];
  readonly after: readonly PathValue[];
}

interface UndoLogOptions {
  readonly moment: () => WorkbenchMoment;
  readonly actions: () => readonly ActionRecord[];
  readonly actOf: (actionId: string) => Omit<Action, "run"> | undefined;
}

/** Watches actions, and remembers the values before and after. */
export class UndoLog {
  readonly #options: UndoLogOptions;
  #last: WorkbenchMoment;
  #logged: ReadonlyMap<string, LoggedAction> = new Map();

  constructor(options: UndoLogOptions) {
    this.#options = options;
    this.#last = options.moment();
  }

  /** Oldest first. */
  get entries(): readonly LoggedAction[] {
    return [...this.#logged.values()];
  }

  /** What was done before the page was loaded. */
  restore(entries: readonly LoggedAction[]): void {
    this.#logged = new Map(entries.map((entry) => [entry.action.id, entry]));
    this.#last = this.#options.moment();
  }

  /** Something has changed. */
  changed(): void {
    const { actions, moment } = this.#options;
    const before = this.#last;
    const now = moment();
    this.#last = now;
    const all = actions();
    const redone = all.filter(({ id, undone }) => !undone && this.#logged.get(id)?.action.undone === true);
    this.#logged = new Map(
      all.flatMap((action) => {
        const entry = this.#entry(action, { before, now, isOnlyRedone: redone.length === 1 && redone[0] === action });
        return entry === undefined ? [] : [[action.id, entry]];
      }),
    );
  }

  #entry(
    action: ActionRecord,
    {
      before,
      now,
      isOnlyRedone,
    }: { readonly before: WorkbenchMoment; readonly now: WorkbenchMoment; readonly isOnlyRedone: boolean },
  ): LoggedAction | undefined {
    const known = this.#logged.get(action.id);
    if (known?.action === action) return known;
    const act = this.#options.actOf(action.id);
    if (act === undefined) return undefined;
    const at = (moment: WorkbenchMoment): readonly PathValue[] =>
      act.writes.map((path) => valueAt(moment, path)).filter((value) => value !== undefined);
    // A redo may start from other values than the first time.
    if (known === undefined || isOnlyRedone) return { action, act, before: at(before), after: at(now) };
    // The action was continued, for example with a slider.
    const isMerged = action.at !== known.action.at;
    return { ...known, action, act, after: isMerged ? at(now) : known.after };
  }
}
