import type { Bits } from "./bits.ts";

/** One condition on the rows of a table. Those of a table hold together: a row is shown when it meets them all. */
export type FilterSpec =
  /** Both bounds belong to it; an absent one does not bound. Datetimes as milliseconds. */
  | {
      readonly kind: "range";
      readonly column: string;
      readonly min?: number | undefined;
      readonly max?: number | undefined;
      /** Whether rows without a value pass. */
      readonly missing?: boolean | undefined;
    }
  /** `null` stands for rows without a value. Values are the texts that the grid shows. */
  | { readonly kind: "categories"; readonly column: string; readonly values: readonly (string | null)[] }
  | { readonly kind: "contains"; readonly column: string; readonly text: string }
  | { readonly kind: "formula"; readonly expression: string }
  /** What was marked in a viewer; not kept with a layout. */
  | { readonly kind: "rows"; readonly rows: Bits };
