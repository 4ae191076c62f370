import fc from "fast-check";
import { expect, test } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import type { Column, ColumnType } from "../../../../src/web/workbench/data/column.ts";
import { convertColumn } from "../../../../src/web/workbench/data/convert.ts";
import { compileFormula } from "../../../../src/web/workbench/data/formula.ts";
import { columnOf } from "../../../../src/web/workbench/data/make.ts";
import { checkDock, GRID } from "../../../../src/web/workbench/model/dock.ts";
import { historyRecordOf, loggedActionsOf } from "../../../../src/web/workbench/model/history-record.ts";
import { momentOf, viewOf } from "../../../../src/web/workbench/model/path-values.ts";
import { UndoLog } from "../../../../src/web/workbench/model/undo-log.ts";
import { saveLayout } from "../../../../src/web/workbench/model/layout.ts";
import type { OpenWorkbench } from "../../../../src/web/workbench/model/open.ts";
import type { CellEdit } from "../../../../src/web/workbench/model/workbench.ts";
import { people, seen, world } from "./world.ts";

interface Step {
  readonly kind: number;
  readonly which: number;
  readonly rows: readonly number[];
  readonly by: "person" | "agent";
}

const step = fc.record<Step>({
  // Views are opened and closed seldom, so that much happens in each.
  kind: fc.oneof(
    { weight: 12, arbitrary: fc.integer({ min: 1, max: 10 }) },
    fc.constantFrom(0, 11, 12, 13, 14, 15, 16, 17, 18),
  ),
  which: fc.nat(5),
  rows: fc.array(fc.nat(3), { maxLength: 3 }),
  by: fc.constantFrom("person", "agent"),
});

/** Does something at random; what is refused changes nothing, which the end shows. */
function take(workbench: OpenWorkbench, { kind, which, rows, by }: Step): void {
  const view = workbench.current;
  if (view === undefined || kind === 0) {
    if (workbench.views.length < 4) workbench.addTable(people(`t${which}`), by);
    return;
  }
  const { id, viewers, table } = view;
  const viewer = viewers[which % Math.max(1, viewers.length)]?.id ?? "viewer-none";
  const name = `New ${which}`;
  const actions: readonly (() => void)[] = [
    () => undefined,
    () => workbench.addViewer(id, "Histogram", {}, by),
    () => workbench.addViewer(id, "Bar chart", { valueColumnName: name }, by),
    () => workbench.adjustViewer(id, viewer, { bins: which + 1 }, by),
    () => workbench.adjustViewer(id, viewer, { title: which === 0 ? undefined : `T${which}`, value: "Age" }, by),
    () => workbench.removeViewer(id, viewer, by),
    () => workbench.setFilter(id, "agent", { kind: "formula", expression: `[Age] > ${which * 10}` }, by),
    () => table.setFilter("column:Sex", which < 2 ? undefined : { kind: "categories", column: "Sex", values: ["F"] }),
    () => workbench.select(id, Bits.of(4, rows), by),
    () => workbench.putColumn(id, columnOf(name, [which, 2, 3, null]), by),
    () => workbench.removeColumn(id, which < 3 ? "Name" : name, by),
    () => workbench.closeView(id, by),
    () => workbench.applyLayout(id, saveLayout(view), by),
    () => workbench.show(workbench.views[which % workbench.views.length]?.id ?? id),
    () => workbench.switchTo(workbench.views[which % workbench.views.length]?.id ?? id, by),
    () => rename(workbench, { by, from: which % 2 === 0 ? "Age" : name, to: `Named ${which}` }),
    () => retype(workbench, { by, name: which < 3 ? "Age" : name, type: which % 2 === 0 ? "string" : "int" }),
    () => workbench.editCells(id, edits(rows, which < 4 ? "Age" : "Sex", String(which * 10)), by),
    () => workbench.putColumn(id, compileFormula("[Age] + ColAvg([Age])", table).column("Older"), by),
  ];
  try {
    actions[kind]?.();
  } catch {
    // Refused: the table has no such column any more.
  }
}

const edits = (rows: readonly number[], column: string, text: string): readonly CellEdit[] =>
  rows.map((row) => ({ row, column, text: row === 3 ? "" : text }));

function rename(
  workbench: OpenWorkbench,
  { by, from, to }: { readonly by: Step["by"]; readonly from: string; readonly to: string },
): void {
  const view = workbench.current;
  const column = view?.table.column(from);
  if (view === undefined || column === undefined) return;
  workbench.replaceColumn(view.id, from, { column: { ...column, name: to }, words: `Renamed ${from}`, by });
}

function retype(
  workbench: OpenWorkbench,
  { by, name, type }: { readonly by: Step["by"]; readonly name: string; readonly type: ColumnType },
): void {
  const view = workbench.current;
  const column = view?.table.column(name);
  if (view === undefined || column === undefined) return;
  const converted = convertColumn(column, type);
  workbench.replaceColumn(view.id, name, { column: converted.column, words: `Changed ${name}`, by });
}

const state = (workbench: OpenWorkbench): unknown => workbench.views.map(seen);

test("whatever was done: all undone, it is as before; all done again, it is as after", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: "max" }), (steps) => {
      const { workbench } = world();
      const view = workbench.addTable(people(), "person");
      for (const bins of [3, 4, 5]) workbench.addViewer(view.id, "Histogram", { bins }, "person");
      const known = workbench.actions.length;
      const before = state(workbench);
      for (const one of steps) take(workbench, one);
      // Views that were closed long ago are forgotten with their actions: what is left must be enough.
      const isWhole = workbench.actions[0]?.words === "Opened people" && closedCount(steps) <= 5;
      const after = state(workbench);
      const done = workbench.actions.slice(known).map(({ id }) => id);
      for (const id of done.toReversed()) workbench.undo(id);
      if (isWhole) expect(state(workbench)).toEqual(before);
      for (const id of done) workbench.redo(id);
      if (isWhole) expect(state(workbench)).toEqual(after);
    }),
    { seed: 11, numRuns: 400 },
  );
});

/** The same workbench after the page was loaded again: what a browser stores is a copy. */
function reloaded(before: OpenWorkbench, log: UndoLog): OpenWorkbench {
  const keys = new Map<Column, string>();
  const keyOf = (column: Column): string => {
    const key = keys.get(column) ?? String(keys.size);
    keys.set(column, key);
    return key;
  };
  const { takenBack } = before;
  const made = historyRecordOf(log.entries, { tab: "tab", at: 0, takenBack, keyOf, isOpen: () => true });
  const record = structuredClone(made.record);
  const columns = structuredClone(new Map(made.columns));
  const columnNamed = (key: string): Column => {
    const column = columns.get(key);
    if (column === undefined) throw new Error(`no column ${key}`);
    return column;
  };
  const { workbench } = world();
  const { views, shown } = momentOf(before.views, before.current?.id, () => undefined);
  const entries = loggedActionsOf(record, columnNamed);
  workbench.restore({ views: views.map(viewOf), shown, entries, takenBack: record.takenBack, restoreGrid: () => {} });
  return workbench;
}

test("whatever was done before a reload: all undone, it is as before; all done again, it is as after", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30, size: "max" }), (steps) => {
      const { workbench } = world();
      const view = workbench.addTable(people(), "person");
      workbench.addViewer(view.id, "Histogram", { bins: 3 }, "person");
      const log = new UndoLog({
        moment: () => momentOf(workbench.views, workbench.current?.id, () => undefined),
        actions: () => workbench.actions,
        actOf: (id) => workbench.actOf(id),
      });
      workbench.subscribe(() => log.changed());
      workbench.addViewer(view.id, "Bar chart", {}, "person");
      const known = workbench.actions.length;
      const before = state(workbench);
      for (const one of steps) take(workbench, one);
      if (closedCount(steps) > 5) return;
      const after = state(workbench);
      const page = reloaded(workbench, log);
      expect(state(page)).toEqual(after);
      const done = page.actions.slice(page.actions.findIndex(({ words }) => words.startsWith("Added Bar")) + 1);
      expect(done.length).toBe(workbench.actions.length - known);
      for (const { id } of done.toReversed()) page.undo(id);
      expect(state(page)).toEqual(before);
      for (const { id } of done) page.redo(id);
      expect(state(page)).toEqual(after);
    }),
    { seed: 23, numRuns: 150 },
  );
});

test("undone in any order, each view stays whole", () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 30, size: "max" }),
      fc.array(fc.nat(40), { maxLength: 30, size: "max" }),
      (steps, order) => {
        const { workbench } = world();
        workbench.addTable(people(), "person");
        for (const one of steps) take(workbench, one);
        for (const number of order) {
          const action = workbench.actions[number % workbench.actions.length];
          if (action === undefined) continue;
          try {
            if (action.undone) workbench.redo(action.id);
            else workbench.undo(action.id);
          } catch {
            // What it worked on is gone: told, and nothing half done.
          }
          for (const { dock, viewers } of workbench.views) checkDock(dock, [GRID, ...viewers.map(({ id }) => id)]);
        }
        workbench.undoAgent();
        expect(workbench.actions.filter(({ by, undone }) => by === "agent" && !undone)).toEqual([]);
      },
    ),
    { seed: 12, numRuns: 400 },
  );
});

const closedCount = (steps: readonly Step[]): number => steps.filter(({ kind }) => kind === 11).length;
