import type { DiffLayout, DiffLineRow, RowsWanted } from "./rows.ts";

/** Messages to the worker. `id`: one displayed diff. */
export type WorkerQuestion =
  | { readonly type: "open"; readonly id: number; readonly patch: string; readonly path: string }
  | ({ readonly type: "rows"; readonly id: number } & RowsWanted)
  | { readonly type: "close"; readonly id: number };

/** Messages from the worker. Rows may come twice: without colours, then with them. */
export type WorkerAnswer =
  | {
      readonly type: "opened";
      readonly id: number;
      readonly rows: Readonly<Record<DiffLayout, number>>;
      readonly added: number;
      readonly removed: number;
      readonly cut: boolean;
    }
  | {
      readonly type: "rows";
      readonly id: number;
      readonly layout: DiffLayout;
      readonly from: number;
      readonly rows: readonly DiffLineRow[];
    }
  | { readonly type: "failed"; readonly id: number; readonly message: string };
