import type { ColouredLine } from "../../code/highlighter.ts";
import type { DiffLayout, DiffLineRow, RowsWanted } from "./rows.ts";

/** What the page asks of the worker. `id`: one diff that is shown, or one question for colours. */
export type WorkerQuestion =
  | { readonly type: "open"; readonly id: number; readonly patch: string; readonly path: string }
  | ({ readonly type: "rows"; readonly id: number } & RowsWanted)
  | { readonly type: "close"; readonly id: number }
  | { readonly type: "colour"; readonly id: number; readonly code: string; readonly language: string };

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
  /** Line by line; none: a language that nobody knows. */
  | { readonly type: "coloured"; readonly id: number; readonly lines: readonly ColouredLine[] }
  | { readonly type: "failed"; readonly id: number; readonly message: string };
